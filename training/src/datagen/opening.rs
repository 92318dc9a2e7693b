//! The openings of games: start positions and random moves.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::adjudication::Adjudication;
use super::error::DatagenError;
use super::manifest::Book;
use kibitzer::chess::{Game, Position, splitmix};

/// Start positions, each followed by random moves.
#[derive(Clone, Debug)]
pub struct Openings {
    start_positions: Vec<Position>,
    random_plies: u32,
    book: Option<Book>,
}

impl Openings {
    /// Openings from the start position.
    pub fn from_startpos(random_plies: u32) -> Openings {
        Openings { start_positions: vec![Position::startpos()], random_plies, book: None }
    }

    /// Openings from a book, one FEN or EPD per line.
    ///
    /// # Errors
    ///
    /// The book cannot be read, is empty, or has a line without a legal position, or with one where
    /// the game is over.
    pub fn from_book(path: &Path, random_plies: u32) -> Result<Openings, DatagenError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| DatagenError::io(path.to_owned(), error))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let start_positions: Result<Vec<Position>, DatagenError> = lines
            .map(|(index, line)| {
                parse_book_line(line).map_err(|detail| DatagenError::Book {
                    path: PathBuf::from(path),
                    line: index + 1,
                    detail,
                })
            })
            .collect();
        let start_positions = start_positions?;
        if start_positions.is_empty() {
            return Err(DatagenError::EmptyBook(path.to_owned()));
        }
        let sha256 = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Openings { start_positions, random_plies, book: Some(Book { file, sha256 }) })
    }

    /// Number of random moves. Every second opening has one more.
    pub fn random_plies(&self) -> u32 {
        self.random_plies
    }

    /// The opening book; `None` for the start position.
    pub fn book(&self) -> Option<&Book> {
        self.book.as_ref()
    }

    /// A random opening; `None` when its random moves have ended the game. Every second opening has
    /// one more random move, so that both sides move first equally often.
    pub(super) fn choose_random(&self, random: &mut SplitMix64) -> Option<Position> {
        let mut position = random.pick(&self.start_positions)?.clone();
        let plies = if self.random_plies == 0 {
            0
        } else {
            u64::from(self.random_plies) + random.next() % 2
        };
        for _ in 0..plies {
            position.play(*random.pick(&position.legal_moves())?);
        }
        Adjudication::by_rule(&Game::new(position.clone())).is_none().then_some(position)
    }
}

/// Parses a FEN, or the first four fields of an EPD.
fn parse_book_line(line: &str) -> Result<Position, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let is_fen = fields.len() == 6
        && fields[4..].iter().all(|field| field.bytes().all(|byte| byte.is_ascii_digit()));
    let fields = if is_fen { fields.as_slice() } else { &fields[..fields.len().min(4)] };
    let position = Position::from_fen(&fields.join(" ")).map_err(|invalid| {
        invalid.errors.first().map(|error| error.detail.clone()).unwrap_or_default()
    })?;
    match Adjudication::by_rule(&Game::new(position.clone())) {
        None => Ok(position),
        Some(_) => Err("the game is over in this position".to_owned()),
    }
}

/// SplitMix64, a small random number generator that is good enough for openings.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of numbers for a seed, a worker and a game.
    pub(super) fn new(seed: u64, worker: u64, game: u64) -> SplitMix64 {
        let mut random = SplitMix64(seed);
        for number in [worker, game] {
            random.0 = random.next() ^ number;
        }
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        let number = splitmix::nth(self.0, 1);
        self.0 = splitmix::state(self.0, 1);
        number
    }

    /// A random item; `None` of an empty list.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let length = u128::try_from(items.len()).ok()?;
        let index = (u128::from(self.next()) * length) >> 64;
        items.get(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_is_determined_by_seed_worker_and_game() {
        let openings = Openings::from_startpos(8);
        let opening_fen = |worker, game| {
            openings.choose_random(&mut SplitMix64::new(1, worker, game)).unwrap().fen()
        };
        assert_eq!(opening_fen(0, 0), opening_fen(0, 0));
        let mut all: Vec<String> =
            (0..10).flat_map(|worker| (0..50).map(move |game| opening_fen(worker, game))).collect();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() > 490, "{} different openings", all.len());
    }

    #[test]
    fn both_sides_move_first_about_equally_often() {
        let openings = Openings::from_startpos(8);
        let side_to_move =
            |game| openings.choose_random(&mut SplitMix64::new(5, 0, game)).unwrap().turn();
        let white = (0..200).filter(|&game| side_to_move(game).is_white()).count();
        assert!((70..=130).contains(&white), "{white} of 200");
    }

    #[test]
    fn a_line_of_a_book_is_a_fen_or_an_epd() {
        for line in [
            "4k3/8/8/8/8/8/4P3/4K3 w - -",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 3 17",
            "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; fmvn 17;",
            "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one\";",
        ] {
            assert!(parse_book_line(line).is_ok(), "{line}");
        }
        for none in ["nonsense", "7k/8/6Q1/8/8/8/8/K7 b - -", "4k3/8/8/8/8/8/4P3/4K3 w - - 100 90"]
        {
            assert!(parse_book_line(none).is_err(), "{none}");
        }
    }
}
