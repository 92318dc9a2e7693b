//! `kibitzer-trainer alter`: altered positions of games, as an opening book for `datagen`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use kibitzer::chess::Position;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::alteration::alter;
use crate::checkpoint::write_atomically;
use crate::game_layout::{MOVE_BYTES, move_count};
use crate::{games, packed_board};

/// How often a random position is tried for each that is wanted.
const TRIES_PER_POSITION: u64 = 100;

/// Arguments of `alter`.
#[derive(Debug, clap::Args)]
pub struct Alter {
    /// viriformat game files
    #[arg(long, num_args = 1.., required = true)]
    games: Vec<PathBuf>,
    /// Positions to write
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The book to write, one EPD per line
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

impl Alter {
    /// Writes random positions of random games, altered ([`alter`]).
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written, the files have no game, a game is damaged, or too few
    /// positions can be altered.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let read = |path: &PathBuf| {
            fs::read(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let contents = self.games.iter().map(read).collect::<Result<Vec<_>>>()?;
        let mut games = Vec::new();
        for (path, content) in self.games.iter().zip(&contents) {
            let of_file = games::split(content).with_context(|| path.display().to_string())?;
            games.extend((0..).zip(of_file).map(|(number, bytes)| Game { path, number, bytes }));
        }
        ensure!(!games.is_empty(), "the files have no game");
        let book = self.draw_book(&games)?;
        write_atomically(&self.to, book.as_bytes())?;
        Ok(writeln!(out, "{}: {} positions", self.to.display(), self.positions)?)
    }

    /// The lines of the book.
    fn draw_book(&self, games: &[Game<'_>]) -> Result<String> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut book = String::new();
        let (mut drawn, mut tries) = (0, 0);
        while drawn < self.positions {
            ensure!(
                tries < TRIES_PER_POSITION.saturating_mul(self.positions),
                "only {drawn} of {tries} positions could be altered"
            );
            tries += 1;
            let game = &games[random.random_range(0..games.len())];
            let position = random_position(game.bytes, &mut random)
                .with_context(|| format!("{}, game {}", game.path.display(), game.number))?;
            if let Some(altered) = alter(&position, &mut random) {
                let fen = altered.fen();
                let epd: Vec<&str> = fen.split(' ').take(4).collect();
                writeln!(book, "{}", epd.join(" "))?;
                drawn += 1;
            }
        }
        Ok(book)
    }
}

/// A game of a file.
struct Game<'a> {
    path: &'a Path,
    number: usize,
    bytes: &'a [u8],
}

/// A random position of a game.
fn random_position(game: &[u8], random: &mut ChaCha8Rng) -> Result<Position> {
    let (start, moves) = game.split_first_chunk().context("a game has no start position")?;
    let mut position = packed_board::unpack(start)?;
    let count = move_count(moves).context("a game has no end marker")?;
    let (moves, _) = moves.as_chunks::<MOVE_BYTES>();
    for [low, high, ..] in &moves[..random.random_range(0..=count)] {
        packed_board::play(&mut position, u16::from_le_bytes([*low, *high]))?;
    }
    Ok(position)
}
