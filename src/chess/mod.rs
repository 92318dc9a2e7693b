//! The rules of chess. Standard library only: no I/O, no clock, and no allocation in hot paths.

pub mod attacks;
mod bitboard;
mod castling;
mod color;
mod magics;
mod movegen;
mod moves;
pub mod perft;
mod piece;
mod position;
mod setup;
mod square;
pub mod zobrist;

pub use bitboard::Bitboard;
pub use castling::CastlingRights;
pub use color::Color;
pub use movegen::Wanted;
pub use moves::{CastlingSide, MAX_MOVES, Move, MoveKind, MoveList};
pub use piece::{Piece, Role};
pub use position::{Position, castled_king, castled_rook};
pub use setup::Setup;
pub use square::{File, NotASquare, Rank, Square};
