//! The refresh cache: the last accumulator of each perspective, with its board.
//!
//! A king move that changes the perspective changes every feature. For each perspective the cache
//! keeps the last accumulator with its board, so that only the differences from that board are
//! added and subtracted (the "Finny tables" of Koivisto; Chess Programming Wiki, "NNUE",
//! accumulator refresh cache).

use super::architecture::{KING_BUCKETS, Row};
use super::feature_layer::FeatureLayer;
use super::perspective::Perspective;
use super::simd::RowKernels;
use crate::chess::{Bitboard, Color, Piece, Position, Role, Square};

/// The largest number of pieces on a board.
const MAX_PIECES: usize = 32;

/// For each perspective of each player, the last board and its accumulator.
pub(super) struct RefreshCache<const NEURONS: usize> {
    entries: [Vec<CachedAccumulator<NEURONS>>; 2],
}

/// A board and its accumulator in one perspective.
#[derive(Clone)]
pub(super) struct CachedAccumulator<const NEURONS: usize> {
    accumulator: Row<NEURONS>,
    boards: PieceBitboards,
}

impl<const NEURONS: usize> RefreshCache<NEURONS> {
    pub(super) fn new(features: &FeatureLayer<NEURONS>) -> RefreshCache<NEURONS> {
        let empty = CachedAccumulator::empty(features);
        RefreshCache { entries: [(); 2].map(|()| vec![empty.clone(); 2 * KING_BUCKETS]) }
    }

    /// Computes the accumulator of a board in a perspective of a player.
    pub(super) fn refresh(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        kernels: &RowKernels<NEURONS>,
        (color, perspective): (Color, Perspective),
        boards: &PieceBitboards,
        accumulator: &mut Row<NEURONS>,
    ) {
        let entry = &mut self.entries[color as usize][perspective.cache_index()];
        entry.refresh(features, kernels, (color, perspective), boards, accumulator);
    }
}

impl<const NEURONS: usize> CachedAccumulator<NEURONS> {
    /// The board without pieces.
    pub(super) fn empty(features: &FeatureLayer<NEURONS>) -> CachedAccumulator<NEURONS> {
        CachedAccumulator { accumulator: *features.biases(), boards: PieceBitboards::EMPTY }
    }

    /// Replaces the board by another one and computes its accumulator, also into `accumulator`. The
    /// perspective must be the same each time.
    pub(super) fn refresh(
        &mut self,
        features: &FeatureLayer<NEURONS>,
        kernels: &RowKernels<NEURONS>,
        (color, perspective): (Color, Perspective),
        boards: &PieceBitboards,
        accumulator: &mut Row<NEURONS>,
    ) {
        let mut added = [features.biases(); MAX_PIECES];
        let mut removed = [features.biases(); MAX_PIECES];
        let (mut added_slots, mut removed_slots) = (added.iter_mut(), removed.iter_mut());
        for piece in Piece::ALL {
            let (before, now) = (self.boards.squares(piece), boards.squares(piece));
            let rows = |squares| {
                Iterator::map(squares, |square| {
                    features.weights(perspective.feature_index(color, piece, square))
                })
            };
            rows(now.without(before)).zip(&mut added_slots).for_each(|(row, slot)| *slot = row);
            rows(before.without(now)).zip(&mut removed_slots).for_each(|(row, slot)| *slot = row);
        }
        let (added_count, removed_count) =
            (MAX_PIECES - added_slots.len(), MAX_PIECES - removed_slots.len());
        kernels.refresh(
            &mut self.accumulator,
            accumulator,
            &added[..added_count],
            &removed[..removed_count],
        );
        self.boards = *boards;
    }
}

/// The pieces of a board as bitboards, without the other state of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceBitboards {
    colors: [Bitboard; 2],
    roles: [Bitboard; 6],
}

impl PieceBitboards {
    pub(super) const EMPTY: PieceBitboards =
        PieceBitboards { colors: [Bitboard::EMPTY; 2], roles: [Bitboard::EMPTY; 6] };

    pub(super) fn from_position(position: &Position) -> PieceBitboards {
        PieceBitboards {
            colors: Color::ALL.map(|color| position.by_color(color)),
            roles: Role::ALL.map(|role| position.by_role(role)),
        }
    }

    /// The squares of a piece.
    #[inline]
    pub(super) fn squares(&self, piece: Piece) -> Bitboard {
        self.colors[piece.color() as usize] & self.roles[piece.role() as usize]
    }

    /// The number of pieces.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        (self.colors[0] | self.colors[1]).count()
    }

    /// The same board without the piece on a square.
    pub(super) fn without(mut self, square: Square) -> PieceBitboards {
        for set in self.colors.iter_mut().chain(&mut self.roles) {
            *set = set.without(square.bitboard());
        }
        self
    }
}
