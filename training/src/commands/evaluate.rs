//! `kibitzer-trainer evaluate`: what a network says of positions, in the engine's integers.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use viriformat::chess::board::Board;

use crate::network_file;
use crate::sample::{GameResult, Sample};

/// Arguments of `evaluate`.
#[derive(Debug, clap::Args)]
pub struct Evaluate {
    /// A network file
    #[arg(long)]
    network: PathBuf,
    /// Positions as FEN
    #[arg(required = true)]
    fens: Vec<String>,
}

impl Evaluate {
    /// Prints an evaluation in centipawns for the side to move, then the FEN, a line each.
    ///
    /// # Errors
    ///
    /// When the network cannot be read, a FEN is none, or nothing can be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let network = network_file::load(&self.network)?;
        for fen in &self.fens {
            let mut board = Board::new();
            board.set_from_fen(fen, true).with_context(|| format!("`{fen}` is no FEN"))?;
            writeln!(out, "{} {fen}", network.evaluate(&Sample::new(&board, 0, GameResult::Unknown)))?;
        }
        Ok(())
    }
}
