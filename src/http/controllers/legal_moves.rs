//! `POST` and `GET /v1/legal-moves`: the legal moves of a position.

use axum::body::Body;
use axum::http::{HeaderMap, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::{
    Bitboard, CastlingNotation, Move, Position, Role, SanWriter, Square, to_uci_inline,
};
use crate::http::access::Caller;
use crate::http::dto::{
    Dests, MoveDto, PositionRequest, PositionState, castling_side_name, destinations,
};
use crate::http::etag::{Revalidation, cache_control, tagged_json};
use crate::http::json::{Json, JsonBytes, Query, request};
use crate::http::problem::{PositionProblems, PositionQueryProblems, Problem};

request! {
    /// The position to generate the legal moves of.
    #[derive(Clone, Debug)]
    pub(crate) struct LegalMovesRequest as "LegalMovesRequest" {
        flatten position: PositionRequest,
    }
}

// This type describes the schema. `write_response` writes the JSON by hand, and a test compares the
// two.
/// The legal moves of a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LegalMoves {
    #[serde(flatten)]
    state: PositionState,
    /// The number of legal moves.
    #[schema(minimum = 0)]
    count: usize,
    /// The moves in ascending order of `code`. A drawn position still lists them.
    moves: Vec<MoveDto>,
    /// The destination squares of each piece that can move, by its square, in the order of squares.
    /// Castling appears twice: as the king's destination and as the rook's square.
    #[schema(value_type = std::collections::BTreeMap<String, Vec<String>>)]
    dests: Dests,
}

/// List the legal moves
///
/// Returns all legal moves of a position, with SAN and flags, in a form that suits a board widget.
#[utoipa::path(
    post,
    path = "/v1/legal-moves",
    tag = "positions",
    request_body = LegalMovesRequest,
    responses((status = 200, description = "The legal moves.", body = LegalMoves), PositionProblems)
)]
pub(crate) async fn legal_moves(
    Json(request): Json<LegalMovesRequest>,
) -> Result<JsonBytes, Problem> {
    answer(&request)
}

/// Show the legal moves
///
/// Takes the request of `POST /v1/legal-moves` as a query and gives the same response, which
/// browsers and proxies may cache.
#[utoipa::path(
    get,
    path = "/v1/legal-moves",
    tag = "positions",
    params(LegalMovesRequest),
    responses(
        (status = 200, description = "The legal moves.", body = LegalMoves),
        PositionQueryProblems,
    )
)]
pub(crate) async fn show_legal_moves(
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<LegalMovesRequest>,
) -> Result<Response<Body>, Problem> {
    let cache_control = cache_control(caller.identity(), Revalidation::Optional);
    Ok(tagged_json(answer(&request)?, &headers, cache_control))
}

fn answer(request: &LegalMovesRequest) -> Result<JsonBytes, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let mut moves = position.legal_moves();
    moves.as_mut_slice().sort_unstable();
    write_response(&PositionState::from(&resolved), position, &moves)
        .map(JsonBytes)
        .map_err(|error| Problem::internal(&error))
}

/// The initial buffer size, enough for all but positions with unusually many moves.
const INITIAL_CAPACITY: usize = 8 << 10;

/// Serializes the response for a position. `moves` are its legal moves in ascending order of code.
fn write_response(
    state: &PositionState,
    position: &Position,
    moves: &[Move],
) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(INITIAL_CAPACITY);
    serde_json::to_writer(&mut out, state)?;
    // Drop the closing brace of the state: the other members follow.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{CastlingNotation, Move, Position, Role, SanWriter, to_uci_inline};
    use crate::http::dto::{MoveText, SquareName, castling_side_name, destinations};
    use crate::http::json::read;

    /// Positions with promotions, captures, castling (also Chess960), en passant, checks and mates,
    /// and positions without legal moves.
    const POSITIONS: [&str; 9] = [
        "startpos",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "1n2k3/P7/8/3pP3/8/8/8/4K2R w K d6 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1",
        "4k3/44/8/8/8/8/8/4K3 w K - 0 0",
        "4k3/8/8/8/8/8/8/6KR w H - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    ];

    /// A legal move as the contract describes it.
    fn expected_move_dto(position: &Position, mv: Move) -> MoveDto {
        let san = SanWriter::new(position).write(mv);
        let captured =
            if mv.is_en_passant() { Some(Role::Pawn) } else { position.role_at(mv.to()) };
        MoveDto {
            uci: MoveText(to_uci_inline(position, mv, CastlingNotation::Standard)),
            san: MoveText(san.text),
            from: SquareName(mv.from()),
            to: SquareName(mv.to()),
            piece: position.role_at(mv.from()).map_or("", Role::name),
            promotion: mv.promotion().map(Role::name),
            capture: captured.filter(|_| mv.is_capture()).map(Role::name),
            castling: mv.castling_side().map(castling_side_name),
            check: san.check,
            mate: san.mate,
            en_passant: mv.is_en_passant(),
            code: mv.code(),
        }
    }

    #[test]
    fn handwritten_json_equals_serde_output() {
        for fen in POSITIONS {
            let request: LegalMovesRequest =
                read(format!("{{\"fen\":\"{fen}\"}}").as_bytes(), 0).unwrap();
            let resolved = request.position.resolve().unwrap();
            let position = resolved.game.position();
            let mut moves = position.legal_moves();
            moves.as_mut_slice().sort_unstable();
            let by_serde = LegalMoves {
                state: PositionState::from(&resolved),
                count: moves.len(),
                moves: moves.iter().map(|&mv| expected_move_dto(position, mv)).collect(),
                dests: Dests(destinations(position, &moves)),
            };
            let by_hand =
                write_response(&PositionState::from(&resolved), position, &moves).unwrap();
            assert_eq!(
                String::from_utf8(by_hand).unwrap(),
                serde_json::to_string(&by_serde).unwrap(),
                "{fen}"
            );
        }
    }
}
