//! The answer's JSON, written by hand.
//!
//! Nearly half of a request's time went into telling serde_json the same names and squares over and
//! over, which it escapes each time anew. Names, squares and moves are ASCII without a character to
//! escape, so they are copied as they are. A test holds what is written here against what serde
//! writes of the DTOs that the contract describes.

use crate::chess::{
    Bitboard, CastlingNotation, Move, Position, Role, SanWriter, Square, to_uci_inline,
};
use crate::http::dto::{PositionState, castling_side_name, destinations};

/// Room for the answer of all but the busiest positions.
const INITIAL_CAPACITY: usize = 8 << 10;

/// The answer about a position whose legal moves are listed by rising code.
pub(super) fn write(
    state: &PositionState,
    position: &Position,
    moves: &[Move],
) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(INITIAL_CAPACITY);
    serde_json::to_writer(&mut out, state)?;
    // The state's closing brace: the answer's own members come behind it.
    out.pop();
    out.extend_from_slice(b",\"count\":");
    serde_json::to_writer(&mut out, &moves.len())?;
    out.extend_from_slice(b",\"moves\":[");
    let san = SanWriter::new(position);
    for (index, &mv) in moves.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_move(&mut out, position, mv, &san)?;
    }
    out.extend_from_slice(b"],\"dests\":{");
    write_dests(&mut out, &destinations(position, moves));
    out.extend_from_slice(b"}}");
    Ok(out)
}

fn write_move(
    out: &mut Vec<u8>,
    position: &Position,
    mv: Move,
    san: &SanWriter<'_>,
) -> serde_json::Result<()> {
    let san = san.write(mv);
    write_text(out, b"{\"uci\":", to_uci_inline(position, mv, CastlingNotation::Standard).as_str());
    write_text(out, b",\"san\":", san.text.as_str());
    out.extend_from_slice(b",\"from\":");
    write_square(out, mv.from());
    out.extend_from_slice(b",\"to\":");
    write_square(out, mv.to());
    write_text(out, b",\"piece\":", position.role_at(mv.from()).map_or("", Role::name));
    if let Some(role) = mv.promotion() {
        write_text(out, b",\"promotion\":", role.name());
    }
    if mv.is_en_passant() {
        write_text(out, b",\"capture\":", Role::Pawn.name());
    } else if mv.is_capture()
        && let Some(role) = position.role_at(mv.to())
    {
        write_text(out, b",\"capture\":", role.name());
    }
    if let Some(side) = mv.castling_side() {
        write_text(out, b",\"castling\":", castling_side_name(side));
    }
    write_flag(out, b",\"check\":", san.check);
    write_flag(out, b",\"mate\":", san.mate);
    write_flag(out, b",\"en_passant\":", mv.is_en_passant());
    out.extend_from_slice(b",\"code\":");
    serde_json::to_writer(&mut *out, &mv.code())?;
    out.push(b'}');
    Ok(())
}

fn write_dests(out: &mut Vec<u8>, destinations: &[Bitboard; 64]) {
    let origins = Square::all().filter(|from| !destinations[from.index()].is_empty());
    for (index, from) in origins.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_square(out, from);
        out.push(b':');
        let mut separator = b'[';
        for to in destinations[from.index()] {
            out.push(separator);
            write_square(out, to);
            separator = b',';
        }
        out.push(b']');
    }
}

fn write_text(out: &mut Vec<u8>, name: &[u8], text: &str) {
    out.extend_from_slice(name);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn write_square(out: &mut Vec<u8>, square: Square) {
    out.extend_from_slice(&[b'"', b'a' + square.file() as u8, b'1' + square.rank() as u8, b'"']);
}

fn write_flag(out: &mut Vec<u8>, name: &[u8], flag: bool) {
    out.extend_from_slice(name);
    out.extend_from_slice(if flag { b"true" } else { b"false" });
}
