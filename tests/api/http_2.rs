//! HTTP/2 readers. Each response has its own flow-control window: a reader that opens none delays
//! only its own response, until that is reset.

use std::time::Duration;

use h2::Reason;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::exposition::Exposition;
use crate::support::http2_client::{
    Http2Client, TIMEOUT, expect_ok_body, read_to_end, wait_for_reset,
};
use crate::support::{Server, coverage};

crate::trials![
    an_unread_answer_is_reset_and_its_connection_stays_open,
    a_reader_that_stalls_after_one_byte_is_reset,
    a_reader_of_one_byte_at_a_time_is_reset,
    unread_streams_and_batches_release_their_permits,
    a_batch_may_be_written_whole_before_its_answers_are_read,
    a_slow_answer_is_not_cut_short,
    a_connection_without_requests_is_closed,
];

async fn server_with_short_stall_timeout() -> Server {
    Server::start_with(|settings| settings.stream.stall_ms = 300).await
}

async fn an_unread_answer_is_reset_and_its_connection_stays_open() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 0).await;
    let start = json!({ "fen": "startpos" }).to_string();
    let mut small = client.post("/v1/legal-moves", "application/json", start).await;
    let mut big = client.get("/openapi.yaml").await;
    for body in [&mut small, &mut big] {
        let error = wait_for_reset(body).await.expect("a reset");
        assert!(error.is_remote() && error.reason() == Some(Reason::CANCEL), "{error}");
    }
    client.open_windows(60_000);
    let (text, error) = read_to_end(&mut client.get("/v1/engine").await).await;
    assert!(error.is_none() && serde_json::from_slice::<Value>(&text).unwrap()["name"].is_string());
}

async fn a_reader_that_stalls_after_one_byte_is_reset() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 1).await;
    let mut body = client.get("/v1/engine").await;
    let error = wait_for_reset(&mut body).await.expect("a reset");
    assert!(error.is_remote() && error.reason() == Some(Reason::CANCEL), "{error}");
}

async fn a_reader_of_one_byte_at_a_time_is_reset() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 1).await;
    let mut body = client.get("/openapi.yaml").await;
    let read_slowly = async {
        while let Some(Ok(bytes)) = body.data().await {
            sleep(Duration::from_millis(20)).await;
            body.flow_control().release_capacity(bytes.len()).unwrap();
        }
    };
    timeout(TIMEOUT, read_slowly).await.expect("the server resets the stream");
}

async fn unread_streams_and_batches_release_their_permits() {
    let server = server_with_short_stall_timeout().await;
    let mut client = Http2Client::connect(&server, 0).await;
    let mut stream = client.get("/v1/analysis?fen=startpos&infinite=true").await;
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    let mut batch = client.post("/v1/batch", "application/x-ndjson", line.repeat(500)).await;
    for body in [&mut stream, &mut batch] {
        let error = wait_for_reset(body).await.expect("a reset");
        assert!(error.is_remote(), "{error}");
    }
    Exposition::wait_until(&server, "the permits are free", |page| {
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
    let (answer, mut request) =
        client.send_head(Method::POST, "/v1/batch", "application/x-ndjson", false).await;
    let line = json!({ "fen": "startpos", "depth": 1 }).to_string() + "\n";
    request.send_data(line.repeat(20).into(), false).unwrap();
    let mut answer = expect_ok_body("/v1/batch", answer).await;
    // Longer than a reader may stall once the request body is complete.
    sleep(Duration::from_millis(900)).await;
    request.send_data(line.repeat(20).into(), true).unwrap();
    client.open_windows(60_000);
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
    let unused = Http2Client::connect(&server, 60_000).await;
    let mut used = Http2Client::connect(&server, 60_000).await;
    assert!(read_to_end(&mut used.get("/livez").await).await.1.is_none());
    for client in [unused, used] {
        let ended = timeout(TIMEOUT, client.ended).await.expect("the connection ends").unwrap();
        assert!(ended.is_ok(), "the connection did not end cleanly: {ended:?}");
    }
}
