//! The rules of chess: positions, moves, games, notations (FEN, UCI, SAN, PGN) and board encodings.
//!
//! This module uses only the standard library. It does no I/O, reads no clock, and does not
//! allocate in hot paths.
//!
//! ```
//! use kibitzer::chess::{CastlingNotation, Position, parse_move, to_san, to_uci};
//!
//! let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a legal FEN");
//! let mv = parse_move(&position, "O-O").expect("a legal move");
//! assert_eq!(to_san(&position, mv), "O-O");
//! assert_eq!(to_uci(&position, mv, CastlingNotation::Standard), "e1g1");
//! assert_eq!(to_uci(&position, mv, CastlingNotation::Chess960), "e1h1");
//! ```

pub mod attacks;
mod bitboard;
mod castling;
mod color;
pub mod encodings;
mod excerpt;
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
mod validation;
pub mod zobrist;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, CastlingSide, castled_king_square, castled_rook_square};
pub use color::Color;
pub use excerpt::excerpt;
pub use fen::{ParsedFen, parse_fen, parse_fen_leniently, parse_fen_setup};
pub use game::Game;
pub use inline_str::InlineStr;
pub use move_parser::{parse_move, parse_promotion_without_piece};
pub use movegen::MoveGenType;
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList, ParseMoveError};
pub use outcome::{DrawClaim, DrawReason, Outcome, is_dead_position};
pub use piece::{Piece, Role};
pub use position::Position;
pub use position_error::{
    FenWarning, FenWarningCode, InvalidPosition, PositionError, PositionErrorCode, PositionField,
};
pub use san::{San, SanWriter, to_san, to_san_all};
pub use setup::{MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK, Setup};
pub use square::{File, ParseSquareError, Rank, Square};
pub use uci_move::{CastlingNotation, to_uci, to_uci_inline};
