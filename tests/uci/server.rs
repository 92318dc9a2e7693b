//! Servers for `kibitzer uci --server`: a real one and a scripted one.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::RETRY_AFTER;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http_body::Frame;
use kibitzer::app;
use kibitzer::config::Settings;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, rustls};

/// A server on its own port. Dropping this value stops it.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    // The runtime's threads serve the requests.
    _runtime: Runtime,
}

impl Server {
    /// Starts a small kibitzer server.
    pub(crate) fn start(change: impl FnOnce(&mut Settings)) -> Server {
        let mut settings = Settings::load_with(None, Some(BTreeMap::new())).unwrap();
        settings.search.hash_mb = 1;
        settings.search.workers = 2;
        change(&mut settings);
        Server::serve_on_own_runtime(async move |listener| {
            app::serve(&settings, listener, std::future::pending()).await.unwrap()
        })
    }

    /// Starts a server that gives the replies of a script, the last one repeatedly. Also returns
    /// the bodies of the requests that it received.
    pub(crate) fn scripted(
        script: impl IntoIterator<Item = ScriptedReply>,
    ) -> (Server, Arc<Mutex<Vec<Value>>>) {
        let (router, requests) = scripted_router(script);
        let serve = async |listener| axum::serve(listener, router).await.unwrap();
        (Server::serve_on_own_runtime(serve), requests)
    }

    /// Starts a scripted server that speaks TLS.
    pub(crate) fn with_tls(
        tls: rustls::ServerConfig,
        script: impl IntoIterator<Item = ScriptedReply>,
    ) -> Server {
        let (router, _) = scripted_router(script);
        Server::serve_on_own_runtime(async |listener| {
            let listener = TlsListener { listener, acceptor: TlsAcceptor::from(Arc::new(tls)) };
            axum::serve(listener, router).await.unwrap()
        })
    }

    /// Starts a server that redirects every request to this root URL.
    pub(crate) fn redirecting_to(root: &str) -> Server {
        let root = root.to_owned();
        let redirect = async move |uri: Uri| Redirect::permanent(&format!("{root}{uri}"));
        let router = Router::new().fallback(redirect);
        Server::serve_on_own_runtime(async |listener| axum::serve(listener, router).await.unwrap())
    }

    /// Starts a server whose `GET /v1/engine` returns this body.
    pub(crate) fn with_engine_route(body: &'static str) -> Server {
        let router = Router::new().route("/v1/engine", get(async move || body));
        Server::serve_on_own_runtime(async |listener| axum::serve(listener, router).await.unwrap())
    }

    fn serve_on_own_runtime<F: Future<Output = ()> + Send + 'static>(
        serve: impl FnOnce(TcpListener) -> F,
    ) -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(serve(listener));
        Server { address, _runtime: runtime }
    }
}

/// The routes of a scripted server, and the bodies of the requests that it received.
fn scripted_router(
    script: impl IntoIterator<Item = ScriptedReply>,
) -> (Router, Arc<Mutex<Vec<Value>>>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let received = requests.clone();
    let script: Vec<ScriptedReply> = script.into_iter().collect();
    let answer = async move |body: String| {
        let mut received = received.lock().unwrap();
        received.push(serde_json::from_str(&body).unwrap());
        script[(received.len() - 1).min(script.len() - 1)].response()
    };
    let router = Router::new()
        .route("/livez", get(async || "ok"))
        .route("/v1/engine", get(async || r#"{"name": "kibitzer"}"#))
        .route("/v1/analysis", post(answer.clone()))
        .route("/v1/evaluate", post(answer));
    // Also as behind a proxy that serves it below a path.
    (Router::new().nest("/chess", router.clone()).merge(router), requests)
}

/// A listener whose connections speak TLS. It drops those whose handshake fails.
struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A reply of a scripted server.
#[derive(Clone, Copy)]
pub(crate) enum ScriptedReply {
    /// A whole stream: 1. e4 after one iteration.
    Complete,
    /// A refusal with this status and `Retry-After: 1`.
    RetryLater(StatusCode),
    /// One iteration, then the connection is reset.
    Disconnects,
    /// One iteration, then the stream stays open.
    StaysOpen,
    /// A problem as the last line.
    Problem,
    /// The body of an evaluation.
    Evaluation(&'static str),
}

const QUEUED: &str = r#"{"type": "queued", "position": 3}"#;
const INFO: &str = r#"{"type": "info", "seq": 1, "source": "search", "depth": 1, "seldepth": 2,
    "nodes": 30, "time_ms": 2, "nps": 15000, "lines": [{"rank": 1, "depth": 1,
    "score": {"type": "cp", "value": 20}, "wdl": [123, 800, 77], "pv": ["e2e4", "e7e5"]}]}"#;
const HEARTBEAT: &str = r#"{"type": "heartbeat", "time_ms": 5000, "nodes": 31}"#;
const END: &str = r#"{"type": "end", "reason": "depth", "best_move": "e2e4", "ponder": "e7e5",
    "memory": "unknown", "clamped": []}"#;
const PROBLEM: &str =
    r#"{"type": "problem", "status": 503, "code": "deadline", "detail": "no worker was free"}"#;

impl ScriptedReply {
    fn response(self) -> Response {
        let (lines, end): (&[&str], BodyEnd) = match self {
            ScriptedReply::Complete => (&[QUEUED, INFO, HEARTBEAT, END], BodyEnd::Complete),
            ScriptedReply::Disconnects => (&[INFO], BodyEnd::Disconnect),
            ScriptedReply::StaysOpen => (&[INFO], BodyEnd::StayOpen),
            ScriptedReply::Problem => (&[PROBLEM], BodyEnd::Complete),
            ScriptedReply::Evaluation(body) => return body.into_response(),
            ScriptedReply::RetryLater(status) => {
                let problem = r#"{"code": "queue_full", "detail": "all places are taken"}"#;
                return (status, [(RETRY_AFTER, "1")], problem).into_response();
            }
        };
        let lines = lines.iter().map(|line| Bytes::from(line.replace('\n', "") + "\n")).collect();
        Body::new(ScriptedBody { lines, end }).into_response()
    }
}

/// The body of a scripted stream.
struct ScriptedBody {
    lines: VecDeque<Bytes>,
    end: BodyEnd,
}

/// The end of a scripted body.
#[derive(Clone, Copy)]
enum BodyEnd {
    Complete,
    /// The connection is reset at the next poll, so that the lines are sent before.
    Disconnect,
    Disconnected,
    StayOpen,
}

impl HttpBody for ScriptedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match (self.lines.pop_front(), self.end) {
            (Some(line), _) => Poll::Ready(Some(Ok(Frame::data(line)))),
            (None, BodyEnd::Complete) => Poll::Ready(None),
            (None, BodyEnd::Disconnect) => {
                self.end = BodyEnd::Disconnected;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            (None, BodyEnd::Disconnected) => {
                Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())))
            }
            (None, BodyEnd::StayOpen) => Poll::Pending,
        }
    }
}
