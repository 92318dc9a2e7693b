//! The relatives of a seed: positions that a search from it would evaluate.
//!
//! A seed is a position of a game. Its relatives are, until there are enough:
//!
//! - the seed itself, half of the time;
//! - walks from it by one to three random moves, every position on the way. Half of the moves are
//!   drawn from the captures alone where there are any;
//! - the end of the good captures ([`best_capture`]) after the first move of each walk, where
//!   quiescence search would evaluate.
//!
//! Positions in check, without legal moves and with fewer than three pieces are no relatives, and
//! none is taken twice. A relative is kept with a probability that depends on its number of pieces
//! ([`KEPT_PERCENT`]).

use kibitzer::chess::{Move, MoveList, Position};

use super::line::Line;
use super::quiet_line::best_capture;
use super::random::Random;

/// How many of a hundred relatives with 3 to 32 pieces are kept. The network errs most with 17 to
/// 28 pieces; with fewer, games of fast play are decided and long.
pub const KEPT_PERCENT: [u8; 33] = {
    let mut table = [0; 33];
    let mut pieces = 3;
    while pieces <= 32 {
        table[pieces] = match pieces {
            3..=6 => 20,
            7..=10 => 40,
            11..=13 => 60,
            14..=16 => 80,
            17..=28 => 100,
            _ => 70,
        };
        pieces += 1;
    }
    table
};

/// The longest walk of random moves.
const LONGEST_WALK: usize = 3;

/// What determines the relatives of a seed, besides the random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeSettings {
    /// Relatives drawn for a seed, before some are dropped for their number of pieces.
    pub count: usize,
    /// Whether all relatives are kept, whatever their number of pieces.
    pub flat: bool,
}

/// Draws the relatives of one seed after the other.
pub(super) struct RelativeDrawer<'a, F> {
    settings: RelativeSettings,
    random: &'a mut Random,
    /// The keys of the seed's relatives.
    drawn: Vec<u64>,
    /// Receives the line to a relative and the relative.
    keep: F,
}

impl<'a, F: FnMut(Line, &Position, &mut Random)> RelativeDrawer<'a, F> {
    pub(super) fn new(settings: RelativeSettings, random: &'a mut Random, keep: F) -> Self {
        RelativeDrawer { settings, random, drawn: Vec::with_capacity(settings.count), keep }
    }

    /// Draws the relatives of a seed.
    pub(super) fn draw(mut self, seed: &Position) {
        if self.random.below(2) == 0 {
            self.offer(Line::EMPTY, seed);
        }
        let moves = seed.legal_moves();
        // A seed with few moves may have too few relatives, so the number of walks is limited.
        for _ in 0..self.settings.count {
            if self.is_complete() {
                break;
            }
            self.walk(seed, &moves);
        }
    }

    fn is_complete(&self) -> bool {
        self.drawn.len() >= self.settings.count
    }

    /// Offers the positions of a walk, and the end of the captures after its first move.
    fn walk(&mut self, seed: &Position, moves: &MoveList) {
        let plies = 1 + self.random.below(LONGEST_WALK);
        let Some(first) = self.random_move(moves) else { return };
        let mut position = seed.after(first);
        let mut line = Line::EMPTY;
        line.push(first);
        self.offer(line, &position);
        self.follow_captures(line, &position);
        for _ in 1..plies {
            let Some(mv) = self.random_move(&position.legal_moves()) else { return };
            position.play(mv);
            line.push(mv);
            self.offer(line, &position);
        }
    }

    fn follow_captures(&mut self, mut line: Line, start: &Position) {
        let Some(mut mv) = best_capture(start) else { return };
        let mut position = start.clone();
        loop {
            position.play(mv);
            line.push(mv);
            match best_capture(&position) {
                Some(next) if !line.is_full() => mv = next,
                _ => break,
            }
        }
        self.offer(line, &position);
    }

    fn random_move(&mut self, moves: &MoveList) -> Option<Move> {
        let captures = moves.iter().filter(|mv| mv.is_capture()).count();
        if captures > 0 && self.random.below(2) == 0 {
            let chosen = self.random.below(captures);
            return moves.iter().copied().filter(|mv| mv.is_capture()).nth(chosen);
        }
        moves.get(self.random.below(moves.len())).copied()
    }

    fn offer(&mut self, line: Line, position: &Position) {
        let key = position.key();
        let pieces = position.occupied().count() as usize;
        if self.is_complete() || position.in_check() || pieces < 3 || self.drawn.contains(&key) {
            return;
        }
        self.drawn.push(key);
        let kept_percent = KEPT_PERCENT.get(pieces).copied().unwrap_or(100);
        let is_kept = self.settings.flat || self.random.below(100) < usize::from(kept_percent);
        if is_kept && position.has_moves() {
            (self.keep)(line, position, self.random);
        }
    }
}
