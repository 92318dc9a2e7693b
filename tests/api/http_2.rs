//! Readers of HTTP/2, which has a window for each answer: who opens none holds up its own answer
//! alone, and not for long.

use std::time::Duration;

use axum::body::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::support::exposition::Exposition;
use crate::support::{Server, coverage};

crate::claims![
    an_answer_that_nobody_takes_is_reset_and_its_connection_goes_on,
    who_takes_a_byte_and_no_more_is_cut_off,
    streams_and_batches_that_nobody_takes_have_their_places_back,
    a_batch_may_be_written_whole_before_its_answers_are_taken,
    an_answer_that_takes_its_time_is_not_cut_short,
    a_connection_without_requests_is_closed,
];

/// A busy machine may take this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection, and its end.
pub(crate) struct Http2 {
    requests: SendRequest<Bytes>,
    ended: JoinHandle<Result<(), h2::Error>>,
    /// Opens the windows of all streams, open ones and later ones.
    open: tokio::sync::oneshot::Sender<u32>,
}

impl Http2 {
    /// One on which each answer may have so many bytes.
    pub(crate) async fn connect(server: &Server, window: u32) -> Http2 {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let (requests, mut connection) =
            h2::client::Builder::new().initial_window_size(window).handshake(stream).await.unwrap();
        let (open, mut opened) = tokio::sync::oneshot::channel();
        let ended = tokio::spawn(async move {
            tokio::select! {
                ended = &mut connection => return ended,
                Ok(window) = &mut opened => connection.set_initial_window_size(window)?,
            }
            connection.await
        });
        Http2 { requests: requests.ready().await.unwrap(), ended, open }
    }

    /// Sends the head of a request, and nothing of its body.
    async fn begin(
        &mut self,
        method: Method,
        path: &str,
        kind: &str,
        is_all: bool,
    ) -> (ResponseFuture, SendStream<Bytes>) {
        let request = axum::http::Request::builder().method(method).uri(format!("http://x{path}"));
        let request = request.header("content-type", kind).body(()).unwrap();
        self.requests = self.requests.clone().ready().await.unwrap();
        self.requests.send_request(request, is_all).unwrap()
    }

    /// The body of the answer to a POST, whose head says 200.
    async fn post(&mut self, path: &str, kind: &str, body: String) -> RecvStream {
        let (answer, mut ask) = self.begin(Method::POST, path, kind, false).await;
        ask.send_data(body.into(), true).unwrap();
        answered(path, answer).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> RecvStream {
        let (answer, _) = self.begin(Method::GET, path, "*/*", true).await;
        answered(path, answer).await
    }
}

async fn answered(path: &str, answer: ResponseFuture) -> RecvStream {
    let answer = timeout(PATIENCE, answer).await.expect("a head in time").unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.into_body()
}

/// The bytes that come, and how it ends.
async fn rest(body: &mut RecvStream) -> (Vec<u8>, Option<h2::Error>) {
    let mut all = Vec::new();
    let read = async {
        while let Some(data) = body.data().await {
            match data {
                Ok(data) => {
                    body.flow_control().release_capacity(data.len()).unwrap();
                    all.extend_from_slice(&data);
                }
                Err(error) => return Some(error),
            }
        }
        None
    };
    let end = timeout(PATIENCE, read).await.expect("an end");
    (all, end)
}

/// As [`rest`], where nothing of it is taken.
async fn end(body: &mut RecvStream) -> Option<h2::Error> {
    let read = async {
        while let Some(data) = body.data().await {
            if let Err(error) = data {
                return Some(error);
            }
        }
        None
    };
    timeout(PATIENCE, read).await.expect("an end")
}

async fn hurried() -> Server {
    Server::with(|settings| settings.stream.stall_ms = 300).await
}

async fn until(server: &Server, what: &str, is_so: impl Fn(&Exposition) -> bool) {
    let wait = async {
        while !is_so(&Exposition::of(server).await) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("{what}"));
}

async fn an_answer_that_nobody_takes_is_reset_and_its_connection_goes_on() {
    let server = hurried().await;
    let mut client = Http2::connect(&server, 0).await;
    let start = json!({ "fen": "startpos" }).to_string();
    let mut small = client.post("/v1/legal-moves", "application/json", start).await;
    let mut big = client.get("/openapi.yaml").await;
    for body in [&mut small, &mut big] {
        let error = end(body).await.expect("it breaks off");
        assert!(error.is_remote() && error.reason() == Some(Reason::CANCEL), "{error}");
    }
    client.open.send(60_000).unwrap();
    let (requests, ended) = (client.requests, client.ended);
    let mut client = Http2 { requests, ended, open: tokio::sync::oneshot::channel().0 };
    let (text, error) = rest(&mut client.get("/v1/engine").await).await;
    assert!(error.is_none() && serde_json::from_slice::<Value>(&text).unwrap()["name"].is_string());
}

async fn who_takes_a_byte_and_no_more_is_cut_off() {
    let server = hurried().await;
    let mut client = Http2::connect(&server, 1).await;
    let mut body = client.get("/v1/engine").await;
    let error = end(&mut body).await.expect("it breaks off");
    assert!(error.is_remote() && error.reason() == Some(Reason::CANCEL), "{error}");
}

async fn streams_and_batches_that_nobody_takes_have_their_places_back() {
    let server = hurried().await;
    let mut client = Http2::connect(&server, 0).await;
    let mut stream = client.get("/v1/analysis?fen=startpos&infinite=true").await;
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    let mut batch = client.post("/v1/batch", "application/x-ndjson", line.repeat(500)).await;
    for body in [&mut stream, &mut batch] {
        let error = end(body).await.expect("it breaks off");
        assert!(error.is_remote(), "{error}");
    }
    until(&server, "their places are free", |page| {
        page.value("kibitzer_streams")
            + page.value("kibitzer_batches")
            + page.value("kibitzer_searches_running")
            == 0.0
    })
    .await;
}

async fn a_batch_may_be_written_whole_before_its_answers_are_taken() {
    let server = hurried().await;
    let mut client = Http2::connect(&server, 0).await;
    let (answer, mut ask) =
        client.begin(Method::POST, "/v1/batch", "application/x-ndjson", false).await;
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    ask.send_data(line.repeat(20).into(), false).unwrap();
    let mut answer = answered("/v1/batch", answer).await;
    // Longer than a reader may take nothing once the body has come.
    sleep(Duration::from_millis(900)).await;
    ask.send_data(line.repeat(20).into(), true).unwrap();
    client.open.send(60_000).unwrap();
    let (text, error) = rest(&mut answer).await;
    assert!(error.is_none(), "{error:?}");
    let lines: Vec<Value> = text
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!((lines.len(), &lines[40]["answered"]), (41, &json!(40)));
    coverage::saw("POST", "/v1/batch", 200);
}

async fn an_answer_that_takes_its_time_is_not_cut_short() {
    let server = Server::with(|settings| {
        settings.stream.stall_ms = 200;
        settings.http.head_timeout_ms = 200;
    })
    .await;
    let mut client = Http2::connect(&server, 60_000).await;
    let slow = json!({ "fen": "startpos", "movetime_ms": 900, "fresh": true }).to_string();
    let (text, error) =
        rest(&mut client.post("/v1/best-move", "application/json", slow).await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(serde_json::from_slice::<Value>(&text).unwrap()["reason"], "time");
}

async fn a_connection_without_requests_is_closed() {
    let server = Server::with(|settings| settings.http.head_timeout_ms = 200).await;
    let silent = Http2::connect(&server, 60_000).await;
    let mut spoken = Http2::connect(&server, 60_000).await;
    assert!(rest(&mut spoken.get("/livez").await).await.1.is_none());
    for client in [silent, spoken] {
        let ended = timeout(PATIENCE, client.ended).await.expect("an end").unwrap();
        assert!(ended.is_ok(), "in good order: {ended:?}");
    }
}
