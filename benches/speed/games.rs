//! The speed of PGN parsing: games with moves only, and with a clock and an evaluation after each
//! move.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use kibitzer::chess::Position;
use kibitzer::chess::pgn::{PgnGame, PgnMove, PgnReader, decode, write};
use kibitzer::chess::splitmix;

const GAMES: u64 = 2_000;
const PLIES: u64 = 80;

/// Texts of random games with their names.
fn texts() -> [(&'static str, String); 2] {
    [("moves only", text("")), ("with comments", text("[%eval 0.34] [%clk 0:03:00]"))]
}

fn text(comment: &str) -> String {
    (0..GAMES).map(|number| write(&game(number, comment)) + "\n").collect()
}

fn game(number: u64, comment: &str) -> PgnGame {
    let mut game = PgnGame::default();
    for name in
        ["Event", "Site", "Date", "Round", "White", "Black", "WhiteElo", "BlackElo", "TimeControl"]
    {
        game.headers.set(name, "a value of usual length");
    }
    let mut position = Position::startpos();
    for ply in 0..PLIES {
        let legal = position.legal_moves();
        let random = splitmix::nth(number, ply + 1) >> 33;
        let Some(&mv) = legal.get(random as usize % legal.len().max(1)) else { break };
        let mut played = PgnMove::new(mv);
        played.set_comment(comment);
        game.line.moves.push(played);
        position.play(mv);
    }
    game
}

fn read(text: &str) -> usize {
    PgnReader::new(&decode(text.as_bytes()))
        .map(|game| game.map_or(0, |game| game.line.moves.len()))
        .sum()
}

/// Measures parsing with criterion.
pub(crate) fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("PGN parsing");
    for (name, text) in texts() {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| read(black_box(&text))));
    }
    group.finish();
}

/// Prints megabytes and moves per second, best of seven runs.
pub(crate) fn print() {
    println!("\nPGN parsing, {GAMES} games of {PLIES} plies, best of 7 runs");
    for (name, text) in texts() {
        let timed = |_| {
            let start = Instant::now();
            black_box(read(black_box(&text)));
            start.elapsed().as_secs_f64()
        };
        let best = (0..7).map(timed).fold(f64::INFINITY, f64::min);
        let (bytes, moves) = (text.len() as f64 / 1e6, read(&text) as f64 / 1e6);
        println!(
            "{name:<14} {:>6.1} MB/s, {:.2} million moves per second",
            bytes / best,
            moves / best
        );
    }
}
