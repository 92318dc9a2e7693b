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
    an_unread_answer_is_reset_and_its_connection_stays_open,
    a_reader_that_stalls_after_one_byte_is_reset,
    unread_streams_and_batches_release_their_permits,
    a_batch_may_be_written_whole_before_its_answers_are_read,
    a_slow_answer_is_not_cut_short,
    a_connection_without_requests_is_closed,
];

/// A busy machine may take this long.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A connection, and its end.
pub(crate) struct Http2Client {
    sender: SendRequest<Bytes>,
    ended: JoinHandle<Result<(), h2::Error>>,
    /// Opens the windows of all streams, open ones and later ones.
    open_window: tokio::sync::oneshot::Sender<u32>,
}

impl Http2Client {
    /// One on which each answer may have so many bytes.
    pub(crate) async fn connect(server: &Server, window: u32) -> Http2Client {
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
        Http2Client { sender: requests.ready().await.unwrap(), ended, open_window: open }
    }

    /// Sends the head of a request, and nothing of its body.
    async fn send_head(
        &mut self,
        method: Method,
        path: &str,
        kind: &str,
        end_of_stream: bool,
    ) -> (ResponseFuture, SendStream<Bytes>) {
        let request = axum::http::Request::builder().method(method).uri(format!("http://x{path}"));
        let request = request.header("content-type", kind).body(()).unwrap();
        self.sender = self.sender.clone().ready().await.unwrap();
        self.sender.send_request(request, end_of_stream).unwrap()
    }

    /// The body of the answer to a POST, whose head says 200.
    async fn post(&mut self, path: &str, kind: &str, body: String) -> RecvStream {
        let (answer, mut ask) = self.send_head(Method::POST, path, kind, false).await;
        ask.send_data(body.into(), true).unwrap();
        expect_ok_body(path, answer).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> RecvStream {
        let (answer, _) = self.send_head(Method::GET, path, "*/*", true).await;
        expect_ok_body(path, answer).await
    }
}

async fn expect_ok_body(path: &str, answer: ResponseFuture) -> RecvStream {
    let answer = timeout(TIMEOUT, answer).await.expect("a head in time").unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.into_body()
}

/// The bytes that come, and how it ends.
async fn read_to_end(body: &mut RecvStream) -> (Vec<u8>, Option<h2::Error>) {
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
    let end = timeout(TIMEOUT, read).await.expect("an end");
    (all, end)
}

/// As [`rest`], where nothing of it is taken.
async fn wait_for_reset(body: &mut RecvStream) -> Option<h2::Error> {
    let read = async {
        while let Some(data) = body.data().await {
            if let Err(error) = data {
                return Some(error);
            }
        }
        None
    };
    timeout(TIMEOUT, read).await.expect("an end")
}

async fn server_with_short_stall_timeout() -> Server {
    Server::start_with(|settings| settings.stream.stall_ms = 300).await
}

async fn wait_until(server: &Server, what: &str, is_so: impl Fn(&Exposition) -> bool) {
    let wait = async {
        while !is_so(&Exposition::fetch(server).await) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(TIMEOUT, wait).await.unwrap_or_else(|_| panic!("{what}"));
}

async fn an_unread_answer_is_reset_and_its_connection_stays_open() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 0).await;
    let start = json!({ "fen": "startpos" }).to_string();
    let mut small = client.post("/v1/legal-moves", "application/json", start).await;
    let mut big = client.get("/openapi.yaml").await;
    for body in [&mut small, &mut big] {
        let error = wait_for_reset(body).await.expect("it breaks off");
        assert!(error.is_remote() && error.reason() == Some(Reason::CANCEL), "{error}");
    }
    client.open_window.send(60_000).unwrap();
    let (requests, ended) = (client.sender, client.ended);
    let mut client =
        Http2Client { sender: requests, ended, open_window: tokio::sync::oneshot::channel().0 };
    let (text, error) = read_to_end(&mut client.get("/v1/engine").await).await;
    assert!(error.is_none() && serde_json::from_slice::<Value>(&text).unwrap()["name"].is_string());
}

async fn a_reader_that_stalls_after_one_byte_is_reset() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 1).await;
    let mut body = client.get("/v1/engine").await;
    let error = wait_for_reset(&mut body).await.expect("it breaks off");
    assert!(error.is_remote() && error.reason() == Some(Reason::CANCEL), "{error}");
}

async fn unread_streams_and_batches_release_their_permits() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 0).await;
    let mut stream = client.get("/v1/analysis?fen=startpos&infinite=true").await;
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    let mut batch = client.post("/v1/batch", "application/x-ndjson", line.repeat(500)).await;
    for body in [&mut stream, &mut batch] {
        let error = wait_for_reset(body).await.expect("it breaks off");
        assert!(error.is_remote(), "{error}");
    }
    wait_until(&server, "their places are free", |page| {
        page.value("kibitzer_streams")
            + page.value("kibitzer_batches")
            + page.value("kibitzer_searches_running")
            == 0.0
    })
    .await;
}

async fn a_batch_may_be_written_whole_before_its_answers_are_read() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 0).await;
    let (answer, mut ask) =
        client.send_head(Method::POST, "/v1/batch", "application/x-ndjson", false).await;
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    ask.send_data(line.repeat(20).into(), false).unwrap();
    let mut answer = expect_ok_body("/v1/batch", answer).await;
    // Longer than a reader may take nothing once the body has come.
    sleep(Duration::from_millis(900)).await;
    ask.send_data(line.repeat(20).into(), true).unwrap();
    client.open_window.send(60_000).unwrap();
    let (text, error) = read_to_end(&mut answer).await;
    assert!(error.is_none(), "{error:?}");
    let lines: Vec<Value> = text
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!((lines.len(), &lines[40]["answered"]), (41, &json!(40)));
    coverage::record_response("POST", "/v1/batch", 200);
}

async fn a_slow_answer_is_not_cut_short() {
    let server = Server::start_with(|settings| {
        settings.stream.stall_ms = 200;
        settings.http.head_timeout_ms = 200;
    })
    .await;
    let mut client = Http2Client::connect(&server, 60_000).await;
    let slow = json!({ "fen": "startpos", "movetime_ms": 900, "fresh": true }).to_string();
    let (text, error) =
        read_to_end(&mut client.post("/v1/best-move", "application/json", slow).await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(serde_json::from_slice::<Value>(&text).unwrap()["reason"], "time");
}

async fn a_connection_without_requests_is_closed() {
    let server = Server::start_with(|settings| settings.http.head_timeout_ms = 200).await;
    let silent = Http2Client::connect(&server, 60_000).await;
    let mut spoken = Http2Client::connect(&server, 60_000).await;
    assert!(read_to_end(&mut spoken.get("/livez").await).await.1.is_none());
    for client in [silent, spoken] {
        let ended = timeout(TIMEOUT, client.ended).await.expect("an end").unwrap();
        assert!(ended.is_ok(), "in good order: {ended:?}");
    }
}
