//! Legal moves, destinations per square, and castling rights.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::{MoveText, SquareName};
use crate::chess::encodings::CastleFlags;
use crate::chess::{
    Bitboard, CastlingNotation, CastlingSide, Move, Position, Role, SanWriter, Square,
    parse_promotion_without_piece, to_san, to_uci, to_uci_inline,
};
use crate::http::schema::{role, string_enum};

/// A legal move.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Move)]
pub(crate) struct MoveDto {
    /// The move in UCI. Castling is the king's two-square step where that is standard, else king
    /// takes rook.
    #[schema(value_type = String)]
    pub(crate) uci: MoveText,
    /// The move in Standard Algebraic Notation, with `+` or `#`.
    #[schema(value_type = String)]
    pub(crate) san: MoveText,
    /// The origin square.
    #[schema(value_type = String, pattern = "^[a-h][1-8]$")]
    pub(crate) from: SquareName,
    /// The destination square; for castling, that of the king.
    #[schema(value_type = String, pattern = "^[a-h][1-8]$")]
    pub(crate) to: SquareName,
    /// The moving piece.
    #[schema(schema_with = role)]
    pub(crate) piece: &'static str,
    /// The piece that a pawn promotes to. Only for promotions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = promotions, required = false)]
    pub(crate) promotion: Option<&'static str>,
    /// The captured piece. Only for captures.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = captured, required = false)]
    pub(crate) capture: Option<&'static str>,
    /// The side to which the king castles. Only for castling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = sides, required = false)]
    pub(crate) castling: Option<&'static str>,
    /// The move gives check or mate.
    pub(crate) check: bool,
    /// The move gives mate.
    pub(crate) mate: bool,
    /// The move captures a pawn en passant.
    pub(crate) en_passant: bool,
    /// The 16-bit code: bits 10–15 origin, 4–9 destination, 3 promotion, 2 capture. Bits 0–1 hold
    /// the promotion piece (knight, bishop, rook, queen), or 1 for a double pawn step, 2 for
    /// castling short, 3 for castling long, or 1 with bit 2 for en passant.
    #[schema(minimum = 1, maximum = 65535)]
    pub(crate) code: u16,
}

/// The destination squares of each origin square, in the format of board widgets.
///
/// Squares are in order. Castling is listed as the king's destination and as the rook's square; a
/// king's own square is left out.
#[derive(Clone, Debug)]
pub(crate) struct Dests(pub(crate) [Bitboard; 64]);

/// The destinations of these legal moves.
pub(crate) fn destinations(position: &Position, moves: &[Move]) -> [Bitboard; 64] {
    let mut destinations = [Bitboard::EMPTY; 64];
    for &mv in moves {
        let from = mv.from();
        let mut to = mv.to().bitboard();
        if let Some(side) = mv.castling_side()
            && let Some(rook) = position.castling_rook(position.turn(), side)
        {
            to |= rook.bitboard();
        }
        destinations[from.index()] |= to.without(from.bitboard());
    }
    destinations
}

impl Serialize for Dests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for from in Square::all() {
            let to = self.0[from.index()];
            if !to.is_empty() {
                map.serialize_entry(&SquareName(from), &Squares(to))?;
            }
        }
        map.end()
    }
}

struct Squares(Bitboard);

impl Serialize for Squares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for square in self.0 {
            list.serialize_element(&SquareName(square))?;
        }
        list.end()
    }
}

/// The moves of a line of legal moves from a position, each in UCI and in SAN.
pub(crate) fn line_texts(
    start: &Position,
    moves: &[Move],
    castling: CastlingNotation,
) -> impl Iterator<Item = (MoveText, MoveText)> {
    let mut position = start.clone();
    moves.iter().map(move |&mv| {
        let texts =
            (to_uci_inline(&position, mv, castling), SanWriter::new(&position).write(mv).text);
        position = position.after(mv);
        (MoveText(texts.0), MoveText(texts.1))
    })
}

/// The end of an error message about a text that is no legal move: how to write the promotion that
/// it names without a piece. Empty for any other text.
pub(crate) fn promotion_advice(position: &Position, text: &str) -> String {
    let Some(mv) = parse_promotion_without_piece(position, text) else {
        return String::new();
    };
    let (uci, san) = (to_uci(position, mv, CastlingNotation::default()), to_san(position, mv));
    format!("; add the piece, as in {uci} or {}", san.trim_end_matches(['+', '#']))
}

/// The name of the side to which a king castles.
pub(crate) const fn castling_side_name(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::King => "kingside",
        CastlingSide::Queen => "queenside",
    }
}

fn promotions() -> ObjectBuilder {
    string_enum(
        "The piece that a pawn promotes to. Only for promotions.",
        Role::PROMOTIONS.map(Role::name),
    )
}

fn sides() -> ObjectBuilder {
    string_enum(
        "The side to which the king castles. Only for castling.",
        CastlingSide::ALL.map(castling_side_name),
    )
}

fn captured() -> ObjectBuilder {
    string_enum("The captured piece. Only for captures.", Role::ALL.map(Role::name))
}

/// The castling rights.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = CastleFlags)]
pub(crate) struct CastleFlagsView {
    /// White may castle short.
    white_king_side_castle: bool,
    /// White may castle long.
    white_queen_side_castle: bool,
    /// Black may castle short.
    black_king_side_castle: bool,
    /// Black may castle long.
    black_queen_side_castle: bool,
}

impl From<CastleFlags> for CastleFlagsView {
    fn from(flags: CastleFlags) -> CastleFlagsView {
        CastleFlagsView {
            white_king_side_castle: flags.white_king_side,
            white_queen_side_castle: flags.white_queen_side,
            black_king_side_castle: flags.black_king_side,
            black_queen_side_castle: flags.black_queen_side,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dests(fen: &str) -> serde_json::Value {
        let position = Position::from_fen(fen).unwrap();
        serde_json::to_value(Dests(destinations(&position, &position.legal_moves()))).unwrap()
    }

    #[test]
    fn castling_is_listed_as_the_kings_destination_and_as_the_rooks_square() {
        let dests = dests("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert_eq!(
            dests["e1"],
            serde_json::json!(["a1", "c1", "d1", "f1", "g1", "h1", "d2", "e2", "f2"])
        );
    }

    #[test]
    fn a_king_that_castles_without_moving_does_not_list_its_own_square() {
        let dests = dests("4k3/8/8/8/8/8/8/6KR w H - 0 1");
        assert_eq!(dests["g1"], serde_json::json!(["f1", "h1", "f2", "g2", "h2"]));
    }
}
