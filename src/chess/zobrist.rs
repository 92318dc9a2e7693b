//! Zobrist numbers, frozen: the parts of a position's key.
//!
//! Chess Programming Wiki, "Zobrist Hashing". The numbers are successive outputs of SplitMix64
//! (Steele, Lea, Flood 2014) and belong to layout version 1. Stored data depends on them, so they
//! never change within that version.

use std::fmt;

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

/// A part of a position that has a number in its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPart {
    /// A piece on a square.
    Piece(Piece, Square),
    /// The castling right of a player with the rook on a file.
    Castling(Color, File),
    /// A legal en passant capture on a file.
    EnPassant(File),
    /// Black is to move.
    BlackToMove,
}

impl KeyPart {
    /// The place of the part's value among the numbers, from 0 to 792.
    pub const fn number(self) -> usize {
        match self {
            KeyPart::Piece(piece, square) => 64 * (piece.code() as usize - 1) + square.index(),
            KeyPart::Castling(color, rook) => 768 + 8 * color as usize + rook as usize,
            KeyPart::EnPassant(file) => 784 + file as usize,
            KeyPart::BlackToMove => 792,
        }
    }

    /// The part's value.
    #[inline]
    pub const fn value(self) -> u64 {
        NUMBERS[self.number()]
    }
}

impl fmt::Display for KeyPart {
    /// Writes the part as `white knight on g1`, `white castling with the rook on the h-file`,
    /// `en passant on the e-file` or `black to move`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyPart::Piece(piece, square) => {
                write!(f, "{} {} on {square}", piece.color().name(), piece.role().name())
            }
            KeyPart::Castling(color, rook) => {
                write!(f, "{} castling with the rook on the {}-file", color.name(), rook.letter())
            }
            KeyPart::EnPassant(file) => write!(f, "en passant on the {}-file", file.letter()),
            KeyPart::BlackToMove => f.write_str("black to move"),
        }
    }
}

/// The numbers of pieces on squares, indexed by the discriminant of [`Piece`] and not by its code.
static PIECES: [[u64; 64]; 12] = {
    let mut table = [[0; 64]; 12];
    let mut piece = 0;
    while piece < 12 {
        let mut square = 0;
        while square < 64 {
            let part = KeyPart::Piece(Piece::ALL[piece], Square::from_index(square as u8));
            table[piece][square] = part.value();
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
    KeyPart::Castling(color, rook).value()
}

/// The number of a legal en passant capture on a file.
#[inline]
pub fn en_passant(file: File) -> u64 {
    KeyPart::EnPassant(file).value()
}

/// The number that is in the key when Black is to move.
pub const BLACK_TO_MOVE: u64 = KeyPart::BlackToMove.value();
