//! The results of probes: outcomes of five values, and distances to zeroing (DTZ).

use std::ops::Neg;

/// The outcome of a position right after a capture or pawn move, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
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

impl Neg for Wdl {
    type Output = Wdl;

    /// The outcome for the other side.
    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// The distance to zeroing: the number of plies to the capture, pawn move or checkmate that keeps
/// the outcome. Positive when the side to move wins, negative when it loses, 0 in a draw. Beyond
/// ±100 the 50-move rule turns the outcome into a draw, even with a half-move clock of 0.
///
/// Many tables store the distance in moves. Such a value is rounded: the true one may be a ply
/// farther from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtz {
    /// The distance in plies with its sign.
    pub plies: i32,
    /// Whether the distance is rounded.
    pub rounded: bool,
}

impl Dtz {
    /// The distance, unless it is rounded.
    pub const fn precise(self) -> Option<i32> {
        if self.rounded { None } else { Some(self.plies) }
    }

    /// The same distance, `plies` farther from zeroing. A draw stays a draw.
    pub const fn add_plies(self, plies: u16) -> Dtz {
        Dtz { plies: self.plies + self.plies.signum() * plies as i32, ..self }
    }
}

impl Neg for Dtz {
    type Output = Dtz;

    /// The same distance for the other side.
    fn neg(self) -> Dtz {
        Dtz { plies: -self.plies, ..self }
    }
}
