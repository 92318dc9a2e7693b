//! Commands of the program other than `serve` and `uci`.

use std::net::TcpListener;

use kibitzer::config::Settings;
use serde_json::{Value, json};

use crate::support::Server;
use crate::support::server_process::{kibitzer_command, run};

crate::trials![
    perft_prints_nodes_and_speed,
    perft_divides,
    perft_refuses_a_bad_position,
    healthcheck_reports_by_its_exit_status,
    bench_http_measures_a_closed_loop_and_an_open_one,
    bench_http_distinguishes_cache_hits_from_searches,
    bench_http_follows_streams_to_their_end,
    bench_http_counts_refusals_and_what_each_key_gets,
    bench_http_without_an_answer_fails,
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

/// The JSON report of `kibitzer bench http` for a server.
async fn bench_http(server: &Server, arguments: &[&str]) -> Value {
    let url = format!("http://{}", server.address);
    let mut words = vec!["bench".to_owned(), "http".to_owned(), url];
    words.extend(["--json", "--seconds", "1"].iter().chain(arguments).map(|&word| word.to_owned()));
    let printed = tokio::task::spawn_blocking(move || {
        stdout(&words.iter().map(String::as_str).collect::<Vec<_>>())
    });
    serde_json::from_str(&printed.await.unwrap()).unwrap()
}

fn set_two_keys(settings: &mut Settings) {
    // The digests of `printf %s one | sha256sum`, and of `two`.
    let keys = json!([
        {
            "name": "one",
            "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
            "requests": 3,
        },
        {
            "name": "two",
            "sha256": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
        },
    ]);
    settings.access.keys = serde_json::from_value(keys).unwrap();
}

async fn bench_http_measures_a_closed_loop_and_an_open_one() {
    let server = Server::start().await;
    let closed = bench_http(&server, &["--connections", "2"]).await;
    assert_eq!(
        (&closed["kind"], &closed["pace"]),
        (&json!("legal-moves"), &json!({"closed": {"connections": 2}}))
    );
    let (requests, times) = (closed["requests"].as_u64().unwrap(), &closed["answer_ms"]);
    assert!(requests > 2 && closed["statuses"] == json!({ "200": requests }), "{closed}");
    let [median, p99, longest] = ["p50", "p99", "max"].map(|name| times[name].as_f64().unwrap());
    assert!(
        times["count"] == requests && 0.0 < median && median <= p99 && p99 <= longest,
        "{closed}"
    );

    let open = bench_http(&server, &["--rate", "40"]).await;
    assert_eq!(
        (&open["requests"], &open["statuses"]),
        (&json!(40), &json!({ "200": 40 })),
        "{open}"
    );
}

async fn bench_http_distinguishes_cache_hits_from_searches() {
    let server = Server::start().await;
    let hits =
        bench_http(&server, &["--kind", "hit", "--count", "3", "--depth", "4", "--rate", "20"])
            .await;
    assert_eq!(
        (&hits["answered"], &hits["misses"], &hits["server_ms"]["count"]),
        (&json!(20), &json!(0), &json!(20))
    );
    let again = server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 2 })).await;
    assert_eq!(again["memory"], "unknown", "the random games do not contain the start position");
}

async fn bench_http_follows_streams_to_their_end() {
    let server = Server::start().await;
    let streams = bench_http(
        &server,
        &["--kind", "analysis", "--depth", "5", "--multipv", "2", "--connections", "1"],
    )
    .await;
    assert!(
        streams["answered"].as_u64().unwrap() > 0 && streams["failures"] == json!({}),
        "{streams}"
    );
    assert_eq!(streams["first_line_ms"]["count"], streams["answered"]);
}

async fn bench_http_counts_refusals_and_what_each_key_gets() {
    let server = Server::start_with(set_two_keys).await;
    let report = bench_http(&server, &["--rate", "20", "--key", "one", "--key", "two"]).await;
    assert_eq!(report["statuses"], json!({ "200": 13, "429": 7 }));
    assert_eq!(report["codes"], json!({ "rate_limited": 7 }));
    assert_eq!(
        report["keys"],
        json!([{ "requests": 10, "answered": 3 }, { "requests": 10, "answered": 10 }])
    );
}

async fn bench_http_without_an_answer_fails() {
    let unused_address =
        format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    for (arguments, why) in [
        (vec!["bench", "http", &unused_address], "is not ready to be asked"),
        (vec!["bench", "http", "nonsense"], "nonsense: "),
        (vec!["bench", "http", &unused_address, "--positions", "no/such.epd"], "no/such.epd: "),
        (
            vec!["bench", "http", &unused_address, "--positions", "Cargo.toml"],
            "Cargo.toml, line 1: ",
        ),
    ] {
        let output = run(&arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && stderr.contains(why), "{arguments:?}: {stderr}");
    }
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
