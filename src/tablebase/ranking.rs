//! The moves of a search's root, ranked by their outcome with the game's half-move clock and
//! repetitions.
//!
//! The search keeps the best rank and chooses inside it. As Stockfish's `root_probe`: certain wins
//! are equal, so that the search may prefer a natural one. Once a position has been repeated, only
//! the moves that make the fastest progress are left, so every won game ends.

use super::category::{Category, FIFTY_MOVES};
use super::error::ProbeError;
use super::tables::Tablebase;
use super::values::{Dtz, Wdl};
use crate::chess::{Game, Move, Position};

/// The ranked moves of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRanking {
    /// The moves, best rank first.
    pub moves: Vec<RankedMove>,
    /// Whether distances ranked the moves. Otherwise outcomes alone did, because distance files are
    /// missing: then a search must find the progress itself.
    pub by_dtz: bool,
    /// Whether the ranks depend on the game's half-move clock or repetitions.
    pub depends_on_history: bool,
}

/// A move with its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The rank; a greater one is better. Moves of equal rank are equally good.
    pub rank: i32,
    /// The outcome after the move.
    pub outcome: RootOutcome,
}

/// The outcome of a root move for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootOutcome {
    /// A loss.
    Loss,
    /// A loss that the 50-move rule turns into a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the 50-move rule turns into a draw.
    CursedWin,
    /// A win.
    Win,
}

/// A rank above all distances that may be added to it or subtracted from it.
const RANK_STEP: i32 = 10_000;

impl Tablebase {
    /// Ranks root moves. `None` if a table is missing. With `fifty_move_rule` off, cursed wins
    /// count as wins.
    pub fn rank_root(
        &self,
        game: &Game,
        moves: &[Move],
        fifty_move_rule: bool,
    ) -> Option<RootRanking> {
        let root =
            Root { tables: self, game, counts: game.reversible_key_counts(), fifty_move_rule };
        let by_dtz = moves.iter().map(|&mv| root.rank_by_dtz(mv)).collect::<Result<Vec<_>, _>>();
        let (mut ranked, by_dtz) = match by_dtz {
            Ok(ranked) => (ranked, true),
            Err(_) => {
                let by_wdl = moves.iter().map(|&mv| root.rank_by_wdl(mv));
                (by_wdl.collect::<Result<Vec<_>, _>>().ok()?, false)
            }
        };
        ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        let depends_on_history =
            game.position().halfmove_clock() > 0 && (by_dtz || root.has_history());
        Some(RootRanking { moves: ranked, by_dtz, depends_on_history })
    }
}

/// The root whose moves are ranked.
struct Root<'a> {
    tables: &'a Tablebase,
    game: &'a Game,
    /// The positions that can occur again, with their occurrences before the present one.
    counts: Vec<(u64, u8)>,
    fifty_move_rule: bool,
}

impl Root<'_> {
    fn rank_by_dtz(&self, mv: Move) -> Result<RankedMove, ProbeError> {
        let (category, plies) = self.assess(mv)?;
        let category = match plies {
            1.. if !self.fifty_move_rule => Category::Win,
            ..=-1 if !self.fifty_move_rule => Category::Loss,
            _ => category,
        };
        let clock = if self.fifty_move_rule { self.game.position().halfmove_clock() } else { 0 };
        let (rank, outcome) = rank_and_outcome(category, plies, clock, self.has_repetition());
        Ok(RankedMove { mv, rank, outcome })
    }

    /// The outcome of a move for its mover, and the distance to zeroing before the move.
    fn assess(&self, mv: Move) -> Result<(Category, i32), ProbeError> {
        let position = self.game.position();
        let after = position.after(mv);
        if !after.has_moves() {
            return Ok(if after.in_check() { (Category::Win, 1) } else { (Category::Draw, 0) });
        }
        if after.halfmove_clock() == 0 {
            let dtz = dtz_before_zeroing(-self.tables.probe_wdl(&after)?);
            return Ok((Category::from_dtz(dtz, 0), dtz.plies));
        }
        if self.is_claimable_repetition(&after) {
            return Ok((Category::Draw, 0));
        }
        let dtz = self.tables.probe_dtz(&after)?;
        Ok((-Category::from_dtz(dtz, after.halfmove_clock()), (-dtz).add_plies(1).plies))
    }

    fn rank_by_wdl(&self, mv: Move) -> Result<RankedMove, ProbeError> {
        let after = self.game.position().after(mv);
        let wdl = match (after.has_moves(), after.in_check()) {
            (false, true) => Wdl::Win,
            (false, false) => Wdl::Draw,
            _ if self.is_claimable_repetition(&after) => Wdl::Draw,
            _ => -self.tables.probe_wdl(&after)?,
        };
        let outcome = match wdl {
            Wdl::Win => RootOutcome::Win,
            Wdl::CursedWin if !self.fifty_move_rule => RootOutcome::Win,
            Wdl::CursedWin => RootOutcome::CursedWin,
            Wdl::Draw => RootOutcome::Draw,
            Wdl::BlessedLoss if self.fifty_move_rule => RootOutcome::BlessedLoss,
            Wdl::BlessedLoss | Wdl::Loss => RootOutcome::Loss,
        };
        Ok(RankedMove { mv, rank: outcome as i32 * RANK_STEP, outcome })
    }

    fn has_history(&self) -> bool {
        !self.counts.is_empty()
    }

    /// Whether a position of the game has occurred twice since the last irreversible move.
    fn has_repetition(&self) -> bool {
        let current = self.game.position().key();
        self.counts.iter().any(|&(key, count)| count >= 2 || key == current)
    }

    /// Whether the position after a move occurs for the third time, so that the opponent may claim
    /// a draw.
    fn is_claimable_repetition(&self, after: &Position) -> bool {
        self.counts.iter().any(|&(key, count)| key == after.key() && count >= 2)
    }
}

/// The rank of a move, and its outcome. `plies` is the distance before the move, and `clock` the
/// half-move clock there.
fn rank_and_outcome(
    category: Category,
    plies: i32,
    clock: u16,
    must_progress: bool,
) -> (i32, RootOutcome) {
    match category {
        Category::Win if must_progress => (3 * RANK_STEP - plies, RootOutcome::Win),
        Category::Win => (3 * RANK_STEP, RootOutcome::Win),
        Category::SyzygyWin => (2 * RANK_STEP - plies, RootOutcome::Win),
        Category::CursedWin => (RANK_STEP - plies, RootOutcome::CursedWin),
        Category::Draw | Category::Unknown => (0, RootOutcome::Draw),
        // The loser goes the longest way: the 50-move rule may save it.
        Category::BlessedLoss => (-RANK_STEP - plies, RootOutcome::BlessedLoss),
        Category::SyzygyLoss => (-2 * RANK_STEP - plies, RootOutcome::Loss),
        // Near the limit the longest way, else the search chooses the best resistance.
        Category::Loss if -2 * plies + i32::from(clock) >= i32::from(FIFTY_MOVES) => {
            (-3 * RANK_STEP - plies, RootOutcome::Loss)
        }
        Category::Loss => (-3 * RANK_STEP, RootOutcome::Loss),
    }
}

/// The distance before a zeroing move that has an outcome.
const fn dtz_before_zeroing(wdl: Wdl) -> Dtz {
    let plies = match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    };
    Dtz { plies, rounded: false }
}
