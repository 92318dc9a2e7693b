//! `kibitzer-trainer evaluate`: what a network says of positions, in the engine's integers.

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
    /// Prints an evaluation in centipawns for the side to move, then the FEN, a line each.
    ///
    /// # Errors
    ///
    /// When the network cannot be read, a FEN is none, or nothing can be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let network = network_file::load(&self.network)?;
        let samples: Vec<Sample> = self
            .fens
            .iter()
            .map(|fen| parse_fen(fen).with_context(|| format!("`{fen}` is no FEN")))
            .collect::<Result<_>>()?;
        for (fen, sample) in self.fens.iter().zip(samples) {
            writeln!(out, "{} {fen}", network.evaluate(&sample))?;
        }
        Ok(())
    }
}

/// The position of a FEN. The format's crate takes much of it for granted, which is looked at
/// first.
fn parse_fen(fen: &str) -> Result<Sample> {
    let fields: Vec<&str> = fen.split(' ').collect();
    let [placement, _, castling, en_passant, _, number] = fields[..] else {
        bail!("it has not six fields")
    };
    let squares = |rank: &str| rank.chars().map(|c| c.to_digit(10).unwrap_or(1)).sum::<u32>();
    ensure!(placement.split('/').count() == 8, "the board has eight ranks");
    ensure!(placement.split('/').all(|rank| squares(rank) == 8), "each rank has eight squares");
    ensure!(
        ['K', 'k'].into_iter().all(|king| placement.matches(king).count() == 1),
        "each side has one king"
    );
    ensure!(
        placement.chars().filter(char::is_ascii_alphabetic).count() <= 32,
        "there are 32 pieces at most"
    );
    ensure!(
        castling == "-" || castling.chars().all(|c| "KQABCDEFGHkqabcdefgh".contains(c)),
        "`{castling}` is no castling"
    );
    let is_square = |text: &[u8]| matches!(text, [b'a'..=b'h', b'1'..=b'8']);
    ensure!(
        en_passant == "-" || is_square(en_passant.as_bytes()),
        "`{en_passant}` is no en-passant square"
    );
    ensure!(
        number.parse().is_ok_and(|number: u16| number > 0),
        "`{number}` is no number of a move"
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
