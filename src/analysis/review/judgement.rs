//! How a move is judged.

use super::win_chance::{PovScore, WinChance};
use crate::chess::pgn;

/// What a move is called that lost much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// It lost a little.
    Inaccuracy,
    /// It lost much.
    Mistake,
    /// It lost very much.
    Blunder,
}

/// The least win chance in percent that a move so judged has lost. Lichess states them on a scale
/// from −1 to 1, as 0.1, 0.2 and 0.3.
const THRESHOLDS: [(f64, Judgement); 3] =
    [(15.0, Judgement::Blunder), (10.0, Judgement::Mistake), (5.0, Judgement::Inaccuracy)];

impl Judgement {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }

    /// The numeric annotation glyph in PGN.
    pub const fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => pgn::INACCURACY,
            Judgement::Mistake => pgn::MISTAKE,
            Judgement::Blunder => pgn::BLUNDER,
        }
    }

    /// Judges a move by the mover's outlook before and after it, as Lichess does: by the win chance
    /// that it lost; where it lost a mate or walked into one, by how clear the game is all the
    /// same.
    pub(super) fn of(before: PovScore, after: PovScore) -> Option<Judgement> {
        match (before, after) {
            (PovScore::Cp(_), PovScore::Cp(_)) => {
                let loss = WinChance::of_pov(before).percent() - WinChance::of_pov(after).percent();
                THRESHOLDS.iter().find(|(least, _)| loss >= *least).map(|&(_, judgement)| judgement)
            }
            (PovScore::Cp(before), PovScore::Mated) => {
                Some(Judgement::of_mate_change(before.saturating_neg()))
            }
            (PovScore::Mating, PovScore::Cp(after)) => Some(Judgement::of_mate_change(after)),
            (PovScore::Mating, PovScore::Mated) => Some(Judgement::Blunder),
            (PovScore::Mated, _) | (_, PovScore::Mating) => None,
        }
    }

    /// Judges the change between a mate and so many centipawns to the side that mates.
    const fn of_mate_change(centipawns: i32) -> Judgement {
        match centipawns {
            1000.. => Judgement::Inaccuracy,
            701.. => Judgement::Mistake,
            _ => Judgement::Blunder,
        }
    }
}
