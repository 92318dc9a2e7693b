//! Connection timeouts and limits: silent, slow and stalled clients are disconnected.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::support::{Server, Stream};

crate::trials![
    a_silent_connection_is_closed,
    a_slow_request_head_is_timed_out,
    a_slow_answer_is_not_cut_short,
    a_connection_above_the_limit_waits,
    a_stalled_reader_is_disconnected,
    http_2_works_with_prior_knowledge,
];

/// Waits until the server closes the connection.
async fn wait_until_closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    // The connection may be closed or reset.
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut rest))
        .await
        .expect("the server closes");
}

async fn server_with_short_head_timeout() -> Server {
    Server::start_with(|settings| settings.http.head_timeout_ms = 200).await
}

async fn a_silent_connection_is_closed() {
    let server = server_with_short_head_timeout().await;
    for beginning in ["", "P", "PRI * HTTP/2.0\r\n"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(beginning.as_bytes()).await.unwrap();
        wait_until_closed(&mut stream).await;
    }
}

async fn a_slow_request_head_is_timed_out() {
    let server = server_with_short_head_timeout().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\n").await.unwrap();
    let send_slowly = async {
        while stream.write_all(b"x: y\r\n").await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(10), send_slowly).await.expect("the server closes the connection");
}

async fn a_slow_answer_is_not_cut_short() {
    let server = server_with_short_head_timeout().await;
    let answer = server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "movetime_ms": 800, "fresh": true }))
        .await;
    assert_eq!(answer["reason"], "time");
    let mut stream = Stream::post(
        &server,
        "/v1/analysis",
        &json!({ "fen": "startpos", "movetime_ms": 800, "fresh": true }),
    )
    .await;
    assert_eq!(stream.next_of_type("end").await["reason"], "time");
}

async fn a_connection_above_the_limit_waits() {
    let server = Server::start_with(|settings| settings.http.connections = 3).await;
    // The client keeps one or two connections open.
    assert_eq!(server.get("/livez").await.status, 200);
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(TcpStream::connect(server.address).await.unwrap());
    }
    let mut last = TcpStream::connect(server.address).await.unwrap();
    last.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    assert!(
        timeout(Duration::from_millis(200), last.read_to_string(&mut answer)).await.is_err(),
        "{answer}"
    );
    drop(others);
    timeout(Duration::from_secs(10), last.read_to_string(&mut answer))
        .await
        .expect("the connection is accepted")
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

async fn a_stalled_reader_is_disconnected() {
    let server = Server::start_with(|settings| settings.stream.stall_ms = 300).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // The client reads no response to its many requests.
    let request = "GET /openapi.yaml HTTP/1.1\r\nhost: x\r\n\r\n".repeat(400);
    let sent = async { while stream.write_all(request.as_bytes()).await.is_ok() {} };
    timeout(Duration::from_secs(20), sent).await.expect("the server closes the connection");
    assert_eq!(server.get("/livez").await.status, 200);
}

async fn http_2_works_with_prior_knowledge() {
    let server = Server::start().await;
    let client = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/v1/best-move", server.address);
    let body = json!({ "fen": "startpos", "depth": 3 });
    let answer = client.request(Method::POST, url).json(&body).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.version()), (200, reqwest::Version::HTTP_2));
}
