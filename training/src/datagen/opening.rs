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

    /// Shuffles the start positions.
    pub(super) fn shuffle(&mut self, seed: u64) {
        let mut random = SplitMix64(seed);
        for last in (1..self.start_positions.len()).rev() {
            let other = random.below(last + 1);
            self.start_positions.swap(last, other);
        }
    }

    /// The start position of a worker's game. Each worker begins at another place and then takes
    /// one after the other. So few positions are played twice before all have been played once:
    /// none by 1, 2, 4 or 8 workers of the same speed.
    pub(super) fn start_of(&self, worker: u64, game: u64) -> &Position {
        let count = self.start_positions.len() as u128;
        // A van der Corput sequence: 0, 1/2, 1/4, 3/4, 1/8 … of 2⁶⁴.
        let share = u128::from(worker.reverse_bits());
        let index = ((share * count) >> 64) + u128::from(game);
        &self.start_positions[(index % count) as usize]
    }

    /// A random start position, for a game whose first one cannot be played.
    pub(super) fn random_start(&self, random: &mut SplitMix64) -> &Position {
        &self.start_positions[random.below(self.start_positions.len())]
    }

    /// The start position after the random moves; `None` when they have ended the game. Every
    /// second opening has one more random move, so that both sides move first equally often.
    pub(super) fn play_random(
        &self,
        start: &Position,
        random: &mut SplitMix64,
    ) -> Option<Position> {
        let mut position = start.clone();
        let plies = if self.random_plies == 0 {
            0
        } else {
            u64::from(self.random_plies) + random.next() % 2
        };
        for _ in 0..plies {
            let moves = position.legal_moves();
            position.play(*moves.get(random.below(moves.len()))?);
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

    /// A random number below `limit`; 0 if `limit` is 0.
    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(openings: &Openings, random: &mut SplitMix64) -> Position {
        openings.play_random(openings.start_of(0, 0), random).unwrap()
    }

    #[test]
    fn an_opening_is_determined_by_seed_worker_and_game() {
        let openings = Openings::from_startpos(8);
        let opening_fen =
            |worker, game| opening(&openings, &mut SplitMix64::new(1, worker, game)).fen();
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
        let side_to_move = |game| opening(&openings, &mut SplitMix64::new(5, 0, game)).turn();
        let white = (0..200).filter(|&game| side_to_move(game).is_white()).count();
        assert!((70..=130).contains(&white), "{white} of 200");
    }

    /// `count` start positions that differ in the fullmove number.
    fn numbered(count: usize) -> Openings {
        let mut openings = Openings::from_startpos(0);
        openings.start_positions = (1..=count)
            .map(|number| Position::from_fen(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}")))
            .collect::<Result<_, _>>()
            .unwrap();
        openings.shuffle(1);
        openings
    }

    #[test]
    fn workers_of_the_same_speed_play_each_start_position_once_before_any_twice() {
        let openings = numbered(1000);
        for workers in [1, 2, 4, 8] {
            let mut numbers: Vec<u16> = (0..workers)
                .flat_map(|worker| (0..1000 / workers).map(move |game| (worker, game)))
                .map(|(worker, game)| openings.start_of(worker, game).fullmove_number())
                .collect();
            assert!(!numbers.is_sorted(), "they are shuffled");
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(1..=1000), "{workers} workers");
        }
    }

    #[test]
    fn start_positions_begin_again_after_the_last() {
        let openings = numbered(7);
        for (worker, game) in [(0, 0), (1, 6), (2, 100)] {
            assert_eq!(openings.start_of(worker, game + 7), openings.start_of(worker, game));
        }
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
