//! Reference implementations on shakmaty's board, without any of kibitzer's code.

use std::collections::HashMap;

use shakmaty::{
    Bitboard, Chess, Color, EnPassantMode, Piece, Position as _, Role, Square, fen::Epd,
};

/// The key of a position, computed from its definition.
pub(crate) fn key(position: &Chess) -> u64 {
    let numbers = zobrist_numbers();
    let mut key = 0;
    for (square, piece) in position.board().iter() {
        key ^= numbers[64 * (piece_number(piece) - 1) + usize::from(square)];
    }
    for rook in position.castles().castling_rights() {
        let first = if rook.rank() == shakmaty::Rank::First { 768 } else { 776 };
        key ^= numbers[first + usize::from(rook.file())];
    }
    if let Some(target) = position.ep_square(EnPassantMode::Legal) {
        key ^= numbers[784 + usize::from(target.file())];
    }
    if position.turn() == Color::Black {
        key ^= numbers[792];
    }
    key
}

/// The key of the pawns alone.
pub(crate) fn pawn_key(position: &Chess) -> u64 {
    let numbers = zobrist_numbers();
    let pawns = position.board().iter().filter(|(_, piece)| piece.role == Role::Pawn);
    pawns.fold(0, |key, (square, piece)| {
        key ^ numbers[64 * (piece_number(piece) - 1) + usize::from(square)]
    })
}

fn piece_number(piece: Piece) -> usize {
    usize::from(piece.role) + if piece.color == Color::White { 0 } else { 6 }
}

/// The 793 frozen Zobrist numbers: SplitMix64 with the ASCII codes of `kibitzer` as its first
/// state.
fn zobrist_numbers() -> &'static [u64] {
    static NUMBERS: std::sync::LazyLock<Vec<u64>> = std::sync::LazyLock::new(|| {
        let mut state = u64::from_be_bytes(*b"kibitzer");
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        (0..793).map(|_| next()).collect()
    });
    &NUMBERS
}

/// The pinned pieces: those of the side to move that are alone between their king and an enemy
/// slider. The function walks square by square.
pub(crate) fn pinned(position: &Chess) -> Bitboard {
    let (board, us) = (position.board(), position.turn());
    let Some(king) = board.king_of(us) else { return Bitboard::EMPTY };
    let mut pinned = Bitboard::EMPTY;
    for (dx, dy) in [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)] {
        let mut ray = squares_from(king, dx, dy)
            .filter_map(|square| board.piece_at(square).map(|piece| (square, piece)));
        let (Some((square, first)), Some((_, second))) = (ray.next(), ray.next()) else { continue };
        let attacks_along_ray = match second.role {
            Role::Queen => true,
            Role::Rook => dx == 0 || dy == 0,
            Role::Bishop => dx != 0 && dy != 0,
            _ => false,
        };
        if first.color == us && second.color != us && attacks_along_ray {
            pinned.add(square);
        }
    }
    pinned
}

/// The squares from the neighbour of a square to the edge of the board.
fn squares_from(square: Square, dx: i32, dy: i32) -> impl Iterator<Item = Square> {
    let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
    (1..8).map_while(move |n| {
        let (file, rank) = (file + n * dx, rank + n * dy);
        let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        on_board.then(|| {
            Square::from_coords(shakmaty::File::new(file as u32), shakmaty::Rank::new(rank as u32))
        })
    })
}

/// The castling field of a Shredder-FEN.
pub(crate) fn shredder_castling(position: &Chess) -> String {
    let mut field = String::new();
    for color in Color::ALL {
        for side in [shakmaty::CastlingSide::KingSide, shakmaty::CastlingSide::QueenSide] {
            if let Some(rook) = position.castles().rook(color, side) {
                let letter = rook.file().char();
                field.push(if color == Color::White {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                });
            }
        }
    }
    if field.is_empty() { "-".to_owned() } else { field }
}

/// The number of occurrences of each position of a game.
pub(crate) struct RepetitionCounts {
    counts: HashMap<String, u32>,
}

impl RepetitionCounts {
    /// The counts of a game that starts at this position.
    pub(crate) fn new(position: &Chess) -> RepetitionCounts {
        let mut repetitions = RepetitionCounts { counts: HashMap::new() };
        repetitions.push(position);
        repetitions
    }

    /// Counts a position.
    pub(crate) fn push(&mut self, position: &Chess) {
        *self.counts.entry(repetition_key(position)).or_default() += 1;
    }

    /// The occurrences of this position, including the current one.
    pub(crate) fn occurrences(&self, position: &Chess) -> u32 {
        self.counts.get(&repetition_key(position)).copied().unwrap_or(0)
    }
}

/// A text that is equal for two positions exactly if they count as a repetition.
fn repetition_key(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}
