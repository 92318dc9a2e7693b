//! Zobrist numbers, frozen: the parts of a position's key.
//!
//! Chess Programming Wiki, "Zobrist Hashing". The numbers are successive outputs of SplitMix64
//! (Steele, Lea, Flood 2014) and belong to layout version 1. Stored data depends on them, so they
//! never change within that version.

use super::{Color, File, Piece, Square, splitmix};

const COUNT: usize = 793;
const SEED: u64 = 0x6b69_6269_747a_6572;

static NUMBERS: [u64; COUNT] = {
    let mut numbers = [0; COUNT];
    let mut n = 0;
    while n < COUNT {
        numbers[n] = splitmix::nth(SEED, n as u64 + 1);
        n += 1;
    }
    numbers
};

/// The numbers of pieces on squares, indexed by the discriminant of [`Piece`] and not by its code.
static PIECES: [[u64; 64]; 12] = {
    let mut table = [[0; 64]; 12];
    let mut piece = 0;
    while piece < 12 {
        let mut square = 0;
        while square < 64 {
            table[piece][square] = NUMBERS[64 * (Piece::ALL[piece].code() as usize - 1) + square];
            square += 1;
        }
        piece += 1;
    }
    table
};

/// The number of a piece on a square.
#[inline]
pub fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece as usize][square.index()]
}

/// The number of the castling right of `color` with the rook on the file `rook`.
#[inline]
pub fn castling(color: Color, rook: File) -> u64 {
    NUMBERS[768 + 8 * color as usize + rook as usize]
}

/// The number of a legal en passant capture on a file.
#[inline]
pub fn en_passant(file: File) -> u64 {
    NUMBERS[784 + file as usize]
}

/// The number that is in the key when Black is to move.
pub const BLACK_TO_MOVE: u64 = NUMBERS[792];
