//! The program `kibitzer-loadtest`, driving a real server.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::net::TcpListener as StdTcpListener;
use std::process::{Command, Output};
use std::time::Duration;

use kibitzer::app::{self, Listeners};
use kibitzer::client::plain_http;
use kibitzer::config::Settings;
use serde_json::{Value, json};
use tokio::time::sleep;

/// Starts a small server in this process. Returns its URL.
async fn start_server(change: impl FnOnce(&mut Settings)) -> String {
    let mut settings = Settings::load_with(None, Some(BTreeMap::new())).unwrap();
    settings.listen = ([127, 0, 0, 1], 0).into();
    settings.search.hash_mb = 1;
    settings.search.workers = 2;
    settings.idle.positions = 0;
    change(&mut settings);
    let listeners = Listeners::bind(&settings).await.unwrap();
    let url = format!("http://{}", listeners.main.local_addr().unwrap());
    tokio::spawn(async move {
        app::serve(&settings, listeners, std::future::pending()).await.expect("the server runs");
    });
    let ready = format!("{url}/readyz");
    let client = plain_http().unwrap().build().unwrap();
    while !client.get(&ready).send().await.is_ok_and(|response| response.status().is_success()) {
        sleep(Duration::from_millis(10)).await;
    }
    url
}

async fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer-loadtest"));
    command.args(arguments).env_remove("KIBITZER_KEY");
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// The report, as JSON, of a measurement of one second.
async fn measure(url: &str, arguments: &[&str]) -> Value {
    let output = run(&[&[url, "--json", "--seconds", "1"], arguments].concat()).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn set_two_keys(settings: &mut Settings) {
    // `printf %s one | sha256sum` and so on.
    let keys = json!([
        {
            "name": "one",
            "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
            "requests": 3
        },
        {
            "name": "two",
            "sha256": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
        },
    ]);
    settings.access.keys = serde_json::from_value(keys).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn several_nodes_are_asked_in_turn_and_their_scaling_is_a_table() {
    let (first, second) = (start_server(|_| {}).await, start_server(|_| {}).await);
    let both = measure(&first, &[&second, "--connections", "2"]).await;
    assert_eq!(both["urls"], json!([first, second]));
    let requests = both["requests"].as_u64().unwrap();
    let client = plain_http().unwrap().build().unwrap();
    let mut served = 0;
    for url in [&first, &second] {
        let metrics = client.get(format!("{url}/metrics")).send().await.unwrap();
        let text = metrics.text().await.unwrap();
        let name = "kibitzer_http_requests_total{route=\"/v1/legal-moves\",";
        let line = text.lines().find(|line| line.starts_with(name)).expect("requests of the node");
        let count: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(count >= (requests / 2) as f64 - 2.0, "{line} of {requests}");
        served += count as u64;
    }
    assert_eq!(served, requests);
    let scaling = measure(&first, &[&second, "--scaling", "--connections", "1"]).await;
    let rows = scaling["rows"].as_array().unwrap();
    let nodes: Vec<&Value> = rows.iter().map(|row| &row["nodes"]).collect();
    assert_eq!(nodes, [1, 2]);
    assert_eq!(rows[0]["efficiency"], 1.0);
    assert!(rows[1]["efficiency"].as_f64().unwrap() > 0.0, "{scaling}");
    let table = run(&[&first, &second, "--scaling", "--seconds", "1", "--connections", "1"]).await;
    let table = String::from_utf8(table.stdout).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_loop_and_an_open_loop_are_measured() {
    let url = start_server(|_| {}).await;
    let closed = measure(&url, &["--connections", "2"]).await;
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

    let open = measure(&url, &["--rate", "40"]).await;
    assert_eq!(
        (&open["requests"], &open["statuses"]),
        (&json!(40), &json!({ "200": 40 })),
        "{open}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cache_hits_are_distinguished_from_searches() {
    let url = start_server(|_| {}).await;
    let arguments = ["--kind", "hit", "--count", "3", "--depth", "4", "--rate", "20"];
    let hits = measure(&url, &arguments).await;
    assert_eq!(
        (&hits["answered"], &hits["misses"], &hits["server_ms"]["count"]),
        (&json!(20), &json!(0), &json!(20))
    );
    let request = plain_http()
        .unwrap()
        .build()
        .unwrap()
        .post(format!("{url}/v1/best-move"))
        .json(&json!({ "fen": "startpos", "depth": 2 }));
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["memory"], "unknown", "random games leave the start position");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_read_to_their_end() {
    let url = start_server(|_| {}).await;
    let arguments = ["--kind", "analysis", "--depth", "5", "--multipv", "2", "--connections", "1"];
    let streams = measure(&url, &arguments).await;
    assert!(
        streams["answered"].as_u64().unwrap() > 0 && streams["failures"] == json!({}),
        "{streams}"
    );
    assert_eq!(streams["first_line_ms"]["count"], streams["answered"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_and_the_answers_of_each_key_are_counted() {
    let url = start_server(set_two_keys).await;
    let report = measure(&url, &["--rate", "20", "--key", "one", "--key", "two"]).await;
    assert_eq!(report["statuses"], json!({ "200": 13, "429": 7 }));
    assert_eq!(report["codes"], json!({ "rate_limited": 7 }));
    assert_eq!(
        report["keys"],
        json!([{ "requests": 10, "answered": 3 }, { "requests": 10, "answered": 10 }])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_requires_a_key_is_measured_with_one_only() {
    let url = start_server(|settings| {
        set_two_keys(settings);
        settings.access.required = true;
    })
    .await;
    let report = measure(&url, &["--rate", "5", "--key", "two"]).await;
    assert_eq!(report["statuses"], json!({ "200": 5 }));
    let output = run(&[&url, "--seconds", "1"]).await;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(1) && stderr.contains("requires an API key; give it with"),
        "{stderr}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_measurement_that_cannot_start_fails() {
    let unused = StdTcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unused = format!("http://{unused}");
    for (arguments, expected) in [
        (vec![unused.as_str()], "is not ready"),
        (vec!["nonsense"], "nonsense: "),
        (vec![&unused, "--positions", "no/such.epd"], "no/such.epd: "),
        (vec![&unused, "--positions", "Cargo.toml"], "Cargo.toml, line 1: "),
    ] {
        let output = run(&arguments).await;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && stderr.contains(expected),
            "{arguments:?}: {stderr}"
        );
    }
}
