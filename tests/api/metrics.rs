//! Metrics: `/metrics` counts exactly what happened.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::exposition::Exposition;
use crate::support::server_process::ServerProcess;
use crate::support::{Client, LiveBoard, Server, Stream};

crate::trials![
    requests_are_counted_by_route_and_status,
    searches_and_cache_hits_are_counted,
    cache_only_lookups_count_as_hits_or_misses,
    disk_hits_and_memory_hits_are_counted_separately,
    running_shared_and_cancelled_searches_are_counted,
    queue_refusals_are_counted,
    a_client_disconnect_is_counted_as_499,
    open_connections_are_counted,
    an_open_board_is_an_open_connection,
    open_streams_are_counted,
    speculative_searches_and_their_hits_are_counted,
    review_jobs_are_counted,
    both_exposition_formats_are_served,
    metrics_with_their_own_address_are_served_there_only,
    a_server_that_is_starting_has_metrics,
];

fn requests(page: &Exposition, route: &str, status: u16) -> f64 {
    page.value(&format!("kibitzer_http_requests_total{{route={route:?},status=\"{status}\"}}"))
}

async fn requests_are_counted_by_route_and_status() {
    let server = Server::start().await;
    for _ in 0..3 {
        server.post_ok("/v1/legal-moves", &json!({ "fen": "startpos" })).await;
    }
    server
        .post_expecting_problem("/v1/legal-moves", &json!({ "fen": "none" }), 422, "invalid_fen")
        .await;
    let deletion = server.request(Method::DELETE, "/v1/legal-moves");
    server.send(deletion).await.expect_problem(405, "method_not_allowed");
    for path in ["/no/such/path", "/v1/", "/%ff", "/v1/legal-moves/"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    for code in ["queue_full", "internal"] {
        assert_eq!(server.get(&format!("/problems/{code}")).await.status, 200);
    }
    server.get("/problems/teapot").await.expect_problem(404, "not_found");
    let page = Exposition::fetch(&server).await;
    let counted = |route, status| requests(&page, route, status);
    assert_eq!([200, 405, 422].map(|status| counted("/v1/legal-moves", status)), [3.0, 1.0, 1.0]);
    assert_eq!([200, 404].map(|status| counted("/problems/{code}", status)), [2.0, 1.0]);
    assert_eq!([200, 404].map(|status| counted("unmatched", status)), [0.0, 4.0]);
    assert_eq!(
        page.value("kibitzer_http_request_duration_seconds_count{route=\"/v1/legal-moves\"}"),
        5.0
    );
    assert!(
        page.value("kibitzer_http_request_duration_seconds_sum{route=\"/v1/legal-moves\"}") > 0.0
    );
    assert_eq!(counted("/metrics", 200), 0.0, "a response does not count itself");
    assert_eq!(requests(&Exposition::fetch(&server).await, "/metrics", 200), 1.0);
}

async fn searches_and_cache_hits_are_counted() {
    let server = Server::start().await;
    let before = Exposition::fetch(&server).await;
    for name in [
        "searches",
        "search_nodes",
        "searches_cancelled",
        "searches_shared",
        "dictionary_misses",
        "idle_hits",
    ] {
        assert_eq!(before.value(&format!("kibitzer_{name}_total")), 0.0, "{name}");
    }
    let body = json!({ "fen": "startpos", "depth": 8 });
    let found = server.post_ok("/v1/best-move", &body).await;
    assert_eq!(server.post_ok("/v1/best-move", &body).await["memory"], "hit");
    server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 1, "fresh": true })).await;
    server.post_ok("/v1/perft", &json!({ "fen": "startpos", "depth": 2 })).await;
    let page = Exposition::fetch(&server).await;
    assert_eq!(page.value("kibitzer_searches_total"), 2.0);
    assert!(page.value("kibitzer_search_nodes_total") > found["nodes"].as_f64().unwrap());
    assert_eq!(page.value("kibitzer_dictionary_hits_total{tier=\"memory\"}"), 1.0);
    assert_eq!(page.value("kibitzer_dictionary_hits_total{tier=\"disk\"}"), 0.0);
    assert_eq!(
        page.value("kibitzer_dictionary_misses_total"),
        1.0,
        "a fresh request does not look up the cache"
    );
    assert_eq!(page.value("kibitzer_dictionary_entries"), 1.0);
    for (class, count) in [("interactive", 3.0), ("batch", 0.0), ("idle", 0.0)] {
        assert_eq!(
            page.value(&format!("kibitzer_queue_wait_seconds_count{{class={class:?}}}")),
            count,
            "{class}"
        );
        assert_eq!(page.value(&format!("kibitzer_queue_length{{class={class:?}}}")), 0.0);
    }
    let occupancy = page.value("kibitzer_table_occupancy_ratio");
    assert!((0.0..=1.0).contains(&occupancy), "{occupancy}");
    // A worker that has just sent its answer may still be busy for a moment.
    assert_eq!(page.value("kibitzer_workers"), 2.0);
    Exposition::wait_until(&server, "no worker is busy", |page| {
        page.value("kibitzer_workers_busy") == 0.0
    })
    .await;
    assert_eq!((page.value("kibitzer_ready"), page.value("kibitzer_store_bytes")), (1.0, 0.0));
    assert_eq!(page.kind("kibitzer_queue_wait_seconds"), "histogram");
    if cfg!(target_os = "linux") {
        assert!(
            page.value("process_resident_memory_bytes") > 1e6
                && page.value("process_open_fds") > 3.0
        );
    }
}

const CLOUD_EVAL_START: &str =
    "/api/cloud-eval?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1";

/// Cache hits in memory and on disk, and misses.
async fn hits_and_misses(client: &Client) -> [f64; 3] {
    let page = Exposition::fetch(client).await;
    let tier = |tier: &str| page.value(&format!("kibitzer_dictionary_hits_total{{tier={tier:?}}}"));
    [tier("memory"), tier("disk"), page.value("kibitzer_dictionary_misses_total")]
}

async fn cache_only_lookups_count_as_hits_or_misses() {
    let server = Server::start().await;
    assert_eq!(server.get(CLOUD_EVAL_START).await.status, 404);
    assert_eq!(hits_and_misses(&server).await, [0.0, 0.0, 1.0]);
    server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 5, "fresh": true })).await;
    assert_eq!(server.get(CLOUD_EVAL_START).await.status, 200);
    assert_eq!(hits_and_misses(&server).await, [1.0, 0.0, 1.0]);
    assert_eq!(
        server.get(&format!("{CLOUD_EVAL_START}&multiPv=3")).await.status,
        404,
        "only one line is cached"
    );
    assert_eq!(hits_and_misses(&server).await, [1.0, 0.0, 2.0]);
    assert_eq!(server.get("/v1/explore?fen=startpos&depth=2").await.status, 200);
    assert_eq!(
        hits_and_misses(&server).await,
        [1.0, 0.0, 2.0],
        "exploring does not count as a lookup"
    );
}

async fn disk_hits_and_memory_hits_are_counted_separately() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let settings = [
        ("KIBITZER__STORE__PATH", path),
        ("KIBITZER__SHUTDOWN__DRAIN_MS", "0"),
        ("KIBITZER__IDLE__POSITIONS", "0"),
    ];
    let server = ServerProcess::start(&settings).await;
    server.client.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 6 })).await;
    server
        .client
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["e4"], "depth": 6 }))
        .await;
    assert_eq!(hits_and_misses(&server.client).await, [0.0, 0.0, 2.0]);
    server.signal("TERM");
    server.wait_for_exit(Duration::from_secs(20));

    let server = ServerProcess::start(&settings).await;
    assert_eq!(server.client.get(CLOUD_EVAL_START).await.status, 200);
    assert_eq!(hits_and_misses(&server.client).await, [0.0, 1.0, 0.0]);
    assert_eq!(server.client.get(CLOUD_EVAL_START).await.status, 200);
    assert_eq!(
        hits_and_misses(&server.client).await,
        [1.0, 1.0, 0.0],
        "a position read from disk is kept in memory"
    );
    let graph = server.client.get("/v1/explore?fen=startpos").await.json();
    assert!(graph["moves"][0]["known"].is_object(), "exploring shows positions on disk");
    assert_eq!(hits_and_misses(&server.client).await, [1.0, 1.0, 0.0]);
    let page = Exposition::fetch(&server.client).await;
    assert!(page.value("kibitzer_store_bytes") > 1_000.0);
    assert_eq!(
        (page.value("kibitzer_store_failing"), page.value("kibitzer_store_waiting")),
        (0.0, 0.0)
    );
    server.signal("TERM");
    server.wait_for_exit(Duration::from_secs(20));
}

async fn running_shared_and_cancelled_searches_are_counted() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "infinite": true });
    let first = Stream::post(&server, "/v1/analysis", &body).await;
    let page = Exposition::wait_until(&server, "nodes are counted", |page| {
        page.value("kibitzer_search_nodes_total") > 0.0
    })
    .await;
    assert_eq!(
        (page.value("kibitzer_searches_running"), page.value("kibitzer_workers_busy")),
        (1.0, 1.0)
    );
    let second = Stream::post(&server, "/v1/analysis", &body).await;
    let page = Exposition::wait_until(&server, "the search is shared", |page| {
        page.value("kibitzer_searches_shared_total") > 0.0
    })
    .await;
    assert_eq!(
        (page.value("kibitzer_searches_shared_total"), page.value("kibitzer_searches_total")),
        (1.0, 1.0)
    );
    drop(first);
    let replaced =
        json!({ "fen": "startpos", "moves": ["e4"], "infinite": true, "session": "board" });
    let replaced = Stream::post(&server, "/v1/analysis", &replaced).await;
    let page = Exposition::wait_until(&server, "both searches run", |page| {
        page.value("kibitzer_searches_running") == 2.0
    })
    .await;
    assert_eq!(
        page.value("kibitzer_searches_cancelled_total"),
        0.0,
        "the search still has a subscriber"
    );
    drop(second);
    let page = Exposition::wait_until(&server, "one search has ended", |page| {
        page.value("kibitzer_searches_running") == 1.0
    })
    .await;
    assert_eq!(page.value("kibitzer_searches_cancelled_total"), 1.0);
    server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 1, "session": "board" }))
        .await;
    let page = Exposition::wait_until(&server, "the other search has ended", |page| {
        page.value("kibitzer_searches_running") == 0.0
    })
    .await;
    assert_eq!(page.value("kibitzer_searches_cancelled_total"), 2.0);
    drop(replaced);
}

async fn queue_refusals_are_counted() {
    let server = Server::start_with(|settings| {
        settings.search.workers = 1;
        settings.queue.capacity = 1;
        settings.queue.max_wait_ms = 2_000;
    })
    .await;
    let long = |moves: Value| json!({ "fen": "startpos", "moves": moves, "infinite": true });
    let running = Stream::post(&server, "/v1/analysis", &long(json!([]))).await;
    Exposition::wait_until(&server, "the search runs", |page| {
        page.value("kibitzer_searches_running") == 1.0
    })
    .await;
    let late = tokio::spawn({
        let client = server.client.clone();
        async move {
            client
                .post("/v1/best-move", &json!({ "fen": "startpos", "moves": ["e4"], "depth": 9 }))
                .await
        }
    });
    let waits =
        |page: &Exposition| page.value("kibitzer_queue_length{class=\"interactive\"}") == 1.0;
    Exposition::wait_until(&server, "a request waits", waits).await;
    let full = json!({ "fen": "startpos", "moves": ["d4"], "depth": 9 });
    server.post_expecting_problem("/v1/best-move", &full, 503, "queue_full").await;
    late.await.unwrap().expect_problem(503, "deadline");
    let page = Exposition::fetch(&server).await;
    let refused = |reason: &str| {
        page.value(&format!(
            "kibitzer_queue_refused_total{{class=\"interactive\",reason={reason:?}}}"
        ))
    };
    assert_eq!((refused("full"), refused("late")), (1.0, 1.0));
    assert_eq!(requests(&page, "/v1/best-move", 503), 2.0);
    assert_eq!(
        page.value("kibitzer_queue_wait_seconds_count{class=\"interactive\"}"),
        1.0,
        "one search started"
    );
    drop(running);
}

async fn a_client_disconnect_is_counted_as_499() {
    let server = Server::start().await;
    let client_task = tokio::spawn({
        let client = server.client.clone();
        async move {
            client.post("/v1/best-move", &json!({ "fen": "startpos", "movetime_ms": 50_000 })).await
        }
    });
    Exposition::wait_until(&server, "the search runs", |page| {
        page.value("kibitzer_searches_running") == 1.0
    })
    .await;
    client_task.abort();
    let page = Exposition::wait_until(&server, "the disconnect is counted", |page| {
        requests(page, "/v1/best-move", 499) > 0.0
    })
    .await;
    assert_eq!(requests(&page, "/v1/best-move", 499), 1.0);
    assert_eq!(
        page.value("kibitzer_http_request_duration_seconds_count{route=\"/v1/best-move\"}"),
        1.0
    );
}

async fn open_connections_are_counted() {
    let server = Server::start().await;
    // A client with keep-alive may open another connection at any time.
    let client = Client::without_keep_alive(server.address);
    let open = |page: &Exposition| page.value("kibitzer_http_connections");
    let before = open(&Exposition::fetch(&client).await);
    assert!(before >= 1.0, "the request of the page has a connection");
    let others = [
        tokio::net::TcpStream::connect(server.address).await.unwrap(),
        tokio::net::TcpStream::connect(server.address).await.unwrap(),
    ];
    Exposition::wait_until(&client, "the connections are counted", |page| {
        open(page) >= before + 2.0
    })
    .await;
    drop(others);
    Exposition::wait_until(&client, "the connections are closed", |page| open(page) <= before)
        .await;
}

async fn an_open_board_is_an_open_connection() {
    let server = Server::start().await;
    let open = |page: &Exposition| page.value("kibitzer_http_connections");
    let before = open(&Exposition::fetch(&server).await);
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "position", "id": 1, "fen": "startpos" })).await;
    board.next_of_type("ready").await;
    assert_eq!(open(&Exposition::fetch(&server).await), before + 1.0);
    drop(board);
    Exposition::wait_until(&server, "the board is closed", |page| open(page) <= before).await;
}

async fn open_streams_are_counted() {
    let server = Server::start().await;
    let stream =
        Stream::post(&server, "/v1/analysis", &json!({ "fen": "startpos", "infinite": true }))
            .await;
    let page = Exposition::fetch(&server).await;
    assert_eq!((page.value("kibitzer_streams"), page.value("kibitzer_max_streams")), (1.0, 512.0));
    drop(stream);
    Exposition::wait_until(&server, "the stream is closed", |page| {
        page.value("kibitzer_streams") == 0.0
    })
    .await;
}

async fn speculative_searches_and_their_hits_are_counted() {
    let server = Server::start_with(|settings| settings.idle.positions = 100).await;
    server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 4 })).await;
    let done = |page: &Exposition| page.value("kibitzer_idle_searches_total") >= 20.0;
    let page = Exposition::wait_until(&server, "every move was searched speculatively", done).await;
    assert!(page.value("kibitzer_idle_nodes_total") >= 20.0);
    assert!(page.value("kibitzer_queue_wait_seconds_count{class=\"idle\"}") >= 20.0);
    assert_eq!(
        (page.value("kibitzer_searches_total"), page.value("kibitzer_idle_hits_total")),
        (1.0, 0.0)
    );
    server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["a3"], "depth": 4 }))
        .await;
    let page = Exposition::fetch(&server).await;
    assert_eq!(
        (page.value("kibitzer_searches_total"), page.value("kibitzer_idle_hits_total")),
        (1.0, 1.0)
    );
}

async fn review_jobs_are_counted() {
    let server = Server::start().await;
    let jobs =
        |page: &Exposition, state: &str| page.value(&format!("kibitzer_jobs{{state={state:?}}}"));
    let page = Exposition::fetch(&server).await;
    assert_eq!(
        (jobs(&page, "unfinished"), jobs(&page, "over"), page.value("kibitzer_max_jobs")),
        (0.0, 0.0, 1_000.0)
    );
    let submit = async |nodes: u64| {
        let answer =
            server.post("/v1/games", &json!({ "pgn": "1. e4 e5 2. Nf3 *", "nodes": nodes })).await;
        assert_eq!(answer.status, 202, "{}", answer.body);
    };
    submit(1_000).await;
    let page =
        Exposition::wait_until(&server, "the job is done", |page| jobs(page, "over") == 1.0).await;
    assert_eq!(
        (jobs(&page, "unfinished"), page.value("kibitzer_jobs_positions_total")),
        (0.0, 4.0)
    );
    assert_eq!(
        (page.value("kibitzer_jobs_bytes"), page.value("kibitzer_jobs_failing")),
        (0.0, 0.0)
    );
    let reserved = |page: &Exposition, state: &str| {
        page.value(&format!("kibitzer_jobs_reserved_bytes{{state={state:?}}}"))
    };
    let over = reserved(&page, "over");
    assert!(over > 4.0 * 80.0, "{over}");
    assert_eq!(
        (reserved(&page, "unfinished"), page.value("kibitzer_jobs_max_bytes")),
        (0.0, 33_554_432.0)
    );
    submit(1_000_000_000).await;
    let page = Exposition::fetch(&server).await;
    assert_eq!(
        (jobs(&page, "unfinished"), reserved(&page, "unfinished"), reserved(&page, "over")),
        (1.0, over, over)
    );
}

async fn both_exposition_formats_are_served() {
    let server = Server::start().await;
    let request = |accept: &str| server.request(Method::GET, "/metrics").header("accept", accept);
    let open = server
        .send(request("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3"))
        .await;
    assert_eq!(
        open.header("content-type"),
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    let old = server.send(request("text/plain;version=0.0.4")).await;
    assert_eq!(old.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert_eq!((open.header("vary"), old.header("vary")), ("accept", "accept"));
    let (open, old) = (Exposition::parse(&open), Exposition::parse(&old));
    assert_eq!(
        (open.kind("kibitzer_searches"), old.kind("kibitzer_searches_total")),
        ("counter", "counter")
    );
    let samples = |page: &Exposition| {
        page.names().into_iter().filter(|name| name.ends_with("_total")).collect::<Vec<_>>()
    };
    assert_eq!(samples(&open), samples(&old));
}

async fn metrics_with_their_own_address_are_served_there_only() {
    let server = Server::start_with(|settings| {
        settings.metrics.listen = Some("127.0.0.1:0".parse().unwrap())
    })
    .await;
    server.get("/metrics").await.expect_problem(404, "not_found");
    let metrics_client = Client::new(server.metrics_address.unwrap());
    let page = Exposition::fetch(&metrics_client).await;
    assert_eq!(requests(&page, "unmatched", 404), 1.0, "requests on the main address are counted");
    for path in ["/v1/limits", "/livez", "/"] {
        metrics_client.get(path).await.expect_problem(404, "not_found");
    }
}

async fn a_server_that_is_starting_has_metrics() {
    let app = kibitzer::app::build_app(&crate::support::server::default_settings()).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, kibitzer::http::router(app)).await });
    let page = Exposition::fetch(&client).await;
    assert_eq!(page.value("kibitzer_ready"), 0.0);
    assert!(page.names().contains("kibitzer_build_info"));
}
