//! The contribution of each piece to an evaluation.

use super::architecture::{HIDDEN, LAYERED_HIDDEN, Row, output_bucket};
use super::feature_layer::FeatureLayer;
use super::layered::LayeredNetwork;
use super::network::{Network, NetworkForm};
use super::perspective::Perspective;
use super::refresh_cache::{PieceBitboards, RefreshCache};
use super::simd::{Kernels, RowKernels};
use super::single_layer::SingleLayerNetwork;
use crate::chess::{Color, Piece, Position, Role, Square};

/// A position's evaluation and the contribution of each piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceContributions {
    /// The evaluation in raw centipawns from White's view.
    pub white_value: i32,
    /// The output bucket; bucket 0 has the fewest pieces.
    pub bucket: usize,
    /// For each square the evaluation with its piece minus the evaluation without it, in raw
    /// centipawns from White's view. `None` for empty squares, and for kings, without which a
    /// position has no evaluation.
    pub pieces: [Option<i32>; 64],
}

impl Network {
    /// The evaluation of a position in raw centipawns, from the view of the side to move. A search
    /// uses [`AccumulatorStack`](super::AccumulatorStack) instead, which updates incrementally.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let turn = position.turn();
        BoardEvaluator::new(self).evaluate(&PieceBitboards::from_position(position), turn)
    }

    /// Evaluates a position with and without each of its pieces (after Stockfish's `eval` command).
    pub fn contributions(&self, position: &Position) -> PieceContributions {
        let mut evaluator = BoardEvaluator::new(self);
        let (boards, turn) = (PieceBitboards::from_position(position), position.turn());
        let white_value = evaluator.evaluate_for_white(&boards, turn);
        let mut pieces = [None; 64];
        for square in position.occupied().without(position.by_role(Role::King)) {
            pieces[square.index()] =
                Some(white_value - evaluator.evaluate_for_white(&boards.without(square), turn));
        }
        PieceContributions { white_value, bucket: output_bucket(boards.count()), pieces }
    }
}

/// An evaluator of single boards, which need not be legal.
struct BoardEvaluator<'a> {
    network: &'a Network,
    kernels: &'static Kernels,
    form: BoardForm<'a>,
}

/// The layers of the network, with the refresh cache that belongs to them.
enum BoardForm<'a> {
    SingleLayer(&'a SingleLayerNetwork, RefreshCache<HIDDEN>),
    Layered(&'a LayeredNetwork, RefreshCache<LAYERED_HIDDEN>),
}

impl BoardEvaluator<'_> {
    fn new(network: &Network) -> BoardEvaluator<'_> {
        let form = match network.form() {
            NetworkForm::SingleLayer(layers) => {
                BoardForm::SingleLayer(layers, RefreshCache::new(layers.features()))
            }
            NetworkForm::Layered(layers) => {
                BoardForm::Layered(layers, RefreshCache::new(layers.features()))
            }
        };
        BoardEvaluator { network, kernels: Kernels::best(), form }
    }

    /// The raw centipawns of a board from White's view, with `turn` to move.
    fn evaluate_for_white(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let value = self.evaluate(boards, turn);
        if turn.is_white() { value } else { value.saturating_neg() }
    }

    /// The raw centipawns of a board from the view of `turn`, the side to move.
    fn evaluate(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let views = [turn, !turn].map(|color| {
            let king = boards.squares(Piece::new(color, Role::King)).first().unwrap_or(Square::A1);
            (color, self.network.perspectives().get(color, king))
        });
        let bucket = output_bucket(boards.count());
        let kernels = self.kernels;
        match &mut self.form {
            BoardForm::SingleLayer(layers, cache) => {
                let [own, other] =
                    accumulators(layers.features(), &kernels.single_layer, cache, views, boards);
                layers.evaluate(kernels, [&own, &other], bucket, 100)
            }
            BoardForm::Layered(layers, cache) => {
                let [own, other] =
                    accumulators(layers.features(), &kernels.layered, cache, views, boards);
                layers.evaluate(kernels, [&own, &other], bucket, 100)
            }
        }
    }
}

/// The accumulators of a board in the perspectives of both players.
fn accumulators<const NEURONS: usize>(
    features: &FeatureLayer<NEURONS>,
    kernels: &RowKernels<NEURONS>,
    cache: &mut RefreshCache<NEURONS>,
    views: [(Color, Perspective); 2],
    boards: &PieceBitboards,
) -> [Row<NEURONS>; 2] {
    views.map(|view| {
        let mut accumulator = Row::ZERO;
        cache.refresh(features, kernels, view, boards, &mut accumulator);
        accumulator
    })
}
