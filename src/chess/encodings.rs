//! Encodings of positions and moves, with every bit fixed (layout version 1).

mod bitboards;
mod checks;
mod game_state;
mod key_parts;
mod magic_lookups;
mod move_record;
pub mod packed;
mod square_arrays;
mod undoable_move;

pub use bitboards::{BitOrder, Bitboards, CastleFlags, SevenBoards, SideBitboards};
pub use checks::{Checks, Pins};
pub use game_state::{GameState, castling_ep_byte};
pub use key_parts::key_parts;
pub use magic_lookups::{MagicLookup, magic_lookups};
pub use move_record::{CapturedPiece, MoveRecord};
pub use packed::{Huffman, LAYOUT_VERSION, PackedError, PackedPosition, parse_packed};
pub use square_arrays::{Mailbox69, Nibbles, PlacedPiece, piece_bytes, piece_list};
pub use undoable_move::{SecondPiece, UndoableMove};
