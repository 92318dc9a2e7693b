//! `kibitzer-trainer evaluate`: what a network says of positions, in the engine's integers.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
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
        let samples: Vec<Sample> =
            self.fens.iter().map(|fen| read(fen).with_context(|| format!("`{fen}` is no FEN"))).collect::<Result<_>>()?;
        for (fen, sample) in self.fens.iter().zip(samples) {
            writeln!(out, "{} {fen}", network.evaluate(&sample))?;
        }
        Ok(())
    }
}

/// The position of a FEN. The format's crate takes ranks and kings for granted: they are looked at first.
fn read(fen: &str) -> Result<Sample> {
    let placement = fen.split(' ').next().unwrap_or_default();
    let squares = |rank: &str| rank.chars().map(|c| c.to_digit(10).unwrap_or(1)).sum::<u32>();
    ensure!(placement.split('/').count() == 8, "the board has eight ranks");
    ensure!(placement.split('/').all(|rank| squares(rank) == 8), "each rank has eight squares");
    ensure!(['K', 'k'].into_iter().all(|king| placement.matches(king).count() == 1), "each side has one king");
    ensure!(placement.chars().filter(char::is_ascii_alphabetic).count() <= 32, "there are 32 pieces at most");
    let mut board = Board::new();
    board.set_from_fen(fen, true)?;
    Ok(Sample::new(&board, 0, GameResult::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_position_is_refused() {
        assert!(read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").is_ok());
        assert!(read("4k3/8/8/8/8/8/8/4K3 w - - 0 1").is_ok());
        for none in [
            "",
            "nonsense",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3",
            "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/9/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/7/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K2K w - - 0 1",
            "4k3/xxxxxxxx/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/pppppppp/pppppppp/pppppppp/pppppppp/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        ] {
            assert!(read(none).is_err(), "{none}");
        }
    }
}
