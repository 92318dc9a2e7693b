//! `kibitzer-trainer evaluate`: evaluations of positions in the engine's integer arithmetic.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
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
    /// Prints a line for each position: the evaluation in centipawns for the side to move, then the
    /// FEN.
    ///
    /// # Errors
    ///
    /// When the network cannot be read, a FEN is invalid, or the output cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let network = network_file::load(&self.network)?;
        let samples: Vec<Sample> = self
            .fens
            .iter()
            .map(|fen| parse_fen(fen).with_context(|| format!("`{fen}` is not a valid FEN")))
            .collect::<Result<_>>()?;
        for (fen, sample) in self.fens.iter().zip(samples) {
            writeln!(out, "{} {fen}", network.evaluate(&sample))?;
        }
        Ok(())
    }
}

/// The position of a FEN. This function first checks what the crate `viriformat` takes for granted.
fn parse_fen(fen: &str) -> Result<Sample> {
    let fields: Vec<&str> = fen.split(' ').collect();
    let [placement, _, castling, en_passant, _, number] = fields[..] else {
        bail!("the FEN has {} fields; it must have 6", fields.len())
    };
    let squares = |rank: &str| rank.chars().map(|c| c.to_digit(10).unwrap_or(1)).sum::<u32>();
    ensure!(placement.split('/').count() == 8, "the board must have 8 ranks");
    ensure!(placement.split('/').all(|rank| squares(rank) == 8), "each rank must have 8 squares");
    ensure!(
        ['K', 'k'].into_iter().all(|king| placement.matches(king).count() == 1),
        "each side must have one king"
    );
    ensure!(
        placement.chars().filter(char::is_ascii_alphabetic).count() <= 32,
        "the board must have at most 32 pieces"
    );
    ensure!(
        castling == "-" || castling.chars().all(|c| "KQABCDEFGHkqabcdefgh".contains(c)),
        "`{castling}` is not a castling field"
    );
    let is_square = |text: &[u8]| matches!(text, [b'a'..=b'h', b'1'..=b'8']);
    ensure!(
        en_passant == "-" || is_square(en_passant.as_bytes()),
        "`{en_passant}` is not an en passant square"
    );
    ensure!(
        number.parse().is_ok_and(|number: u16| number > 0),
        "`{number}` is not a move number; it must be 1 to {}",
        u16::MAX
    );
    let mut board = Board::new();
    board.set_from_fen(fen, true)?;
    Ok(Sample::new(&board, 0, GameResult::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_fens_are_refused() {
        assert!(parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").is_ok());
        assert!(parse_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").is_ok());
        for invalid in [
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
            "4k3/8/8/8/8/8/8/R3K3 w Z - 0 1",
            "4k3/8/8/8/8/8/8/R3K3 w i - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - A3 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - a9 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - e 0 1",
            "4k3/8/8/8/8/8/8/4K3 w",
            "4k3/8/8/8/8/8/8/4K3 w - - 0",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 0",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 18446744073709551615",
            "4k3/8/8/8/8/8/8/4K3 w - - 256 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 2",
        ] {
            assert!(parse_fen(invalid).is_err(), "{invalid}");
        }
    }
}
