//! A prepared response of `POST /v1/best-move`.

use serde::Serialize;

/// The shape of the real response, as far as it affects the serialisation time.
#[derive(Serialize)]
pub(crate) struct BestMove {
    fen: String,
    key: String,
    turn: &'static str,
    check: bool,
    status: &'static str,
    winner: Option<&'static str>,
    draw_reason: Option<&'static str>,
    claims: Vec<String>,
    warnings: Vec<String>,
    best_move: String,
    best_move_san: String,
    ponder: String,
    ponder_san: String,
    score: Score,
    wdl: [u16; 3],
    pv: Vec<String>,
    pv_san: Vec<String>,
    depth: u8,
    seldepth: u8,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    reason: &'static str,
    source: &'static str,
    age_ms: u64,
    memory: &'static str,
    shared: bool,
    clamped: Vec<String>,
}

#[derive(Serialize)]
struct Score {
    r#type: &'static str,
    value: i32,
}

impl BestMove {
    /// A response of about `bytes` bytes, whose lines have as many moves as fit.
    pub(crate) fn with_body_size(bytes: usize) -> Result<BestMove, serde_json::Error> {
        let mut prepared = BestMove {
            fen: "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2".to_owned(),
            key: "cefc4660ebcf688f".to_owned(),
            turn: "white",
            check: false,
            status: "ongoing",
            winner: None,
            draw_reason: None,
            claims: Vec::new(),
            warnings: Vec::new(),
            best_move: "g1f3".to_owned(),
            best_move_san: "Nf3".to_owned(),
            ponder: "b8c6".to_owned(),
            ponder_san: "Nc6".to_owned(),
            score: Score { r#type: "cp", value: 46 },
            wdl: [381, 405, 214],
            pv: Vec::new(),
            pv_san: Vec::new(),
            depth: 10,
            seldepth: 16,
            nodes: 9_411,
            time_ms: 20,
            nps: 464_740,
            reason: "depth",
            source: "memory",
            age_ms: 1_000,
            memory: "hit",
            shared: false,
            clamped: Vec::new(),
        };
        let remaining = bytes.saturating_sub(serde_json::to_vec(&prepared)?.len());
        // A move takes 7 bytes in `pv` and 6 in `pv_san`.
        prepared.pv = vec!["g1f3".to_owned(); remaining / 13];
        prepared.pv_san = vec!["Nf3".to_owned(); remaining / 13];
        Ok(prepared)
    }
}
