//! All that the tables say about a position and its moves, in the order and with the outcomes of
//! lila-tablebase.

use std::cmp::Reverse;

use super::category::Category;
use super::error::ProbeError;
use super::tables::Tablebase;
use super::values::Dtz;
use crate::chess::{Move, Position, Role, is_dead_position};

/// A position and its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The position.
    pub position: PositionEntry,
    /// Why the position itself has no distance; `None` if it has one.
    pub unavailable: Option<ProbeError>,
    /// All legal moves, best first.
    pub moves: Vec<MoveEntry>,
}

/// What is known of a position, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionEntry {
    /// The outcome.
    pub category: Category,
    /// The distance to zeroing; `None` without a table.
    pub dtz: Option<Dtz>,
    /// Whether the side to move is checkmated.
    pub checkmate: bool,
    /// Whether the side to move is stalemated.
    pub stalemate: bool,
    /// Whether no side can mate.
    pub insufficient_material: bool,
}

/// A move, with the position after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveEntry {
    /// The move.
    pub mv: Move,
    /// Whether the move is a capture or pawn move.
    pub zeroing: bool,
    /// Whether the move is a capture or promotion.
    pub conversion: bool,
    /// The position after the move, from the opponent's view.
    pub after: PositionEntry,
    captured: Option<Role>,
}

impl Tablebase {
    /// Looks up a position and all its moves.
    ///
    /// A position without a table has [`Category::Unknown`], unless its moves decide.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Read`] if a file cannot be read or is damaged.
    pub fn lookup(&self, position: &Position) -> Result<Lookup, ProbeError> {
        let clock = position.halfmove_clock();
        let (mut root, unavailable) = self.position_entry(position, clock.saturating_sub(1))?;
        let mut moves = Vec::new();
        for &mv in position.legal_moves().as_slice() {
            let (after, _) = self.position_entry(&position.after(mv), clock)?;
            moves.push(MoveEntry::new(position, mv, after));
        }
        moves.sort_by_key(MoveEntry::order);
        decide_rounded(root.category, &mut moves);
        if let Some(best) = moves.first() {
            root.category = -best.after.category;
        }
        Ok(Lookup { position: root, unavailable, moves })
    }

    /// The entry of a position. `clock_before` is the half-move clock before its last move.
    fn position_entry(
        &self,
        position: &Position,
        clock_before: u16,
    ) -> Result<(PositionEntry, Option<ProbeError>), ProbeError> {
        let (dtz, unavailable) = match self.probe_dtz(position) {
            Ok(dtz) => (Some(dtz), None),
            Err(error @ ProbeError::Read(_)) => return Err(error),
            Err(error) => (None, Some(error)),
        };
        let is_over = !position.has_moves();
        let checkmate = is_over && position.in_check();
        let stalemate = is_over && !checkmate;
        let insufficient_material = is_dead_position(position);
        let category = if stalemate || insufficient_material {
            Category::Draw
        } else if checkmate {
            Category::of_checkmate(clock_before)
        } else {
            dtz.map_or(Category::Unknown, |dtz| {
                Category::from_dtz_after(dtz, position.halfmove_clock(), clock_before)
            })
        };
        let entry = PositionEntry { category, dtz, checkmate, stalemate, insufficient_material };
        Ok((entry, unavailable))
    }
}

impl MoveEntry {
    fn new(position: &Position, mv: Move, after: PositionEntry) -> MoveEntry {
        let is_pawn_move = position.role_at(mv.from()) == Some(Role::Pawn);
        MoveEntry {
            mv,
            zeroing: mv.is_capture() || is_pawn_move,
            conversion: mv.is_capture() || mv.is_promotion(),
            after,
            captured: position.victim(mv),
        }
    }

    /// The key by which moves are sorted: best first, and the shortest way to win, or the longest
    /// way to lose. The code of the move decides where lila-tablebase leaves the order open.
    fn order(&self) -> impl Ord + use<> {
        let PositionEntry { category, dtz, checkmate, stalemate, insufficient_material } =
            self.after;
        let is_last = |advances: bool| advances == category.is_positive();
        (
            category,
            Reverse((checkmate, stalemate, insufficient_material)),
            is_last(self.conversion),
            is_last(self.zeroing),
            dtz.map(|dtz| Reverse(dtz.plies)),
            (Reverse(self.captured), Reverse(self.mv.promotion())),
            self.mv.code(),
        )
    }
}

/// Decides the outcomes of the best moves that rounding leaves open, by the outcome of the position
/// before them.
fn decide_rounded(root: Category, moves: &mut [MoveEntry]) {
    let (open, decided) = match root {
        Category::Win => (Category::SyzygyLoss, Category::Loss),
        Category::CursedWin => (Category::SyzygyLoss, Category::BlessedLoss),
        Category::BlessedLoss => (Category::SyzygyWin, Category::CursedWin),
        Category::Loss => (Category::SyzygyWin, Category::Win),
        _ => return,
    };
    for entry in moves.iter_mut().take_while(|entry| entry.after.category == open) {
        entry.after.category = decided;
    }
}
