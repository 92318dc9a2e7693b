//! A prepared response of `POST /v1/legal-moves`.

use serde::Serialize;

/// The shape of the real response, as far as it affects the serialisation time.
#[derive(Serialize)]
pub(crate) struct LegalMoves {
    fen: String,
    key: String,
    turn: &'static str,
    check: bool,
    status: &'static str,
    winner: Option<&'static str>,
    draw_reason: Option<&'static str>,
    claims: Vec<String>,
    warnings: Vec<String>,
    count: usize,
    moves: Vec<Move>,
    dests: String,
}

#[derive(Clone, Serialize)]
struct Move {
    uci: String,
    san: String,
    from: String,
    to: String,
    piece: &'static str,
    check: bool,
    mate: bool,
    en_passant: bool,
    code: u16,
}

impl LegalMoves {
    /// A response of `bytes` bytes: as many moves as fit, the rest as one string.
    pub(crate) fn with_body_size(bytes: usize) -> Result<LegalMoves, serde_json::Error> {
        let mv = Move {
            uci: "e2e4".to_owned(),
            san: "e4".to_owned(),
            from: "e2".to_owned(),
            to: "e4".to_owned(),
            piece: "pawn",
            check: false,
            mate: false,
            en_passant: false,
            code: 12_737,
        };
        let mut prepared = LegalMoves {
            fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            key: "4fbae928640e637c".to_owned(),
            turn: "white",
            check: false,
            status: "ongoing",
            winner: None,
            draw_reason: None,
            claims: Vec::new(),
            warnings: Vec::new(),
            count: 20,
            moves: Vec::new(),
            dests: String::new(),
        };
        let empty = serde_json::to_vec(&prepared)?.len();
        let move_size = serde_json::to_vec(&mv)?.len() + 1;
        // The destinations are about a tenth of the real response.
        let remaining = bytes.saturating_sub(empty);
        prepared.moves = vec![mv; remaining * 9 / 10 / move_size];
        let filled = serde_json::to_vec(&prepared)?.len();
        prepared.dests = "e".repeat(bytes.saturating_sub(filled));
        Ok(prepared)
    }
}
