//! Shutdown of the program.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::Client;
use crate::support::server_process::{ServerProcess, kibitzer_command};

crate::trials![
    sigterm_answers_running_requests_and_exits_cleanly,
    sigint_exits_cleanly,
    a_second_signal_exits_at_once,
    the_grace_time_is_kept_with_a_slow_client,
    a_silent_http_2_connection_does_not_delay_the_exit,
    a_server_with_logging_off_works,
    an_invalid_setting_is_reported_before_startup,
];

async fn sigterm_answers_running_requests_and_exits_cleanly() {
    let settings = [("KIBITZER__SHUTDOWN__DRAIN_MS", "2000"), ("KIBITZER__SEARCH__WORKERS", "1")];
    let server = ServerProcess::start(&settings).await;
    let client = server.client.clone();
    let searching = tokio::spawn({
        let client = client.clone();
        async move {
            client
                .post_ok("/v1/best-move", &json!({ "fen": "startpos", "movetime_ms": 50_000 }))
                .await
        }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;

    let signalled = Instant::now();
    server.signal("TERM");
    let answer = searching.await.unwrap();
    assert_eq!((&answer["reason"], answer["best_move"].is_string()), (&json!("shutdown"), true));
    assert!(signalled.elapsed() < Duration::from_millis(1_500), "{:?}", signalled.elapsed());

    let problem = client.get("/readyz").await.expect_problem(503, "not_ready");
    assert_eq!(problem["reasons"], json!(["shutting_down"]));
    let again = json!({ "fen": "startpos", "moves": ["e4"], "depth": 2 });
    client.post_expecting_problem("/v1/best-move", &again, 503, "shutting_down").await;
    client
        .post_expecting_problem(
            "/v1/perft",
            &json!({ "fen": "startpos", "depth": 2 }),
            503,
            "shutting_down",
        )
        .await;
    client.post_ok("/v1/legal-moves", &json!({ "fen": "startpos" })).await;
    assert_eq!(client.get("/livez").await.status, 200);

    let (status, _, log) = server.wait_for_exit(Duration::from_secs(5));
    assert_eq!(status.code(), Some(0));
    assert!(
        signalled.elapsed() >= Duration::from_millis(2_000),
        "the listener closed before the drain time: {:?}",
        signalled.elapsed()
    );
    assert!(log.iter().all(|line| line["timestamp"].is_string() && line["level"].is_string()));
    assert!(
        log.iter()
            .filter(|line| line["message"] == "answered")
            .all(|line| line["request_id"].is_string())
    );
    assert_eq!(log.last().unwrap()["message"], "stopped", "no line is lost");
}

async fn sigint_exits_cleanly() {
    let server = ServerProcess::start(&[("KIBITZER__SHUTDOWN__DRAIN_MS", "0")]).await;
    server.signal("INT");
    let (status, took, _) = server.wait_for_exit(Duration::from_secs(5));
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(4), "{took:?}");
}

async fn a_second_signal_exits_at_once() {
    let settings =
        [("KIBITZER__SHUTDOWN__DRAIN_MS", "20000"), ("KIBITZER__SHUTDOWN__GRACE_MS", "30000")];
    let server = ServerProcess::start(&settings).await;
    server.signal("TERM");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.client.get("/readyz").await.status, 503);
    server.signal("TERM");
    let (status, took, _) = server.wait_for_exit(Duration::from_secs(5));
    assert!(took < Duration::from_secs(4), "{took:?}");
    assert_ne!(status.code(), Some(0), "an exit without draining has status 0");
}

async fn the_grace_time_is_kept_with_a_slow_client() {
    let settings = [
        ("KIBITZER__SHUTDOWN__DRAIN_MS", "100"),
        ("KIBITZER__SHUTDOWN__GRACE_MS", "600"),
        ("KIBITZER__HTTP__BODY_TIMEOUT_MS", "60000"),
    ];
    let server = ServerProcess::start(&settings).await;
    let mut slow = TcpStream::connect(server.address).await.unwrap();
    let head = b"POST /v1/legal-moves HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                 content-length: 40\r\n\r\n{";
    slow.write_all(head).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.signal("TERM");
    let (status, took, _) = server.wait_for_exit(Duration::from_secs(5));
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(4), "{took:?}");
}

async fn a_silent_http_2_connection_does_not_delay_the_exit() {
    let settings =
        [("KIBITZER__SHUTDOWN__DRAIN_MS", "0"), ("KIBITZER__SHUTDOWN__GRACE_MS", "30000")];
    let server = ServerProcess::start(&settings).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    // The preface and an empty SETTINGS frame. The client answers no later frame.
    silent.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    silent.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.signal("TERM");
    let (status, took, _) = server.wait_for_exit(Duration::from_secs(10));
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");

    let mut received = Vec::new();
    // The connection may end by a reset.
    let _ = silent.read_to_end(&mut received).await;
    let mut frames = received.as_slice();
    let mut types = Vec::new();
    while let [length_1, length_2, length_3, frame_type, ..] = *frames {
        types.push(frame_type);
        let length = u32::from_be_bytes([0, length_1, length_2, length_3]) as usize;
        frames = &frames[9 + length..];
    }
    const GOAWAY: u8 = 7;
    assert!(types.contains(&GOAWAY), "the client can read why: {types:?}");
}

async fn a_server_with_logging_off_works() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = [
        ("KIBITZER__LOG__LEVEL", "off"),
        ("KIBITZER__SHUTDOWN__DRAIN_MS", "0"),
        ("KIBITZER__SEARCH__HASH_MB", "1"),
    ];
    let mut child =
        kibitzer_command(&["--listen", &free.to_string()]).envs(settings).spawn().unwrap();
    let client = Client::new(free);
    client.wait_until_ready().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(client.get("/livez").await.status, 200);
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

async fn an_invalid_setting_is_reported_before_startup() {
    for (name, value, key) in [
        ("KIBITZER__SEARCH__HASHMB", "64", "search.hashmb"),
        ("KIBITZER__SEARCH__HASH_MB", "big", "search.hash_mb"),
        ("KIBITZER__MEMORY__MAX_MB", "10", "memory.max_mb"),
    ] {
        let mut program = kibitzer_command(&["--listen", "127.0.0.1:0"]);
        let output = program.env(name, value).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(key), "{stderr}");
    }
}
