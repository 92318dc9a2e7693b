//! The evaluation of boards outside a search.

use super::architecture::{HIDDEN, LAYERED_HIDDEN, Row, output_bucket};
use super::feature_layer::FeatureLayer;
use super::layered::LayeredNetwork;
use super::network::{Network, NetworkForm};
use super::perspective::Perspective;
use super::refresh_cache::{CachedAccumulator, PieceBitboards};
use super::simd::{Kernels, RowKernels};
use super::single_layer::SingleLayerNetwork;
use crate::chess::{Color, Piece, Position, Role, Square};

/// An evaluator of boards, which need not be legal. It computes only the differences from the last
/// board. Boards that resemble it are therefore cheap: those of a game, or one board without each
/// of its pieces.
///
/// A search uses [`AccumulatorStack`](super::AccumulatorStack) instead.
pub struct BoardEvaluator<'a> {
    network: &'a Network,
    kernels: &'static Kernels,
    form: BoardForm<'a>,
}

/// The layers of the network, with the accumulators that belong to them.
enum BoardForm<'a> {
    SingleLayer(&'a SingleLayerNetwork, LastBoards<HIDDEN>),
    Layered(&'a LayeredNetwork, LastBoards<LAYERED_HIDDEN>),
}

/// The last board of each player's perspective.
struct LastBoards<const NEURONS: usize>([Option<LastBoard<NEURONS>>; 2]);

type LastBoard<const NEURONS: usize> = (Perspective, Box<CachedAccumulator<NEURONS>>);

impl BoardEvaluator<'_> {
    /// An evaluator without a last board.
    pub fn new(network: &Network) -> BoardEvaluator<'_> {
        let form = match network.form() {
            NetworkForm::SingleLayer(layers) => BoardForm::SingleLayer(layers, LastBoards::NONE),
            NetworkForm::Layered(layers) => BoardForm::Layered(layers, LastBoards::NONE),
        };
        BoardEvaluator { network, kernels: Kernels::best(), form }
    }

    /// The evaluation of a position in raw centipawns, from the view of the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_board(&PieceBitboards::from_position(position), position.turn())
    }

    /// The raw centipawns of a board from White's view, with `turn` to move.
    pub(super) fn evaluate_for_white(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let value = self.evaluate_board(boards, turn);
        if turn.is_white() { value } else { value.saturating_neg() }
    }

    /// The raw centipawns of a board from the view of `turn`, the side to move.
    fn evaluate_board(&mut self, boards: &PieceBitboards, turn: Color) -> i32 {
        let views = [turn, !turn].map(|color| {
            let king = boards.squares(Piece::new(color, Role::King)).first().unwrap_or(Square::A1);
            (color, self.network.perspectives().get(color, king))
        });
        let bucket = output_bucket(boards.count());
        let kernels = self.kernels;
        match &mut self.form {
            BoardForm::SingleLayer(layers, last) => {
                let [own, other] = views.map(|view| {
                    last.accumulator(layers.features(), &kernels.single_layer, view, boards)
                });
                layers.evaluate(kernels, [&own, &other], bucket, 100)
            }
            BoardForm::Layered(layers, last) => {
                let [own, other] = views.map(|view| {
                    last.accumulator(layers.features(), &kernels.layered, view, boards)
                });
                layers.evaluate(kernels, [&own, &other], bucket, 100)
            }
        }
    }
}

impl<const NEURONS: usize> LastBoards<NEURONS> {
    const NONE: LastBoards<NEURONS> = LastBoards([None, None]);

    /// The accumulator of a board in a perspective of a player.
    fn accumulator(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        kernels: &RowKernels<NEURONS>,
        (color, perspective): (Color, Perspective),
        boards: &PieceBitboards,
    ) -> Row<NEURONS> {
        let last = &mut self.0[color as usize];
        let cached = match last {
            Some((last_perspective, cached)) if *last_perspective == perspective => cached,
            _ => &mut last.insert((perspective, Box::new(CachedAccumulator::empty(features)))).1,
        };
        let mut accumulator = Row::ZERO;
        cached.refresh(features, kernels, (color, perspective), boards, &mut accumulator);
        accumulator
    }
}
