//! The speed of the search in nodes per second. The other libraries have no search.

use std::time::Instant;

use criterion::{Criterion, Throughput};
use kibitzer::chess::{Game, Position};
use kibitzer::engine::{Engine, Limits, Report, StopFlag};

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];
const NODES: u64 = 500_000;
const HASH_MB: usize = 16;

/// Searches with an empty table.
fn search(engine: &Engine, game: &Game) -> Report {
    engine.clear_tt();
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    engine.analyse(game, &limits, &StopFlag::default(), &mut |_| {})
}

fn games() -> Vec<Game> {
    POSITIONS
        .iter()
        .map(|fen| Game::new(Position::from_fen(fen).expect("a legal position")))
        .collect()
}

/// Measures the search of all positions with criterion.
pub(crate) fn measure(criterion: &mut Criterion) {
    let (engine, games) = (Engine::new(HASH_MB), games());
    let mut group = criterion.benchmark_group("search");
    group.throughput(Throughput::Elements(NODES * games.len() as u64));
    group.bench_function("kibitzer", |bencher| {
        bencher.iter(|| games.iter().map(|game| search(&engine, game).nodes).sum::<u64>());
    });
    group.finish();
}

/// Prints nodes per second, including the time to clear the table.
pub(crate) fn print() {
    let engine = Engine::new(HASH_MB);
    println!("\nsearch, {NODES} nodes per position, table of {HASH_MB} MiB");
    for game in games() {
        let start = Instant::now();
        let report = search(&engine, &game);
        let rate = report.nodes as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!(
            "{:<78} depth {:>2}, {rate:.2} million nodes per second",
            game.position().fen(),
            report.depth
        );
    }
}
