//! The rules of chess. Standard library only: no I/O, no clock, and no allocation in hot paths.

pub mod attacks;
mod bitboard;
mod castling;
mod color;
pub mod encodings;
mod fen;
mod game;
mod inline_str;
mod magics;
mod move_parser;
mod movegen;
mod moves;
mod outcome;
pub mod perft;
pub mod pgn;
mod piece;
mod position;
mod position_error;
mod san;
mod setup;
pub mod splitmix;
mod square;
mod uci_move;
mod validity;
pub mod zobrist;

pub use bitboard::Bitboard;
pub use castling::CastlingRights;
pub use color::Color;
pub use fen::{ParsedFen, parse_fen};
pub use game::Game;
pub use inline_str::InlineStr;
pub use move_parser::{ParseMoveError, parse_move};
pub use movegen::MoveGenType;
pub use moves::{CastlingSide, MAX_MOVES, Move, MoveKind, MoveList};
pub use outcome::{DrawClaim, DrawReason, Outcome, is_dead_position};
pub use piece::{Piece, Role};
pub use position::{Position, castled_king_square, castled_rook_square};
pub use position_error::{
    FenWarning, FenWarningCode, InvalidPosition, PositionFault, PositionFaultCode, PositionField,
    excerpt,
};
pub use san::{San, SanWriter, to_san, to_san_all};
pub use setup::Setup;
pub use square::{File, ParseSquareError, Rank, Square};
pub use uci_move::{CastlingNotation, to_uci, to_uci_inline};
pub use validity::{MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK};
