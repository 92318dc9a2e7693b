//! Sums anew, but not from nothing: the refresh cache.
//!
//! When a king walks into another view all its inputs change. For each view of each player the last
//! sums and the board they belong to are kept, and only what differs from that board is added and
//! subtracted (the "Finny tables" of Koivisto; Chess Programming Wiki, "NNUE", accumulator refresh
//! cache).

use super::architecture::KING_BUCKETS;
use super::network::Network;
use super::piece_bitboards::PieceBitboards;
use super::row::Row;
use super::simd::Kernels;
use crate::chess::{Color, Piece, Square};

/// No board has more pieces.
const MAX_PIECES: usize = 32;

/// For each view of each player the last board seen and its sums.
pub(super) struct RefreshCache {
    entries: [Vec<CachedAccumulator>; 2],
}

#[derive(Clone)]
struct CachedAccumulator {
    accumulator: Row,
    boards: PieceBitboards,
}

impl RefreshCache {
    pub(super) fn new(network: &Network) -> RefreshCache {
        let empty =
            CachedAccumulator { accumulator: *network.biases(), boards: PieceBitboards::EMPTY };
        RefreshCache { entries: [(); 2].map(|()| vec![empty.clone(); 2 * KING_BUCKETS]) }
    }

    /// Writes the sums of a board in the view of the player whose king stands on `king`.
    pub(super) fn refresh(
        &mut self,
        network: &Network,
        kernels: &Kernels,
        color: Color,
        king: Square,
        boards: &PieceBitboards,
        accumulator: &mut Row,
    ) {
        let perspective = network.perspective(color, king);
        let entry = &mut self.entries[color as usize][perspective.cache_index()];
        let mut added = [network.biases(); MAX_PIECES];
        let mut removed = [network.biases(); MAX_PIECES];
        let (mut added_slots, mut removed_slots) = (added.iter_mut(), removed.iter_mut());
        for piece in Piece::ALL {
            let (before, now) = (entry.boards.squares(piece), boards.squares(piece));
            let rows = |squares| {
                Iterator::map(squares, |square| {
                    network.feature_weights(perspective.feature_index(color, piece, square))
                })
            };
            rows(now.without(before)).zip(&mut added_slots).for_each(|(row, place)| *place = row);
            rows(before.without(now)).zip(&mut removed_slots).for_each(|(row, place)| *place = row);
        }
        let (added_count, removed_count) =
            (MAX_PIECES - added_slots.len(), MAX_PIECES - removed_slots.len());
        kernels.refresh(
            &mut entry.accumulator,
            accumulator,
            &added[..added_count],
            &removed[..removed_count],
        );
        entry.boards = *boards;
    }
}
