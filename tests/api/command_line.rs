//! Commands of the program other than `serve` and `uci`.

use std::net::TcpListener;

use crate::support::Server;
use crate::support::server_process::{kibitzer_command, run};

crate::trials![
    perft_prints_nodes_and_speed,
    perft_divides,
    perft_refuses_a_bad_position,
    healthcheck_reports_by_its_exit_status,
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
    assert_eq!(run(&["healthcheck", "--listen", &unused_address]).status.code(), Some(1));
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
