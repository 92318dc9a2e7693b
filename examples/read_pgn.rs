//! Reads the games of a PGN file and prints one line per game.
//!
//! ```sh
//! cargo run --example read_pgn -- games.pgn
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the example prints its result")]

use std::error::Error;
use std::process::ExitCode;

use kibitzer::chess::pgn::{PgnReader, decode};

/// The games that are read if the command line names no file. The second one has an illegal move.
const SAMPLE: &str = "\
[White \"Legall\"]
[Black \"Saint Brie\"]

1. e4 e5 2. Bc4 d6 3. Nf3 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

1. e4 Ke6 *
";

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
    let bytes = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => SAMPLE.as_bytes().to_vec(),
    };
    for (index, game) in PgnReader::new(&decode(&bytes)).enumerate() {
        match game {
            Ok(game) => {
                let name = |header| game.headers.get(header).unwrap_or("?");
                let (white, black) = (name("White"), name("Black"));
                let plies = game.line.moves.len();
                let end = game.to_game().outcome();
                println!("{}: {white} - {black}, {plies} plies, {end:?}", index + 1);
            }
            Err(bad_game) => println!("{}: {}", index + 1, bad_game.error),
        }
    }
    Ok(())
}
