//! `kibitzer review`: games, files, and servers that go away.

use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

use super::{TWO_GAMES, parts, run};
use crate::support::server_process::{ServerProcess, kibitzer_command, set_environment, signal};

crate::trials![
    games_are_annotated,
    a_game_that_cannot_be_read_is_named,
    a_text_that_ends_in_the_middle_is_no_loss,
    a_file_is_replaced_as_a_whole,
    a_file_with_a_game_that_cannot_be_read_is_not_replaced,
    a_server_that_goes_away_leaves_no_file_and_names_the_job,
    a_review_goes_on_when_its_server_is_back,
    a_signal_ends_a_command_with_its_code,
    a_signal_does_not_wait_for_a_server_that_is_away,
    a_server_without_usable_events_is_given_up,
];

/// Joins the lines of a PGN. Where they break depends on the variations.
fn in_one_line(pgn: &str) -> String {
    pgn.replace('\n', " ")
}

async fn games_are_annotated() {
    let (code, out, err) = parts(&run(&["review", "-", "--nodes", "2000"], TWO_GAMES).await);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("[White \"Ann\"]") && in_one_line(&out).contains("g4 $4"), "{out}");
    assert!(out.contains("[%eval ") && out.ends_with("\n"), "{out}");
}

async fn a_game_that_cannot_be_read_is_named() {
    let games = format!("{TWO_GAMES}\n[White \"Cy\"]\n\n1. e5 *\n");
    let (code, out, err) = parts(&run(&["review", "-", "--nodes", "500"], &games).await);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.starts_with("kibitzer: game 3 (Cy - ?): ") && err.contains("e5"), "{err}");
    assert!(out.contains("g4") && out.contains("Bc4") && !out.contains("Cy"), "{out}");
}

async fn a_text_that_ends_in_the_middle_is_no_loss() {
    for (end, code) in [("1. d4 d5 2. c4", 0), ("1. d4 { unfin", 1)] {
        let games = format!("{TWO_GAMES}\n{end}");
        let (found, out, err) = parts(&run(&["review", "-", "--nodes", "500"], &games).await);
        assert_eq!(found, Some(code), "{end}: {err}");
        assert!(out.contains("g4") && out.contains("Bc4"), "{end}: {out}");
    }
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

async fn a_file_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, TWO_GAMES).unwrap();
    let path = file.to_str().unwrap();
    let (code, out, err) = parts(&run(&["review", path, "-o", path, "--nodes", "500"], "").await);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
    assert!(std::fs::read_to_string(&file).unwrap().contains("[%eval "));
    assert_eq!(files(folder.path()), ["games.pgn"]);
}

async fn a_file_with_a_game_that_cannot_be_read_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let games = format!("{TWO_GAMES}\n[White \"Cy\"]\n\n1. e5 *\n");
    std::fs::write(&file, &games).unwrap();
    let path = file.to_str().unwrap();
    let (code, _, err) = parts(&run(&["review", path, "-o", path, "--nodes", "500"], "").await);
    assert_eq!(code, Some(1), "{err}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), games);
    let (_, kept) = err.trim().split_once("the review is in ").unwrap_or_else(|| panic!("{err}"));
    assert!(std::fs::read_to_string(kept).unwrap().contains("[%eval "));
    std::fs::remove_file(kept).unwrap();
}

/// Starts the program with these arguments.
fn start(arguments: &[&str]) -> Child {
    let mut command = kibitzer_command(arguments);
    set_environment(&mut command, &[]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

async fn wait_for(child: Child) -> Output {
    spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap()
}

/// Waits until a server works on a stored job and has reviewed some moves.
async fn wait_for_a_running_job(server: &ServerProcess) {
    let started = Instant::now();
    let is_stored = "kibitzer_jobs{state=\"unfinished\"} 1";
    while !server.client.get("/metrics").await.body.contains(is_stored) {
        assert!(started.elapsed() < Duration::from_secs(10));
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
}

async fn a_server_that_goes_away_leaves_no_file_and_names_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let (games, out) = (folder.path().join("in.pgn"), folder.path().join("out.pgn"));
    std::fs::write(&games, TWO_GAMES).unwrap();
    let store = folder.path().join("store");
    let settings = [("KIBITZER__STORE__PATH", store.to_str().unwrap())];
    let server = ServerProcess::start(&settings).await;
    let address = server.address.to_string();
    let (games, out) = (games.to_str().unwrap(), out.to_str().unwrap());
    let child =
        start(&["review", games, "-o", out, "--server", &address, "--wait", "2s", "--time", "1s"]);
    wait_for_a_running_job(&server).await;
    drop(server);
    let (code, _, err) = parts(&wait_for(child).await);
    assert_eq!(code, Some(1), "{err}");
    assert!(!Path::new(out).exists());
    let (_, advice) = err.split_once("--job ").unwrap_or_else(|| panic!("no job: {err}"));
    let id = advice.split_whitespace().next().unwrap();
    // Another server with the same store continues the job.
    let server = ServerProcess::start(&settings).await;
    let address = server.address.to_string();
    let child = start(&["review", "--job", id, "--server", &address, "-o", out]);
    let (code, _, err) = parts(&wait_for(child).await);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(std::fs::read_to_string(out).unwrap().contains("[%eval "));
}

async fn a_review_goes_on_when_its_server_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (games, store) = (folder.path().join("in.pgn"), folder.path().join("store"));
    std::fs::write(&games, TWO_GAMES).unwrap();
    let settings = [("KIBITZER__STORE__PATH", store.to_str().unwrap())];
    let server = ServerProcess::start(&settings).await;
    let address = server.address.to_string();
    let child = start(&["review", games.to_str().unwrap(), "--server", &address, "--time", "1s"]);
    wait_for_a_running_job(&server).await;
    drop(server);
    let _server = ServerProcess::start_at(&address, &settings).await;
    let (code, out, err) = parts(&wait_for(child).await);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(in_one_line(&out).contains("g4 $4") && out.contains("[%eval "), "{out}");
}

async fn a_signal_ends_a_command_with_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("in.pgn");
    std::fs::write(&games, TWO_GAMES).unwrap();
    let games = games.to_str().unwrap();
    for (arguments, name, expected) in [
        (&["review", games, "--time", "60s"][..], "TERM", 143),
        (&["review", games, "--time", "60s"], "INT", 130),
        (&["analyse", "startpos", "--infinite"], "TERM", 143),
        (&["analyse", "startpos", "--infinite"], "INT", 130),
    ] {
        let child = start(arguments);
        tokio::time::sleep(Duration::from_secs(2)).await;
        signal(child.id(), name);
        let (code, out, err) = parts(&wait_for(child).await);
        assert_eq!(code, Some(expected), "{arguments:?}: {err}");
        if arguments[0] == "review" {
            assert!(out.contains("2. g4 Qh4# 0-1") && out.contains("2. Bc4 *"), "{out}");
            assert!(err.contains("interrupted: "), "{err}");
        }
    }
}

/// A signal while the server is away waits for nothing.
async fn a_signal_does_not_wait_for_a_server_that_is_away() {
    let server = ServerProcess::start(&[]).await;
    let address = server.address.to_string();
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("in.pgn");
    std::fs::write(&games, TWO_GAMES).unwrap();
    let child = start(&[
        "review",
        games.to_str().unwrap(),
        "--server",
        &address,
        "--wait",
        "10m",
        "--time",
        "10s",
    ]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(server);
    let signalled = Instant::now();
    signal(child.id(), "TERM");
    let (code, out, err) = parts(&wait_for(child).await);
    assert_eq!((code, out.as_str()), (Some(143), ""), "{err}");
    assert!(err.contains("--job ") && err.contains("cannot be reached"), "{err}");
    assert!(signalled.elapsed() < Duration::from_secs(30));
}

/// A server on a free port that answers each request for events with this data.
async fn fake_server(event: &'static str) -> String {
    let engine = format!("{{\"name\":\"{}\"}}", env!("CARGO_PKG_NAME"));
    let events = move || async move {
        ([("content-type", "text/event-stream")], format!("data: {event}\n\n"))
    };
    let routes = Router::new()
        .route("/v1/engine", get(move || async move { engine }))
        .route("/v1/games/{id}/events", get(events));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

async fn a_server_without_usable_events_is_given_up() {
    let id = "0123456789abcdef0123456789abcdef";
    for (event, part) in [
        (r#"{"type":"problem","status":503,"code":"not_ready","detail":"it starts"}"#, "it starts"),
        (r#"{"type":"problem","status":404,"code":"not_found","detail":"gone"}"#, "gone"),
        (r#"{"type":"end"}"#, "an event of the server is invalid"),
    ] {
        let address = fake_server(event).await;
        let child = start(&["review", "--job", id, "--server", &address, "--wait", "2s"]);
        let (code, out, err) = parts(&wait_for(child).await);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{event}: {err}");
        assert!(err.contains(part), "{event}: {err}");
    }
}
