//! The outcome of a position with its half-move clock, under the names of lila-tablebase.

use std::ops::Neg;

use super::values::Dtz;

/// The half-move clock at which the 50-move rule makes a draw.
pub(super) const FIFTY_MOVES: u16 = 100;

/// The outcome of a position for the side to move, from its worst to its best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A loss.
    Loss,
    /// No table says.
    Unknown,
    /// A loss or a draw by the 50-move rule: the rounded distance does not decide.
    SyzygyLoss,
    /// A loss that the 50-move rule turns into a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the 50-move rule turns into a draw.
    CursedWin,
    /// A win or a draw by the 50-move rule: the rounded distance does not decide.
    SyzygyWin,
    /// A win.
    Win,
}

impl Category {
    /// All outcomes, from the side to move's worst to its best.
    pub const ALL: [Category; 8] = [
        Category::Loss,
        Category::Unknown,
        Category::SyzygyLoss,
        Category::BlessedLoss,
        Category::Draw,
        Category::CursedWin,
        Category::SyzygyWin,
        Category::Win,
    ];

    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Loss => "loss",
            Category::Unknown => "unknown",
            Category::SyzygyLoss => "syzygy-loss",
            Category::BlessedLoss => "blessed-loss",
            Category::Draw => "draw",
            Category::CursedWin => "cursed-win",
            Category::SyzygyWin => "syzygy-win",
            Category::Win => "win",
        }
    }

    /// Whether the side to move has the better side of the outcome.
    pub const fn is_positive(self) -> bool {
        matches!(self, Category::CursedWin | Category::SyzygyWin | Category::Win)
    }

    /// Whether the outcome is a draw under the 50-move rule.
    pub const fn is_draw(self) -> bool {
        matches!(self, Category::BlessedLoss | Category::Draw | Category::CursedWin)
    }

    /// The outcome at a distance, with the half-move clock of the position, where the clock does
    /// not end the game before the position is reached.
    ///
    /// Right after a capture or pawn move a rounded distance decides, because tables are rounded
    /// only where this is so.
    pub(super) const fn from_dtz(dtz: Dtz, halfmove_clock: u16) -> Category {
        let Dtz { plies, rounded } = dtz.add_plies(halfmove_clock);
        match plies {
            100 if rounded && halfmove_clock > 0 => Category::SyzygyWin,
            -100 if rounded && halfmove_clock > 0 => Category::SyzygyLoss,
            101.. => Category::CursedWin,
            1..=100 => Category::Win,
            0 => Category::Draw,
            -100..=-1 => Category::Loss,
            ..=-101 => Category::BlessedLoss,
        }
    }

    /// The outcome at a distance. `clock_before` is the half-move clock before the move that led to
    /// the position: at 100 the game was drawn already.
    pub(super) const fn from_dtz_after(
        dtz: Dtz,
        halfmove_clock: u16,
        clock_before: u16,
    ) -> Category {
        if clock_before < FIFTY_MOVES || dtz.plies == 0 {
            return Category::from_dtz(dtz, halfmove_clock);
        }
        if dtz.plies < 0 { Category::BlessedLoss } else { Category::CursedWin }
    }

    /// The outcome of a checkmated side.
    pub(super) const fn of_checkmate(clock_before: u16) -> Category {
        if clock_before < FIFTY_MOVES { Category::Loss } else { Category::BlessedLoss }
    }
}

impl Neg for Category {
    type Output = Category;

    /// The outcome for the other side.
    fn neg(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::Unknown => Category::Unknown,
            Category::SyzygyLoss => Category::SyzygyWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::SyzygyWin => Category::SyzygyLoss,
            Category::Win => Category::Loss,
        }
    }
}
