//! A reference evaluation as `docs/network.md` defines it, from the bytes of a file.

use crate::chess::{Color, Position, Square};
use crate::nnue::{HIDDEN, KING_BUCKETS};

fn read_i16(file: &[u8], offset: usize) -> i64 {
    i64::from(i16::from_le_bytes([file[offset], file[offset + 1]]))
}

/// The accumulator of a player's perspective, without wrapping.
fn accumulate(file: &[u8], position: &Position, color: Color) -> Vec<i64> {
    let oriented =
        |square: Square| if color == Color::Black { square.index() ^ 56 } else { square.index() };
    let mirror = if oriented(position.king(color)) % 8 >= 4 { 7 } else { 0 };
    let king = oriented(position.king(color)) ^ mirror;
    let bucket = usize::from(file[64 + king / 8 * 4 + king % 8]);
    let features = 96;
    let biases = features + KING_BUCKETS * 768 * HIDDEN * 2;
    let mut sums: Vec<i64> = (0..HIDDEN).map(|n| read_i16(file, biases + 2 * n)).collect();
    for square in position.occupied() {
        let piece = position.piece_at(square).unwrap();
        let other = if piece.color() == color { 0 } else { 384 };
        let input = 768 * bucket + other + 64 * piece.role() as usize + (oriented(square) ^ mirror);
        for (n, sum) in sums.iter_mut().enumerate() {
            *sum += read_i16(file, features + (input * HIDDEN + n) * 2);
        }
    }
    sums
}

/// The raw centipawns for the side to move.
pub(super) fn evaluate(file: &[u8], position: &Position) -> i32 {
    let bucket = (position.occupied().count() as usize - 2) / 4;
    let outputs = 96 + (KING_BUCKETS * 768 + 1) * HIDDEN * 2;
    let biases = outputs + 8 * 2 * HIDDEN * 2;
    let both =
        [accumulate(file, position, position.turn()), accumulate(file, position, !position.turn())]
            .concat();
    let mut total = 0;
    for (n, sum) in both.into_iter().enumerate() {
        let clipped = sum.clamp(0, 255);
        total += clipped * clipped * read_i16(file, outputs + (bucket * 2 * HIDDEN + n) * 2);
    }
    let offset = biases + 4 * bucket;
    let bias = i32::from_le_bytes(file[offset..offset + 4].try_into().unwrap());
    let scale = i64::from(u16::from_le_bytes([file[20], file[21]]));
    let value = (total / 255 + i64::from(bias)) * scale / (255 * 64);
    i32::try_from(value).unwrap()
}
