//! A minimal axum server: the baseline for `POST /v1/legal-moves`, and for `POST /v1/best-move`
//! when the evaluation cache has the answer.
//!
//! It extracts the same JSON and serialises a prepared struct with the shape and mean size of the
//! real response. It has the same runtime, but no chess and no middleware. `benches/http.sh`
//! compares it with the real server.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark prints messages")]

mod best_move;
mod legal_moves;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use clap::{Parser, ValueEnum};
use serde::{Deserialize, Serialize};

use best_move::BestMove;
use legal_moves::LegalMoves;

#[derive(Parser)]
struct Options {
    /// The address to listen on; without it the program exits at once
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// The size of the response body in bytes
    #[arg(long, default_value_t = 4_000)]
    bytes: usize,
    /// The shape of the response
    #[arg(long, value_enum, default_value_t = Endpoint::LegalMoves)]
    answer: Endpoint,
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Endpoint {
    LegalMoves,
    BestMove,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the members are read as the real server reads them, and no more")]
struct Request {
    fen: Option<String>,
    packed: Option<String>,
    moves: Option<Vec<String>>,
    depth: Option<u64>,
}

async fn handler<T: Serialize>(
    State(prepared): State<Arc<T>>,
    Json(_request): Json<Request>,
) -> Response {
    Json(&*prepared).into_response()
}

fn route<T: Serialize + Send + Sync + 'static>(path: &str, prepared: T) -> Router {
    Router::new().route(path, post(handler::<T>)).with_state(Arc::new(prepared))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Options { listen: Some(address), bytes, answer, .. } = Options::parse() else {
        println!("this server is part of benches/http.sh and measures nothing alone");
        return Ok(());
    };
    let router = match answer {
        Endpoint::LegalMoves => route("/v1/legal-moves", LegalMoves::with_body_size(bytes)?),
        Endpoint::BestMove => route("/v1/best-move", BestMove::with_body_size(bytes)?),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        // As in the real server. Errors do not matter here.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router).await?;
        Ok(())
    })
}
