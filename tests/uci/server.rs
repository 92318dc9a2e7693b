//! Servers to ask.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use kibitzer::app;
use kibitzer::config::Settings;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// A server on a port of its own, which ends with this.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    // Held for its threads.
    _runtime: Runtime,
}

impl Server {
    /// A small kibitzer.
    pub(crate) fn start(change: impl FnOnce(&mut Settings)) -> Server {
        let mut settings = Settings::load_with(None, Some(BTreeMap::new())).unwrap();
        settings.search.hash_mb = 1;
        settings.search.workers = 2;
        change(&mut settings);
        Server::with(async move |listener| app::serve(&settings, listener, std::future::pending()).await.unwrap())
    }

    /// One that answers the first questions with a status and "ask again in a second", the others with 1. e4.
    pub(crate) fn scripted(status: StatusCode, times: usize) -> (Server, Arc<Mutex<Vec<Value>>>) {
        let questions = Arc::new(Mutex::new(Vec::new()));
        let heard = questions.clone();
        let answer = async move |body: String| {
            let mut heard = heard.lock().unwrap();
            heard.push(serde_json::from_str(&body).unwrap());
            if heard.len() <= times { ask_again(status) } else { KING_PAWN.into_response() }
        };
        let router = Router::new().route("/v1/best-move", post(answer));
        (Server::with(async |listener| axum::serve(listener, router).await.unwrap()), questions)
    }

    fn with<F: Future<Output = ()> + Send + 'static>(serve: impl FnOnce(TcpListener) -> F) -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(serve(listener));
        Server { address, _runtime: runtime }
    }
}

const KING_PAWN: &str = r#"{"score": {"type": "cp", "value": 20}, "wdl": [123, 800, 77], "pv": ["e2e4", "e7e5"], "depth": 1, "seldepth": 2,
    "nodes": 30, "reason": "depth", "clamped": []}"#;

fn ask_again(status: StatusCode) -> Response {
    (status, [(RETRY_AFTER, "1")], r#"{"code": "queue_full", "detail": "all places are taken"}"#).into_response()
}
