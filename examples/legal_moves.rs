//! Prints the legal moves of a position, a FEN or `startpos`, in SAN and UCI.
//!
//! ```sh
//! cargo run --example legal_moves -- "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the example prints its result")]

use std::error::Error;
use std::process::ExitCode;

use kibitzer::chess::{CastlingNotation, Position, to_san, to_uci};

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
    let position = match std::env::args().nth(1).as_deref() {
        None | Some("startpos") => Position::startpos(),
        Some(fen) => Position::from_fen(fen)?,
    };
    for mv in &position.legal_moves() {
        let uci = to_uci(&position, mv, CastlingNotation::Standard);
        println!("{:<8} {uci}", to_san(&position, mv));
    }
    Ok(())
}
