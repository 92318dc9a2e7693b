//! The least that an axum server can do for a legal-moves request: the measure for `POST /v1/legal-moves`.
//!
//! It extracts the same JSON and serialises a struct that was prepared at start, of the same shape and mean size as the real
//! answer. No chess, no layers, the same runtime. `benches/http.sh` runs it beside the real server.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark says what it does")]

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use clap::Parser;
use serde::{Deserialize, Serialize};

#[derive(Parser)]
struct Options {
    /// Where to listen; without it the program ends at once.
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// The size of the body to answer with.
    #[arg(long, default_value_t = 4_000)]
    bytes: usize,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the members are read as the real server reads them, and no more")]
struct Request {
    fen: Option<String>,
    packed: Option<String>,
    moves: Option<Vec<String>>,
}

/// The shape of the real answer, as far as it costs time to write.
#[derive(Serialize)]
struct Prepared {
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

impl Prepared {
    /// An answer of that many bytes: as many moves as fit, and the rest as one text.
    fn of_size(bytes: usize) -> Result<Prepared, serde_json::Error> {
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
        let mut prepared = Prepared {
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
        let each = serde_json::to_vec(&mv)?.len() + 1;
        // About a tenth of the real answer are the destinations.
        let room = bytes.saturating_sub(empty);
        prepared.moves = vec![mv; room * 9 / 10 / each];
        let filled = serde_json::to_vec(&prepared)?.len();
        prepared.dests = "e".repeat(bytes.saturating_sub(filled));
        Ok(prepared)
    }
}

async fn legal_moves(State(prepared): State<Arc<Prepared>>, Json(_request): Json<Request>) -> Response {
    Json(&*prepared).into_response()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Options { listen: Some(address), bytes, .. } = Options::parse() else {
        println!("a server for benches/http.sh: nothing to measure alone");
        return Ok(());
    };
    let router = Router::new().route("/v1/legal-moves", post(legal_moves)).with_state(Arc::new(Prepared::of_size(bytes)?));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        // As the real server does; without it the connection closes all the same.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router).await?;
        Ok(())
    })
}
