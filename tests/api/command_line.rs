//! Commands of the program other than `serve` and `uci`.

use std::net::TcpListener;

use serde_json::Value;

use crate::support::serve::ServeProcess;
use crate::support::server_process::{kibitzer_command, run, set_environment};
use crate::support::{Client, Server};

crate::trials![
    perft_prints_nodes_and_speed,
    perft_divides,
    perft_accepts_startpos,
    perft_refuses_a_bad_position,
    healthcheck_reports_by_its_exit_status,
    check_config_states_the_memory_bound,
    check_config_fails_like_serve,
    an_option_before_its_command_gets_a_tip,
    an_option_for_the_port_gets_a_tip,
    a_setting_that_is_not_utf8_is_refused,
    serve_listens_on_localhost_and_on_all_addresses,
    serve_refuses_an_address_of_another_form,
    serve_logs_its_url_once_it_is_ready,
    serve_logs_the_origins_of_cors,
    openapi_prints_the_contract,
    serve_refuses_an_invalid_network,
];

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn perft_prints_nodes_and_speed() {
    let text = stdout(&["perft", "4"]);
    assert!(text.lines().any(|line| line == "nodes 197281"), "{text}");
    let nps = text.lines().find_map(|line| line.strip_prefix("nps ")).expect("a speed");
    assert!(nps.parse::<u64>().unwrap() > 0);
}

async fn perft_divides() {
    let text = stdout(&["perft", "2", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "--divide"]);
    assert!(text.lines().any(|line| line == "e1g1: 3"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("nodes ")), "{text}");
    let text = stdout(&["perft", "0", "--divide"]);
    assert!(text.lines().any(|line| line == "nodes 1"), "{text}");
}

async fn perft_accepts_startpos() {
    let text = stdout(&["perft", "3", "--fen", "startpos"]);
    assert!(text.lines().any(|line| line == "nodes 8902"), "{text}");
}

async fn perft_refuses_a_bad_position() {
    let output = run(&["perft", "2", "--fen", "nonsense"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

async fn healthcheck_reports_by_its_exit_status() {
    let server = Server::start().await;
    let address = server.address.to_string();
    let alive = tokio::task::spawn_blocking(move || run(&["healthcheck", "--listen", &address]))
        .await
        .unwrap();
    assert_eq!(alive.status.code(), Some(0), "{}", String::from_utf8_lossy(&alive.stderr));
    let unused_address =
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let dead = run(&["healthcheck", "--listen", &unused_address]);
    assert_eq!(dead.status.code(), Some(1));
    let cause = String::from_utf8_lossy(&dead.stderr).into_owned();
    assert!(cause.contains(&unused_address) && cause.contains("Connection refused"), "{cause}");
}

async fn check_config_states_the_memory_bound() {
    let mut command = kibitzer_command(&["check-config", "--config", "config/production.toml"]);
    let output = command.env("KIBITZER_SEARCH_WORKERS", "2").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let [warning, result] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(warning.contains("KIBITZER__SEARCH__WORKERS"), "{warning}");
    assert!(
        result.starts_with("the configuration is valid; memory bound: ")
            && result.ends_with(" MB (memory.max_mb: 4096 MB)"),
        "{result}"
    );
}

async fn check_config_fails_like_serve() {
    for (name, value) in [
        ("KIBITZER__SEARCH__HASH_MB", "big"),
        ("KIBITZER__MEMORY__MAX_MB", "10"),
        ("KIBITZER__SEARCH__NETWORK", "no/such.nnue"),
    ] {
        let error = |arguments: &[&str]| {
            let output = kibitzer_command(arguments).env(name, value).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{name}");
            let log = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(!log.contains("listening") && !log.contains("is valid"), "{log}");
            String::from_utf8(output.stderr).unwrap()
        };
        let served = error(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(!served.is_empty() && served == error(&["check-config"]), "{served}");
    }
}

async fn an_option_before_its_command_gets_a_tip() {
    let output = run(&["--config", "any.toml", "check-config"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("tip: options follow their command"), "{stderr}");
}

async fn an_option_for_the_port_gets_a_tip() {
    for arguments in [&["--port", "80"][..], &["serve", "--port=80"], &["-p", "80"]] {
        let output = run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("tip: `--listen` sets address and port"), "{stderr}");
    }
    let other = run(&["--colour"]);
    assert!(!String::from_utf8_lossy(&other.stderr).contains("--listen` sets"), "{other:?}");
}

#[cfg(unix)]
async fn a_setting_that_is_not_utf8_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut command = kibitzer_command(&["serve", "--listen", "127.0.0.1:0"]);
    let output =
        command.env("KIBITZER__STORE__PATH", OsStr::from_bytes(b"store-\xff")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("KIBITZER__STORE__PATH") && stderr.contains("not UTF-8"), "{stderr}");
}

#[cfg(not(unix))]
async fn a_setting_that_is_not_utf8_is_refused() {}

/// The events of a server's log, from its start to the line `listening`. It then answers requests.
async fn start_log(listen: &str, settings: &[(&str, &str)]) -> Vec<Value> {
    let mut command = kibitzer_command(&["serve", "--listen", listen]);
    set_environment(&mut command, settings);
    // The log stays open, so that the server can write to it.
    let ServeProcess { mut child, address, start_log, log: _log } =
        ServeProcess::spawn(&mut command);
    let client = Client::new(([127, 0, 0, 1], address.port()).into());
    assert_eq!(client.get("/readyz").await.status, 200, "the first request is answered");
    child.kill().unwrap();
    child.wait().unwrap();
    start_log
}

async fn serve_listens_on_localhost_and_on_all_addresses() {
    for (listen, url) in [
        ("localhost:0", "http://127.0.0.1:"),
        (":0", "http://localhost:"),
        ("0.0.0.0:0", "http://localhost:"),
    ] {
        let log = start_log(listen, &[]).await;
        let logged = log.last().unwrap()["url"].as_str().unwrap();
        assert!(logged.starts_with(url), "{listen}: {logged}");
    }
}

async fn serve_refuses_an_address_of_another_form() {
    let output = run(&["serve", "--listen", "chess.example:80"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("it must be IP:port, localhost:port or :port"), "{stderr}");
}

async fn serve_logs_its_url_once_it_is_ready() {
    let log = start_log("127.0.0.1:0", &[("KIBITZER_HTTP_CORS_ORIGINS", "*")]).await;
    let messages: Vec<_> = log.iter().map(|event| event["message"].as_str().unwrap()).collect();
    let [starting, warning, ready, cors, listening] = messages[..] else { panic!("{messages:?}") };
    assert_eq!((starting, ready, cors, listening), ("starting", "ready", "CORS: off", "listening"));
    assert!(warning.starts_with("KIBITZER_HTTP_CORS_ORIGINS has no effect"), "{warning}");
}

async fn serve_logs_the_origins_of_cors() {
    let origins = ("KIBITZER__HTTP__CORS_ORIGINS", "https://a.example,https://b.example");
    let log = start_log("127.0.0.1:0", &[origins]).await;
    let expected = "CORS: https://a.example, https://b.example";
    assert!(log.iter().any(|event| event["message"] == expected), "{log:?}");
}

async fn openapi_prints_the_contract() {
    assert_eq!(stdout(&["openapi"]), kibitzer::http::contract().to_yaml().unwrap());
}

async fn serve_refuses_an_invalid_network() {
    for (file, why) in
        [("Cargo.toml", "not a network of kibitzer"), ("no/such.nnue", "cannot read")]
    {
        let mut command = kibitzer_command(&["serve", "--listen", "127.0.0.1:0"]);
        let output =
            command.env("KIBITZER__SEARCH__NETWORK", file).output().expect("the program runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains("search.network") && stderr.contains(file) && stderr.contains(why),
            "{stderr}"
        );
    }
}
