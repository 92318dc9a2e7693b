//! Endgame tables: the time of a lookup, and what probes cost a search.
//!
//! `KIBITZER_SUITES` names the folder of suites, whose tables have up to four men.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitzer::chess::{Game, Position};
use kibitzer::engine::{Engine, Limits, StopFlag, TablebaseOptions};
use kibitzer::tablebase::Tablebase;

use crate::random::Random;
use crate::random_positions::{random_men, random_position};

const LOOKUPS: usize = 3_000;
const NODES: u64 = 1_000_000;
const ROUNDS: usize = 5;

/// Positions with more men than the tables, from the middlegame to the edge of the tables.
const POSITIONS: [&str; 6] = [
    "r1bq1rk1/p1pn1ppp/p3p3/3p4/1b1P4/2N1PN2/PPP2PPP/R1BQ1RK1 w - - 4 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5k2/2p1p1p1/1pP1P1P1/1P3K2/8/3N4/8 w - - 0 1",
    "8/8/1p1k4/p1p5/P1P2K2/1P6/8/8 w - - 0 1",
    "4r1k1/5pp1/7p/8/8/1R5P/5PP1/6K1 w - - 0 1",
    "8/8/4kp2/8/4PK2/8/6b1/5B2 w - - 0 1",
];

/// The tables of the suites.
fn tables(memory_bytes: u64) -> Option<Tablebase> {
    let suites = PathBuf::from(std::env::var_os("KIBITZER_SUITES")?);
    let folder = suites.join("syzygy").join("3-4-men");
    Some(Tablebase::open(&[folder], memory_bytes).expect("the tables of the suites"))
}

/// Prints the times of lookups, and the speed of searches with and without tables.
pub(crate) fn print() {
    println!("\nendgame tables of up to four men");
    for memory_mb in [0, 64] {
        let Some(tables) = tables(memory_mb << 20) else {
            println!("not measured: KIBITZER_SUITES does not name the folder of suites");
            return;
        };
        print_lookups(memory_mb, &tables);
    }
    print_searches(Arc::new(tables(64 << 20).expect("opened before")));
}

fn print_lookups(memory_mb: u64, tables: &Tablebase) {
    let positions = random_positions();
    let look_up = |position: &Position| {
        let start = Instant::now();
        tables.lookup(position).expect("a result");
        start.elapsed()
    };
    // Opens the files.
    let _cold: Vec<Duration> = positions.iter().map(look_up).collect();
    let mut times: Vec<Duration> = positions.iter().map(look_up).collect();
    times.sort_unstable();
    let milliseconds = |permille: usize| times[LOOKUPS * permille / 1_000].as_secs_f64() * 1e3;
    println!(
        "lookup with {memory_mb:>2} MB of tables in memory: median {:.3} ms, p99 {:.3} ms",
        milliseconds(500),
        milliseconds(990)
    );
}

/// Random legal positions of four men.
fn random_positions() -> Vec<Position> {
    let random = &mut Random::new(1);
    let mut positions = Vec::new();
    while positions.len() < LOOKUPS {
        let men = random_men(random);
        if men.len() == 2 {
            positions.push(random_position(random, &men));
        }
    }
    positions
}

fn print_searches(tables: Arc<Tablebase>) {
    println!("search of {NODES} nodes, best of {ROUNDS} alternating rounds, with ÷ without tables");
    let engine = Engine::new(16);
    let mut product = 1.0;
    for fen in POSITIONS {
        let game = Game::new(Position::from_fen(fen).expect("a legal position"));
        let mut best = [0.0_f64; 2];
        let mut hits = 0;
        for _ in 0..ROUNDS {
            for (index, best) in best.iter_mut().enumerate() {
                let with_tables = index == 1;
                let options = with_tables.then(|| TablebaseOptions::new(Arc::clone(&tables)));
                engine.set_tablebase(options);
                engine.clear_tt();
                let limits = Limits { nodes: Some(NODES), ..Limits::default() };
                let start = Instant::now();
                let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| {});
                *best = best.max(report.nodes as f64 / start.elapsed().as_secs_f64());
                hits = hits.max(report.tb_hits);
            }
        }
        let ratio = best[1] / best[0];
        product *= ratio;
        println!("{fen:<72} {ratio:.3}, {hits} hits");
    }
    println!("geometric mean {:.3}", product.powf(1.0 / POSITIONS.len() as f64));
}
