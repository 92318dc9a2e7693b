//! Connection timeouts and limits: silent, slow and stalled clients are disconnected.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use crate::support::{Server, Stream};

crate::trials![
    a_request_over_http_1_1_has_one_valid_host,
    a_transfer_coding_other_than_chunked_is_refused,
    a_head_that_is_not_http_is_refused_with_a_problem,
    a_silent_connection_is_closed,
    a_slow_request_head_is_timed_out,
    a_slow_answer_is_not_cut_short,
    a_connection_above_the_limit_waits,
    one_client_has_a_limited_number_of_connections,
    a_head_that_is_too_large_is_refused_with_a_problem,
    a_stalled_reader_is_disconnected,
    a_reader_of_one_byte_at_a_time_is_disconnected,
    one_client_gets_an_eighth_of_the_memory_of_requests,
    uploads_that_wait_for_others_count_with_their_unread_bytes,
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

/// The answer to raw bytes. The server must close the connection after it.
async fn answer_to(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let read = timeout(Duration::from_secs(10), stream.read_to_string(&mut answer));
    read.await.unwrap().unwrap();
    answer
}

/// The detail of an answer that must be the problem `malformed_head`.
fn detail_of_malformed_head(answer: &str) -> String {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    assert!(head.contains("connection: close"), "{head}");
    assert!(head.contains("content-type: application/problem+json"), "{head}");
    let problem: Value = serde_json::from_str(body).unwrap();
    assert_eq!(problem["code"], "malformed_head");
    problem["detail"].as_str().unwrap().to_owned()
}

async fn a_request_over_http_1_1_has_one_valid_host() {
    let server = Server::start().await;
    for (hosts, detail) in [
        ("", "is missing; a request over HTTP/1.1 must have it"),
        ("host: a\r\nHost: a\r\n", "is given 2 times; it must be given once"),
        ("host: a b/@\r\n", "is \"a b/@\"; it must be host or host:port"),
        ("host: user@a\r\n", "is \"user@a\"; it must be host or host:port"),
        ("host: a:99999\r\n", "is \"a:99999\"; it must be host or host:port"),
        ("host: \u{e4}\r\n", "is \"\u{e4}\"; it must be host or host:port"),
    ] {
        for path in ["/livez", "/v1/engine", "/nowhere", "http://a/livez"] {
            let answer = answer_to(&server, &format!("GET {path} HTTP/1.1\r\n{hosts}\r\n")).await;
            assert_eq!(detail_of_malformed_head(&answer), format!("the header Host {detail}"));
        }
    }
    for head in [
        "GET /livez HTTP/1.0\r\n\r\n",
        "GET /livez HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n",
        "GET /livez HTTP/1.1\r\nhost: [::1]:8080\r\nconnection: close\r\n\r\n",
    ] {
        let answer = answer_to(&server, head).await;
        assert!(answer.contains(" 200 OK\r\n"), "{head}: {answer}");
    }
    assert_eq!(server.get("/problems/malformed_head").await.status, 200);
}

async fn a_transfer_coding_other_than_chunked_is_refused() {
    let server = Server::start().await;
    let request = |headers: &str| {
        format!(
            "POST /v1/legal-moves HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
             connection: close\r\n{headers}\r\n12\r\n{{\"fen\":\"startpos\"}}\r\n0\r\n\r\n"
        )
    };
    for (headers, codings) in [
        ("transfer-encoding: gzip, chunked\r\n", "gzip, chunked"),
        ("transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n", "gzip, chunked"),
        ("transfer-encoding: chunked, chunked\r\n", "chunked, chunked"),
        ("transfer-encoding: identity, chunked\r\n", "identity, chunked"),
    ] {
        let answer = answer_to(&server, &request(headers)).await;
        let detail = format!("the header Transfer-Encoding is {codings:?}; it must be chunked");
        assert_eq!(detail_of_malformed_head(&answer), detail);
    }
    // hyper itself refuses a body whose length it can't know.
    for headers in ["transfer-encoding: gzip\r\n", "transfer-encoding: chunked, gzip\r\n"] {
        detail_of_malformed_head(&answer_to(&server, &request(headers)).await);
    }
    for headers in ["transfer-encoding: chunked\r\n", "Transfer-Encoding:  Chunked \r\n"] {
        let answer = answer_to(&server, &request(headers)).await;
        assert!(answer.contains(" 200 OK\r\n"), "{headers}: {answer}");
    }
}

async fn a_head_that_is_not_http_is_refused_with_a_problem() {
    let server = Server::start().await;
    let detail = "the head of the request is not valid HTTP/1.1 (RFC 9112)";
    for head in [
        "GET /livez HTTP/1.1\r\nhost x\r\n\r\n",
        "GET /li vez HTTP/1.1\r\nhost: x\r\n\r\n",
        "GET /livez HTTP/3.0\r\nhost: x\r\n\r\n",
        "POST /v1/perft HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
    ] {
        assert_eq!(detail_of_malformed_head(&answer_to(&server, head).await), detail, "{head}");
    }
    let tls = answer_to(&server, "\u{16}\u{3}\u{1}\r\n\r\n").await;
    let detail = "the client begins with a TLS handshake; this port speaks HTTP without TLS, so \
                  use http:// instead of https://";
    assert_eq!(detail_of_malformed_head(&tls), detail);
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

/// Sends a request with `connection: close` and returns the whole response.
async fn exchange(stream: &mut TcpStream, request: &str) -> String {
    // The server may close before it has read the request.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8(answer).unwrap()
}

const LIVEZ: &str = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

async fn one_client_has_a_limited_number_of_connections() {
    let server = Server::start_with(|settings| settings.http.connections_per_client = 4).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(server.connect_from([127, 0, 0, 2]).await);
    }
    let mut further = server.connect_from([127, 0, 0, 2]).await;
    assert_eq!(exchange(&mut further, LIVEZ).await, "", "closed without a response");
    let mut other = server.connect_from([127, 0, 0, 3]).await;
    assert!(exchange(&mut other, LIVEZ).await.starts_with("HTTP/1.1 200"));
    drop(held.pop());
    sleep(Duration::from_millis(100)).await;
    let mut next = server.connect_from([127, 0, 0, 2]).await;
    assert!(exchange(&mut next, LIVEZ).await.starts_with("HTTP/1.1 200"));
}

async fn a_head_that_is_too_large_is_refused_with_a_problem() {
    let server = Server::start().await;
    let head = |bytes: usize| {
        let long = "x".repeat(bytes);
        format!("GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: {long}\r\n\r\n")
    };
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    assert!(exchange(&mut stream, &head(15_000)).await.starts_with("HTTP/1.1 200"));
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let answer = exchange(&mut stream, &head(17_000)).await;
    let (status, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(status.starts_with("HTTP/1.1 431 "), "{answer}");
    assert!(status.contains("content-type: application/problem+json"), "{answer}");
    let problem: Value = serde_json::from_str(body).unwrap();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("head_too_large"), &json!(431)));
    assert!(problem["detail"].as_str().unwrap().contains("16384 bytes"), "{problem}");
}

async fn a_reader_of_one_byte_at_a_time_is_disconnected() {
    let server = Server::start_with(|settings| settings.stream.stall_ms = 300).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let request = "GET /openapi.yaml HTTP/1.1\r\nhost: x\r\n\r\n".repeat(40);
    stream.write_all(request.as_bytes()).await.unwrap();
    // The server's own buffers take some of the responses, so that it notices later.
    let read_slowly = async {
        let mut byte = [0];
        while matches!(stream.read(&mut byte).await, Ok(1)) {
            // Some bytes of a further request do not count as reading, either.
            if stream.write_all(b"G").await.is_err() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), read_slowly).await.expect("the server closes the connection");
}

async fn one_client_gets_an_eighth_of_the_memory_of_requests() {
    let server = Server::start_with(|settings| settings.http.requests_mb = 1).await;
    let body = json!({ "fen": "startpos" }).to_string();
    // The memory suffices for seven requests that wait for the rest of their bodies.
    let half_request = |length: usize| {
        format!(
            "POST /v1/legal-moves HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{{"
        )
    };
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut stream = server.connect_from([127, 0, 0, 2]).await;
        stream.write_all(half_request(body.len()).as_bytes()).await.unwrap();
        held.push(stream);
    }
    sleep(Duration::from_millis(200)).await;
    let mut further = server.connect_from([127, 0, 0, 2]).await;
    let refused = exchange(&mut further, LIVEZ).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(refused.to_lowercase().contains("retry-after: 1") && refused.contains("queue_full"));
    let mut other = server.connect_from([127, 0, 0, 3]).await;
    assert!(exchange(&mut other, LIVEZ).await.starts_with("HTTP/1.1 200"));
    let answer = exchange(&mut held[0], &body[1..]).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "a request that was admitted is answered");
}

async fn uploads_that_wait_for_others_count_with_their_unread_bytes() {
    let server = Server::start_with(|settings| settings.http.requests_mb = 1).await;
    let half_upload = "POST /v1/games HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
                       content-type: text/plain\r\ncontent-length: 100000\r\n\r\n1. e4";
    let mut held = Vec::new();
    // Two are read, and two more take the rest of the client's share.
    for _ in 0..4 {
        let mut stream = server.connect_from([127, 0, 0, 2]).await;
        stream.write_all(half_upload.as_bytes()).await.unwrap();
        held.push(stream);
    }
    sleep(Duration::from_millis(200)).await;
    let mut further = server.connect_from([127, 0, 0, 2]).await;
    let refused = exchange(&mut further, half_upload).await;
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("queue_full"), "{refused}");
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
    let client =
        kibitzer::client::plain_http().unwrap().no_proxy().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/v1/best-move", server.address);
    let body = json!({ "fen": "startpos", "depth": 3 });
    let answer = client.request(Method::POST, url).json(&body).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.version()), (200, reqwest::Version::HTTP_2));
}
