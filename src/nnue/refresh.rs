//! Sums anew, but not from nothing: the refresh cache.
//!
//! When a king walks into another view all its inputs change. For each view of each player the last
//! sums and the board they belong to are kept, and only what differs from that board is added and
//! subtracted (the "Finny tables" of Koivisto; Chess Programming Wiki, "NNUE", accumulator refresh
//! cache).

use super::architecture::KING_BUCKETS;
use super::boards::Boards;
use super::network::Network;
use super::row::Row;
use super::simd::Kernels;
use crate::chess::{Color, Piece, Square};

/// No board has more pieces.
const MAX_PIECES: usize = 32;

/// For each view of each player the last board seen and its sums.
pub(super) struct RefreshCache {
    entries: [Vec<Entry>; 2],
}

#[derive(Clone)]
struct Entry {
    sums: Row,
    boards: Boards,
}

impl RefreshCache {
    pub(super) fn new(network: &Network) -> RefreshCache {
        let empty = Entry { sums: *network.biases(), boards: Boards::EMPTY };
        RefreshCache { entries: [(); 2].map(|()| vec![empty.clone(); 2 * KING_BUCKETS]) }
    }

    /// Writes the sums of a board in the view of the player whose king stands on `king`.
    pub(super) fn refresh(
        &mut self,
        network: &Network,
        kernels: &Kernels,
        color: Color,
        king: Square,
        boards: &Boards,
        sums: &mut Row,
    ) {
        let view = network.view(color, king);
        let entry = &mut self.entries[color as usize][view.place()];
        let mut on = [network.biases(); MAX_PIECES];
        let mut off = [network.biases(); MAX_PIECES];
        let (mut came, mut left) = (on.iter_mut(), off.iter_mut());
        for piece in Piece::ALL {
            let (before, now) = (entry.boards.squares(piece), boards.squares(piece));
            let rows = |squares| {
                Iterator::map(squares, |square| network.feature(view.input(color, piece, square)))
            };
            rows(now.without(before)).zip(&mut came).for_each(|(row, place)| *place = row);
            rows(before.without(now)).zip(&mut left).for_each(|(row, place)| *place = row);
        }
        let (came, left) = (MAX_PIECES - came.len(), MAX_PIECES - left.len());
        kernels.refresh(&mut entry.sums, sums, &on[..came], &off[..left]);
        entry.boards = *boards;
    }
}
