//! Best moves.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Server, TestResponse};

crate::trials![
    a_depth_limit_is_reached,
    nodes_and_time_end_a_search,
    without_a_limit_the_default_movetime_applies,
    a_mate_is_proved_with_its_line,
    wdl_adds_up_to_1000_from_search_and_from_cache,
    a_mate_has_a_certain_wdl,
    without_such_a_mate_the_ordinary_score_is_reported,
    a_game_that_is_over_has_no_best_move,
    limits_above_a_cap_are_clamped_and_reported,
    every_answer_has_a_server_timing_header,
    a_search_can_use_two_threads,
    zero_threads_are_refused,
    threads_above_the_cap_are_clamped_and_reported,
    a_mate_search_uses_one_thread,
    scores_can_be_reported_from_whites_point_of_view,
    a_weaker_player_searches_little_and_plays_various_moves,
    the_evaluation_cache_does_not_help_a_weaker_player,
    an_invalid_strength_is_refused,
    a_weaker_player_uses_one_thread,
    members_of_an_analysis_are_refused,
    a_newer_request_of_the_session_replaces_the_older_one,
    a_request_replaced_in_the_queue_has_no_result,
    an_invalid_session_name_is_refused,
];

/// White is a rook down.
const ROOK_DOWN: &str = "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1";

fn check_line(answer: &Value) {
    let (pv, san) = (answer["pv"].as_array().unwrap(), answer["pv_san"].as_array().unwrap());
    assert!(!pv.is_empty());
    assert_eq!(pv.len(), san.len());
    assert_eq!((&answer["best_move"], &answer["best_move_san"]), (&pv[0], &san[0]));
    assert_eq!(answer["ponder"], pv.get(1).cloned().unwrap_or_default());
    assert_eq!(answer["ponder_san"], san.get(1).cloned().unwrap_or_default());
}

async fn a_depth_limit_is_reached() {
    let server = Server::start().await;
    let answer = server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["e4"], "depth": 5 }))
        .await;
    check_line(&answer);
    assert_eq!((&answer["depth"], &answer["reason"]), (&json!(5), &json!("depth")));
    assert_eq!((&answer["source"], &answer["memory"]), (&json!("search"), &json!("unknown")));
    assert_eq!(
        (&answer["shared"], &answer["clamped"], &answer["turn"]),
        (&json!(false), &json!([]), &json!("black"))
    );
    assert_eq!(answer["score"]["type"], "cp");
    assert!(answer["score"]["value"].as_i64().unwrap().abs() < 200, "{answer}");
    assert!(answer["seldepth"].as_u64().unwrap() >= 5 && answer["nodes"].as_u64().unwrap() > 20);
    assert!(answer.get("age_ms").is_none());
}

async fn nodes_and_time_end_a_search() {
    let server = Server::start().await;
    let answer =
        server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "nodes": 5_000 })).await;
    check_line(&answer);
    assert_eq!(answer["reason"], "nodes");
    assert!(answer["nodes"].as_u64().unwrap() <= 5_000, "{}", answer["nodes"]);
    let started = Instant::now();
    let answer = server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "movetime_ms": 100, "fresh": true }))
        .await;
    check_line(&answer);
    assert_eq!(answer["reason"], "time");
    assert!(
        (Duration::from_millis(90)..Duration::from_secs(2)).contains(&started.elapsed()),
        "{:?}",
        started.elapsed()
    );
}

async fn without_a_limit_the_default_movetime_applies() {
    let server = Server::start_with(|settings| settings.search.default_movetime_ms = 50).await;
    let answer = server.post_ok("/v1/best-move", &json!({ "fen": "startpos" })).await;
    assert_eq!(answer["reason"], "time");
    assert!((45..1_000).contains(&answer["time_ms"].as_u64().unwrap()), "{}", answer["time_ms"]);
}

async fn a_mate_is_proved_with_its_line() {
    let server = Server::start().await;
    let body = json!({ "fen": "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate": 4 });
    let answer = server.post_ok("/v1/best-move", &body).await;
    check_line(&answer);
    assert_eq!(answer["score"], json!({ "type": "mate", "value": 2 }));
    assert_eq!((&answer["reason"], &answer["memory"]), (&json!("mate"), &json!("not_asked")));
    assert_eq!(answer["best_move_san"], "Ra6");
    assert_eq!(answer["pv"].as_array().unwrap().len(), 3);
    assert!(answer["pv_san"][2].as_str().unwrap().ends_with('#'), "{}", answer["pv_san"]);
}

fn wdl(answer: &Value) -> [u64; 3] {
    let chances = answer["wdl"].as_array().unwrap();
    assert_eq!(chances.len(), 3, "{answer}");
    std::array::from_fn(|index| chances[index].as_u64().unwrap())
}

async fn wdl_adds_up_to_1000_from_search_and_from_cache() {
    let server = Server::start().await;
    for (fen, likelier) in [
        ("startpos", 0),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 b Qkq - 0 1", 0),
        (ROOK_DOWN, 2),
    ] {
        let body = json!({ "fen": fen, "depth": 8 });
        let [found, remembered] = [
            server.post_ok("/v1/best-move", &body).await,
            server.post_ok("/v1/best-move", &body).await,
        ];
        assert_eq!((&found["source"], &remembered["source"]), (&json!("search"), &json!("memory")));
        assert_eq!(wdl(&found).iter().sum::<u64>(), 1000);
        assert!(wdl(&found)[likelier] > wdl(&found)[2 - likelier], "{found}");
        assert_eq!(found["wdl"], remembered["wdl"]);
    }
}

async fn a_mate_has_a_certain_wdl() {
    let server = Server::start().await;
    for (fen, certain) in [
        ("7k/R7/1R6/8/8/8/8/7K w - - 0 1", [1000, 0, 0]),
        ("7k/R7/1R6/8/8/8/8/7K b - - 0 1", [0, 0, 1000]),
    ] {
        let answer = server.post_ok("/v1/best-move", &json!({ "fen": fen, "depth": 6 })).await;
        assert_eq!((&answer["score"]["type"], wdl(&answer)), (&json!("mate"), certain));
    }
}

async fn without_such_a_mate_the_ordinary_score_is_reported() {
    let server = Server::start().await;
    let answer = server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "mate": 1 })).await;
    check_line(&answer);
    assert_eq!((&answer["score"]["type"], &answer["reason"]), (&json!("cp"), &json!("depth")));
}

async fn a_game_that_is_over_has_no_best_move() {
    let server = Server::start().await;
    let (mated, drawn) =
        (json!({ "type": "mate", "value": 0 }), json!({ "type": "cp", "value": 0 }));
    for (body, score, certain) in [
        (
            json!({ "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4"], "depth": 9 }),
            &mated,
            [0, 0, 1000],
        ),
        (json!({ "fen": "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1" }), &drawn, [0, 1000, 0]),
        (json!({ "fen": "4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "mate": 2 }), &drawn, [0, 1000, 0]),
    ] {
        let answer = server.post_ok("/v1/best-move", &body).await;
        for member in ["best_move", "best_move_san", "ponder", "ponder_san"] {
            assert_eq!(answer[member], Value::Null, "{member}");
        }
        assert_eq!(
            (&answer["reason"], &answer["memory"]),
            (&json!("terminal"), &json!("not_asked"))
        );
        assert_eq!(
            (&answer["score"], &answer["pv"], &answer["nodes"]),
            (score, &json!([]), &json!(0))
        );
        assert_eq!(wdl(&answer), certain);
    }
}

async fn limits_above_a_cap_are_clamped_and_reported() {
    let server = Server::start_with(|settings| {
        settings.limits.depth = 3;
        settings.limits.nodes = 10_000;
        settings.limits.movetime_ms = 1_000;
    })
    .await;
    let body = json!({
        "fen": "startpos", "depth": 300, "nodes": 10_001,
        "movetime_ms": 99_999_999_999_999_999_999.0,
    });
    let answer = server.post_ok("/v1/best-move", &body).await;
    assert_eq!(
        answer["clamped"],
        json!([
            { "member": "depth", "asked": 300, "given": 3 },
            { "member": "nodes", "asked": 10_001, "given": 10_000 },
            { "member": "movetime_ms", "asked": u64::MAX, "given": 1_000 },
        ])
    );
    assert_eq!(answer["depth"], 3);
}

/// The milliseconds of `queue`, `search` and `total`.
fn timing(answer: &TestResponse) -> [f64; 3] {
    let header = answer.header("server-timing");
    let parts: Vec<_> = header.split(", ").collect();
    let names = ["queue;dur=", "search;dur=", "total;dur="];
    assert_eq!(parts.len(), 3, "{header}");
    std::array::from_fn(|index| {
        let number = parts[index].strip_prefix(names[index]).unwrap_or_else(|| panic!("{header}"));
        assert_eq!(number.split_once('.').map(|(_, decimals)| decimals.len()), Some(2), "{header}");
        number.parse().unwrap()
    })
}

async fn every_answer_has_a_server_timing_header() {
    let server = Server::start().await;
    let found =
        server.post("/v1/best-move", &json!({ "fen": "startpos", "movetime_ms": 60 })).await;
    let [queue, search, total] = timing(&found);
    assert!(search >= 50.0 && total >= queue + search, "{queue} {search} {total}");
    let remembered =
        server.post("/v1/best-move", &json!({ "fen": "startpos", "movetime_ms": 60 })).await;
    assert!(timing(&remembered)[1] < 20.0);
    for refused in [
        server.post("/v1/best-move", &json!({ "fen": "nonsense" })).await,
        server.post("/v1/best-move", &json!({ "fin": "startpos" })).await,
        server.post_text("/v1/best-move", "{").await,
        server.get("/v1/best-move").await,
    ] {
        assert!(refused.status >= 400);
        timing(&refused);
    }
    assert_eq!(server.get("/livez").await.header("server-timing"), "");
    let server = Server::start_with(|settings| {
        (settings.rate.requests, settings.rate.window_ms) = (1, 3_600_000)
    })
    .await;
    let unknown =
        server.request(reqwest::Method::POST, "/v1/best-move").header("x-api-key", "unknown");
    let refused = [server.send(unknown).await, server.post("/v1/best-move", &json!({})).await];
    assert_eq!(refused.each_ref().map(|answer| answer.status), [401, 429]);
    for answer in &refused {
        timing(answer);
    }
}

async fn a_search_can_use_two_threads() {
    let server = Server::start().await;
    for _ in 0..2 {
        let body =
            json!({ "fen": "startpos", "moves": ["e4"], "depth": 9, "threads": 2, "fresh": true });
        let answer = server.post_ok("/v1/best-move", &body).await;
        check_line(&answer);
        assert_eq!((&answer["reason"], &answer["clamped"]), (&json!("depth"), &json!([])));
        assert!(answer["depth"].as_u64().unwrap() >= 9, "{answer}");
    }
}

async fn zero_threads_are_refused() {
    let server = Server::start().await;
    let problem = server
        .post_expecting_problem(
            "/v1/best-move",
            &json!({ "fen": "startpos", "threads": 0 }),
            422,
            "invalid_request",
        )
        .await;
    let error = &problem["errors"][0];
    assert_eq!((&error["code"], &error["pointer"]), (&json!("out_of_range"), &json!("/threads")));
}

async fn threads_above_the_cap_are_clamped_and_reported() {
    let server = Server::start_with(|settings| settings.limits.threads = 2).await;
    let send_request = async |threads: u64| {
        server
            .post_ok(
                "/v1/best-move",
                &json!({ "fen": "startpos", "depth": 3, "threads": threads, "fresh": true }),
            )
            .await
    };
    assert_eq!(send_request(2).await["clamped"], json!([]));
    for asked in [3, 1_000, u64::MAX] {
        let answer = send_request(asked).await;
        assert_eq!(answer["clamped"], json!([{ "member": "threads", "asked": asked, "given": 2 }]));
    }
}

async fn a_mate_search_uses_one_thread() {
    let server = Server::start().await;
    let body = json!({ "fen": "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate": 4, "threads": 2 });
    let answer = server.post_ok("/v1/best-move", &body).await;
    assert_eq!((&answer["score"]["value"], &answer["reason"]), (&json!(2), &json!("mate")));
    assert_eq!(answer["clamped"], json!([{ "member": "threads", "asked": 2, "given": 1 }]));
}

async fn scores_can_be_reported_from_whites_point_of_view() {
    let server = Server::start().await;
    let fen = ROOK_DOWN.replace(" w ", " b ");
    let side = server.post_ok("/v1/best-move", &json!({ "fen": fen, "depth": 6 })).await;
    assert!(side["score"]["value"].as_i64().unwrap() > 0, "{side}");
    let body = json!({ "fen": fen, "depth": 6, "pov": "white" });
    let query = format!("fen={}&depth=6&pov=white", fen.replace(' ', "_"));
    let by_query = server.get(&format!("/v1/best-move?{query}")).await.json();
    for white in [server.post_ok("/v1/best-move", &body).await, by_query] {
        let value = white["score"]["value"].as_i64().unwrap();
        assert_eq!(value, -side["score"]["value"].as_i64().unwrap());
        let [win, draw, loss] = wdl(&white);
        assert_eq!([loss, draw, win], wdl(&side));
        assert_eq!((&white["pv"], &white["source"]), (&side["pv"], &json!("memory")));
    }
}

async fn a_weaker_player_searches_little_and_plays_various_moves() {
    let server = Server::start().await;
    let mut moves = BTreeSet::new();
    for _ in 0..64 {
        let answer =
            server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "elo": 800 })).await;
        check_line(&answer);
        assert_eq!(answer["reason"], "nodes");
        moves.insert(answer["best_move"].as_str().unwrap().to_owned());
    }
    assert!(moves.len() > 1, "{moves:?}");
    let limits = server.get("/v1/limits").await.json();
    assert_eq!(limits["elo"], json!({ "min": 800, "max": 2800 }));
    let by_query = server.get("/v1/best-move?fen=startpos&elo=2800&nodes=50").await.json();
    assert_eq!(by_query["reason"], "nodes", "{by_query}");
    assert!(by_query["nodes"].as_u64().unwrap() <= 50, "the limits of the request still hold");
}

async fn the_evaluation_cache_does_not_help_a_weaker_player() {
    let server = Server::start_with(|settings| settings.idle.positions = 0).await;
    let entries = async || server.get("/v1/limits").await.json()["dictionary"]["entries"].clone();
    let weak = json!({ "fen": "startpos", "elo": 800 });
    for known in [0, 1] {
        let answer = server.post_ok("/v1/best-move", &weak).await;
        assert_eq!(
            (&answer["memory"], &answer["source"], &answer["shared"]),
            (&json!("not_asked"), &json!("search"), &json!(false))
        );
        assert!(answer["depth"].as_u64().unwrap() < 4, "{answer}");
        assert_eq!(entries().await, known);
        server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 10 })).await;
    }
}

async fn an_invalid_strength_is_refused() {
    let server = Server::start().await;
    for (body, code) in [
        (json!({ "fen": "startpos", "elo": 799 }), "out_of_range"),
        (json!({ "fen": "startpos", "elo": 2801 }), "out_of_range"),
        (json!({ "fen": "startpos", "elo": 1500, "mate": 2 }), "conflict"),
        (json!({ "fen": "startpos", "elo": 1500, "fresh": true }), "conflict"),
    ] {
        let problem =
            server.post_expecting_problem("/v1/best-move", &body, 422, "invalid_request").await;
        assert_eq!(
            (&problem["errors"][0]["code"], &problem["errors"][0]["pointer"]),
            (&json!(code), &json!("/elo")),
            "{body}"
        );
    }
    let not_fresh = json!({ "fen": "startpos", "elo": 1500, "fresh": false });
    server.post_ok("/v1/best-move", &not_fresh).await;
}

async fn a_weaker_player_uses_one_thread() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "elo": 1500, "threads": 2 });
    let answer = server.post_ok("/v1/best-move", &body).await;
    assert_eq!(answer["clamped"], json!([{ "member": "threads", "asked": 2, "given": 1 }]));
}

async fn members_of_an_analysis_are_refused() {
    let server = Server::start().await;
    for member in ["multipv", "searchmoves", "infinite", "pv_length"] {
        let mut body = json!({ "fen": "startpos", "depth": 1 });
        body[member] = 1.into();
        let problem =
            server.post_expecting_problem("/v1/best-move", &body, 422, "invalid_request").await;
        assert_eq!(problem["errors"][0]["code"], "unknown_member");
    }
}

async fn a_newer_request_of_the_session_replaces_the_older_one() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let older = {
        let client = server.client.clone();
        let body = json!({ "fen": ROOK_DOWN, "movetime_ms": 50_000, "session": "board-1" });
        tokio::spawn(async move { client.post_ok("/v1/best-move", &body).await })
    };
    tokio::time::sleep(Duration::from_millis(100)).await;
    let newer = json!({ "fen": "startpos", "depth": 4, "session": "board-1" });
    assert_eq!(server.post_ok("/v1/best-move", &newer).await["reason"], "depth");
    let older = older.await.unwrap();
    check_line(&older);
    assert_eq!(older["reason"], "replaced");
}

async fn a_request_replaced_in_the_queue_has_no_result() {
    let server = Server::start_with(|settings| settings.search.workers = 1).await;
    let send_request = |body: Value| {
        let client = server.client.clone();
        tokio::spawn(async move { client.post_ok("/v1/best-move", &body).await })
    };
    let running = send_request(json!({ "fen": ROOK_DOWN, "movetime_ms": 50_000 }));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let waiting = send_request(json!({ "fen": "startpos", "movetime_ms": 40_000, "session": "b" }));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let newest = send_request(json!({ "fen": "startpos", "movetime_ms": 30_000, "session": "b" }));
    let answer = waiting.await.unwrap();
    assert_eq!(
        (&answer["reason"], &answer["best_move"], &answer["score"]),
        (&json!("replaced"), &Value::Null, &Value::Null)
    );
    running.abort();
    newest.abort();
}

async fn an_invalid_session_name_is_refused() {
    let server = Server::start().await;
    for bad in ["", "a b", "ä", &"x".repeat(65)] {
        let body = json!({ "fen": "startpos", "depth": 1, "session": bad });
        let problem =
            server.post_expecting_problem("/v1/best-move", &body, 422, "invalid_request").await;
        assert_eq!(
            (&problem["errors"][0]["pointer"], &problem["errors"][0]["code"]),
            (&json!("/session"), &json!("unknown_value"))
        );
    }
}
