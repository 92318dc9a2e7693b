//! How likely a score wins, draws and loses.
//!
//! The side to move wins with the chance 1 / (1 + e^((a − x) / b)) at a score of x, and loses with
//! that of −x; what is left is the draw. So a is the score that wins every second game, and b says
//! how gradually more wins more. Both depend on how much is left on the board: cubic polynomials of
//! the material. Chess Programming Wiki, "Pawn Advantage, Win Percentage, and Elo"; the form with a
//! draw between two logistic curves, and the dependence on material, are those of Stockfish's
//! `WDL_model`.

use viriformat::chess::board::Board;
use viriformat::chess::piece::PieceType;

use crate::sample::GameResult;

/// Coefficients of a polynomial, constant term first.
pub const TERMS: usize = 4;

/// The material of the start position, both sides together.
pub const FULL: u8 = 78;

/// Win, draw and loss as functions of score and material.
#[derive(Clone, Debug, PartialEq)]
pub struct WdlModel {
    /// Less material than this counts as this.
    pub least_material: u8,
    /// a: the score, in linear centipawns, that wins half of the games; a polynomial in material /
    /// [`FULL`].
    pub half: [f64; TERMS],
    /// b: how gradually a higher score wins more, in linear centipawns; a polynomial in material /
    /// [`FULL`].
    pub spread: [f64; TERMS],
}

/// The chances of the side to move; their sum is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// To win.
    pub win: f64,
    /// To draw.
    pub draw: f64,
    /// To lose.
    pub loss: f64,
}

/// The model at a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlCurve {
    /// The score that wins half of the games.
    pub half: f64,
    /// How gradually a higher score wins more.
    pub spread: f64,
}

impl WdlModel {
    /// The same two numbers whatever the material.
    #[must_use]
    pub fn constant(least_material: u8, half: f64, spread: f64) -> Self {
        Self { least_material, half: [half, 0.0, 0.0, 0.0], spread: [spread, 0.0, 0.0, 0.0] }
    }

    /// The model at a material.
    #[must_use]
    pub fn at(&self, material: u8) -> WdlCurve {
        let powers = self.powers(material);
        let value =
            |terms: &[f64; TERMS]| terms.iter().zip(powers).map(|(term, power)| term * power).sum();
        WdlCurve { half: value(&self.half), spread: value(&self.spread) }
    }

    /// What the coefficients are multiplied with at a material.
    #[must_use]
    pub fn powers(&self, material: u8) -> [f64; TERMS] {
        let share = f64::from(material.clamp(self.least_material, FULL)) / f64::from(FULL);
        [1.0, share, share * share, share * share * share]
    }

    /// `true` when both curves mean something at every material: a higher score wins more, and an
    /// even one does not win half.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        (self.least_material..=FULL)
            .map(|material| self.at(material))
            .all(|curve| curve.half >= 1.0 && curve.spread >= 1.0)
    }
}

impl WdlCurve {
    /// The chances at a score in linear centipawns, of the side that has it.
    #[must_use]
    pub fn chances(&self, score: f64) -> Chances {
        let win = logistic((score - self.half) / self.spread);
        let loss = logistic((-score - self.half) / self.spread);
        // 1 − win − loss, without the rounding error where there is hardly a draw left.
        let draw = logistic((self.half - score) / self.spread)
            * logistic((self.half + score) / self.spread)
            * -(-2.0 * self.half / self.spread).exp_m1();
        Chances { win, draw, loss }
    }
}

impl Chances {
    /// The chance of a result; `None` of one that nobody knows.
    #[must_use]
    pub fn of(&self, result: GameResult) -> Option<f64> {
        match result {
            GameResult::Win => Some(self.win),
            GameResult::Draw => Some(self.draw),
            GameResult::Loss => Some(self.loss),
            GameResult::Unknown => None,
        }
    }
}

/// What stands on the board, both sides together: a pawn counts 1, a knight and a bishop 3, a rook
/// 5, a queen 9. At most
/// [`FULL`], however many pawns have promoted.
#[must_use]
pub fn material(board: &Board) -> u8 {
    let values = [
        (PieceType::Pawn, 1),
        (PieceType::Knight, 3),
        (PieceType::Bishop, 3),
        (PieceType::Rook, 5),
        (PieceType::Queen, 9),
    ];
    let sum: u32 =
        values.iter().map(|(kind, value)| value * board.pieces.of_type(*kind).count()).sum();
    sum.min(u32::from(FULL)) as u8
}

/// 1 / (1 + e⁻ˣ).
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
