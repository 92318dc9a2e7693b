//! The model of win, draw and loss probabilities by score and material.
//!
//! At a score of x the side to move wins with probability 1 / (1 + e^((a − x) / b)). It loses with
//! the probability of winning at −x, and draws otherwise. So a is the score that wins half of the
//! games, and b is the spread of the curve. Both are cubic polynomials of the material. See Chess
//! Programming Wiki, "Pawn Advantage, Win Percentage, and Elo". The draw between two logistic
//! curves and the dependence on material are those of Stockfish's `WDL_model`.

use viriformat::chess::board::Board;
use viriformat::chess::piece::PieceType;

use crate::sample::GameResult;

/// Coefficients of a polynomial, constant term first.
pub const TERMS: usize = 4;

/// The material of both sides in the start position.
pub const FULL_MATERIAL: u8 = 78;

/// Win, draw and loss as functions of score and material.
#[derive(Clone, Debug, PartialEq)]
pub struct WdlModel {
    /// The lower bound of the material; positions with less count as this.
    pub least_material: u8,
    /// a: the score, in linear centipawns, that wins half of the games; a polynomial in material /
    /// [`FULL_MATERIAL`].
    pub half: [f64; TERMS],
    /// b: the spread of the curve, in linear centipawns; a polynomial in material /
    /// [`FULL_MATERIAL`].
    pub spread: [f64; TERMS],
}

/// The probabilities of the side to move; their sum is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// The probability to win.
    pub win: f64,
    /// The probability to draw.
    pub draw: f64,
    /// The probability to lose.
    pub loss: f64,
}

/// The model at a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlCurve {
    /// The score that wins half of the games.
    pub half: f64,
    /// The spread of the curve.
    pub spread: f64,
}

impl WdlModel {
    /// A model with the same two numbers at every material.
    #[must_use]
    pub fn constant(least_material: u8, half: f64, spread: f64) -> Self {
        Self { least_material, half: [half, 0.0, 0.0, 0.0], spread: [spread, 0.0, 0.0, 0.0] }
    }

    /// The curve at a material.
    #[must_use]
    pub fn at(&self, material: u8) -> WdlCurve {
        let powers = self.powers(material);
        let value =
            |terms: &[f64; TERMS]| terms.iter().zip(powers).map(|(term, power)| term * power).sum();
        WdlCurve { half: value(&self.half), spread: value(&self.spread) }
    }

    /// The powers of the material that the coefficients are multiplied with.
    #[must_use]
    pub fn powers(&self, material: u8) -> [f64; TERMS] {
        let share = f64::from(material.clamp(self.least_material, FULL_MATERIAL))
            / f64::from(FULL_MATERIAL);
        [1.0, share, share * share, share * share * share]
    }

    /// Whether both polynomials are valid at every material: a higher score wins more, and an even
    /// score wins less than half.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        (self.least_material..=FULL_MATERIAL)
            .map(|material| self.at(material))
            .all(|curve| curve.half >= 1.0 && curve.spread >= 1.0)
    }
}

impl WdlCurve {
    /// The probabilities of the side with this score, in linear centipawns.
    #[must_use]
    pub fn chances(&self, score: f64) -> Chances {
        let win = logistic((score - self.half) / self.spread);
        let loss = logistic((-score - self.half) / self.spread);
        // 1 − win − loss, without the rounding error where the draw is nearly zero.
        let draw = logistic((self.half - score) / self.spread)
            * logistic((self.half + score) / self.spread)
            * -(-2.0 * self.half / self.spread).exp_m1();
        Chances { win, draw, loss }
    }
}

impl Chances {
    /// The probability of a result; `None` if the result is unknown.
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

/// The material of both sides: pawn 1, knight 3, bishop 3, rook 5, queen 9. It is at most
/// [`FULL_MATERIAL`], also after promotions.
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
    sum.min(u32::from(FULL_MATERIAL)) as u8
}

/// 1 / (1 + e⁻ˣ).
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
