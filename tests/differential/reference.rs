//! What the comparison computes for itself, from shakmaty's board and without any of kibitzer's
//! code.

use std::collections::HashMap;

use shakmaty::{
    Bitboard, Chess, Color, EnPassantMode, Piece, Position as _, Role, Square, fen::Epd,
};

/// The key of a position as FORMATS defines it, from scratch.
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

/// The 793 frozen numbers: SplitMix64 from the state that spells `kibitzer`.
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

/// The pieces of the side to move that stand alone between their king and an enemy slider: walked
/// square by square.
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

/// The squares from beside a square to the edge.
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

/// The FEN's castling field with file letters always.
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

/// How often each position of a game has occurred.
pub(crate) struct RepetitionCounts {
    counts: HashMap<String, u32>,
}

impl RepetitionCounts {
    /// The history of a game that starts here.
    pub(crate) fn new(position: &Chess) -> RepetitionCounts {
        let mut history = RepetitionCounts { counts: HashMap::new() };
        history.push(position);
        history
    }

    /// Adds the position that was reached.
    pub(crate) fn push(&mut self, position: &Chess) {
        *self.counts.entry(repetition_key(position)).or_default() += 1;
    }

    /// How often this position has occurred, now included.
    pub(crate) fn occurrences(&self, position: &Chess) -> u32 {
        self.counts.get(&repetition_key(position)).copied().unwrap_or(0)
    }
}

/// Two positions are the same for the rules of repetition when these texts are.
fn repetition_key(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}
