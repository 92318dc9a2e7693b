//! Analyses a position, a FEN or `startpos`, and prints every completed iteration.
//!
//! ```sh
//! cargo run --release --example analyse -- "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1" 12
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the example prints its result")]

use std::error::Error;
use std::process::ExitCode;

use kibitzer::chess::{Game, Position, to_san};
use kibitzer::engine::{Engine, Limits, Report, Score, StopFlag};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let position = match arguments.next().as_deref() {
        None | Some("startpos") => Position::startpos(),
        Some(fen) => Position::from_fen(fen)?,
    };
    let depth = arguments.next().map_or(Ok(10), |depth| depth.parse())?;

    // The transposition table has 16 MiB.
    let engine = Engine::new(16);
    let game = Game::new(position.clone());
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |update| {
        println!("{}", line(&position, update));
    });
    println!("{} nodes in {:?}", report.nodes, report.elapsed);
    Ok(())
}

/// The depth, the score from the view of the side to move, and the principal variation.
fn line(position: &Position, report: &Report) -> String {
    let score = match report.score {
        Score::Cp(centipawns) => format!("{:+.2}", f64::from(centipawns) / 100.0),
        Score::Mate(moves) => format!("#{moves}"),
    };
    format!("depth {:>2}  {score:>6}  {}", report.depth, in_san(position, report))
}

/// The moves of the principal variation in SAN.
fn in_san(position: &Position, report: &Report) -> String {
    let mut position = position.clone();
    let mut line = Vec::new();
    for &mv in &report.pv {
        line.push(to_san(&position, mv));
        position.play(mv);
    }
    line.join(" ")
}
