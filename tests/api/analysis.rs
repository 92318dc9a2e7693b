//! Analyses: several lines, returned at the end or streamed.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::{Server, Stream, assert_win_chances};

crate::trials![
    several_lines_come_best_first,
    searchmoves_restricts_the_lines,
    scores_can_be_reported_from_whites_point_of_view,
    pv_length_truncates_each_line,
    multipv_above_the_cap_is_clamped_and_reported,
    a_mate_search_has_one_line,
    a_multipv_analysis_is_cached,
    infinite_and_a_limit_exclude_each_other,
    the_format_follows_the_accept_header,
    an_unacceptable_format_is_refused,
    a_query_is_equivalent_to_a_body,
    a_query_that_is_not_percent_encoded_is_refused,
    iterations_are_streamed_and_the_end_comes_last,
    the_last_info_reports_the_proved_mate,
    events_have_names_and_ids_and_a_finished_stream_is_answered_204,
    a_cached_analysis_is_sent_first,
    a_game_that_is_over_ends_its_stream_at_once,
    a_queued_analysis_reports_its_position,
    a_quiet_analysis_sends_heartbeats,
    a_client_disconnect_frees_its_worker,
    a_newer_analysis_of_the_session_replaces_the_older_one,
    an_error_before_the_first_line_is_a_status,
    shutdown_ends_a_stream,
];

/// White is a rook down. A search of this position takes long.
const LONG_SEARCH_FEN: &str = "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1";

const PATH: &str = "/v1/analysis";

async fn one_worker() -> Server {
    Server::start_with(|settings| settings.search.workers = 1).await
}

async fn several_lines_come_best_first() {
    let server = Server::start().await;
    let answer =
        server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 6, "multipv": 3 })).await;
    let lines = answer["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 3);
    assert_eq!(answer["best_move"], lines[0]["pv"][0]);
    assert_eq!(answer["score"], lines[0]["score"]);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!((&line["rank"], &line["depth"]), (&json!(index + 1), &json!(6)));
        assert_eq!(line["pv"].as_array().unwrap().len(), line["pv_san"].as_array().unwrap().len());
        assert_eq!(
            line["wdl"]
                .as_array()
                .unwrap()
                .iter()
                .map(|chance| chance.as_u64().unwrap())
                .sum::<u64>(),
            1000
        );
    }
    let scores: Vec<i64> =
        lines.iter().map(|line| line["score"]["value"].as_i64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(answer.get("pv").is_none());
}

async fn searchmoves_restricts_the_lines() {
    let server = Server::start().await;
    let searchmoves = ["a3", "h2h3", "a2a3"];
    let body = json!({ "fen": "startpos", "depth": 4, "multipv": 5, "searchmoves": searchmoves });
    let answer = server.post_ok(PATH, &body).await;
    let mut firsts: Vec<_> = answer["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["pv"][0].as_str().unwrap())
        .collect();
    firsts.sort_unstable();
    assert_eq!(firsts, ["a2a3", "h2h3"]);
    assert_eq!(answer["memory"], "not_asked");
    let problem = server
        .post_expecting_problem(
            PATH,
            &json!({ "fen": "startpos", "searchmoves": ["e4", "e5"] }),
            422,
            "illegal_move",
        )
        .await;
    assert_eq!(
        (&problem["index"], &problem["text"], &problem["why"]),
        (&json!(1), &json!("e5"), &json!("not_legal"))
    );
    assert!(problem["detail"].as_str().unwrap().starts_with("searchmoves[1]"), "{problem}");
}

async fn scores_can_be_reported_from_whites_point_of_view() {
    let server = Server::start().await;
    let send_request = async |pov: &str| {
        let body = json!({
            "fen": LONG_SEARCH_FEN, "moves": ["a3"], "depth": 5, "pov": pov, "multipv": 2,
        });
        server.post_ok(PATH, &body).await
    };
    let (side, white) = (send_request("side").await, send_request("white").await);
    assert_win_chances(&side["lines"]);
    assert_win_chances(&white["lines"]);
    for (side, white) in
        side["lines"].as_array().unwrap().iter().zip(white["lines"].as_array().unwrap())
    {
        assert!(side["score"]["value"].as_i64().unwrap() > 0);
        assert_eq!(
            side["score"]["value"].as_i64().unwrap(),
            -white["score"]["value"].as_i64().unwrap()
        );
        assert_eq!((&side["wdl"][0], &side["wdl"][2]), (&white["wdl"][2], &white["wdl"][0]));
    }
    let mate = json!({ "fen": "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "depth": 2 });
    assert_eq!(server.post_ok(PATH, &mate).await["lines"][0]["win_chance"], 97.54);
    server
        .post_expecting_problem(
            PATH,
            &json!({ "fen": "startpos", "pov": "black" }),
            422,
            "invalid_request",
        )
        .await;
}

async fn pv_length_truncates_each_line() {
    let server = Server::start().await;
    let answer =
        server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 6, "pv_length": 1 })).await;
    let line = &answer["lines"][0];
    assert_eq!((line["pv"].as_array().unwrap().len(), &line["pv_truncated"]), (1, &json!(true)));
    assert!(answer["ponder"].is_string(), "ponder is not truncated");
    let whole = server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 6 })).await;
    assert_eq!(whole["lines"][0]["pv_truncated"], false);
}

async fn multipv_above_the_cap_is_clamped_and_reported() {
    let server = Server::start().await;
    let answer =
        server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 3, "multipv": 50 })).await;
    assert_eq!(answer["clamped"], json!([{ "member": "multipv", "asked": 50, "given": 5 }]));
    assert_eq!(answer["lines"].as_array().unwrap().len(), 5);
    let few = server
        .post_ok(PATH, &json!({ "fen": "7k/8/8/8/8/8/r7/7K w - - 0 1", "depth": 3, "multipv": 5 }))
        .await;
    assert_eq!(
        (few["lines"].as_array().unwrap().len(), &few["clamped"]),
        (1, &json!([])),
        "the position has one legal move"
    );
}

async fn a_mate_search_has_one_line() {
    let server = Server::start().await;
    let body = json!({ "fen": "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "mate": 2, "multipv": 2 });
    let answer = server.post_ok(PATH, &body).await;
    assert_eq!(
        (&answer["reason"], &answer["lines"][0]["pv_san"]),
        (&json!("mate"), &json!(["Ra8#"]))
    );
    assert_eq!(answer["clamped"], json!([{ "member": "multipv", "asked": 2, "given": 1 }]));
}

async fn a_multipv_analysis_is_cached() {
    let server = Server::start().await;
    let send_request = async |lines: u64| {
        server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 5, "multipv": lines })).await
    };
    let searched = send_request(3).await;
    assert_eq!(searched["memory"], "unknown");
    let (three, two, four) = (send_request(3).await, send_request(2).await, send_request(4).await);
    assert_eq!((&three["memory"], &three["lines"]), (&json!("hit"), &searched["lines"]));
    assert_eq!((&two["memory"], two["lines"].as_array().unwrap().len()), (&json!("hit"), 2));
    assert_eq!(four["memory"], "shallow");
    let best = server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 5 })).await;
    assert_eq!(best["memory"], "hit");
}

async fn infinite_and_a_limit_exclude_each_other() {
    let server = Server::start().await;
    for limit in ["depth", "nodes", "movetime_ms", "mate"] {
        let mut body = json!({ "fen": "startpos", "infinite": true });
        body[limit] = 5.into();
        let problem = server.post_expecting_problem(PATH, &body, 422, "invalid_request").await;
        assert_eq!(
            (&problem["errors"][0]["code"], &problem["errors"][0]["pointer"]),
            (&json!("conflict"), &json!("/infinite"))
        );
    }
    let body = json!({ "fen": "startpos", "infinite": true, "depth": 0 });
    let problem = server.post_expecting_problem(PATH, &body, 422, "invalid_request").await;
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1, "without a limit, no conflict");
    assert_eq!(problem["errors"][0]["pointer"], "/depth");
}

async fn the_format_follows_the_accept_header() {
    let server = Server::start().await;
    let query = format!("{PATH}?fen=startpos&depth=2");
    let get =
        |accept: &str| server.request(Method::GET, &query).header("accept", accept.to_owned());
    let post = |accept: &str| {
        let body = json!({ "fen": "startpos", "depth": 2 });
        server.request(Method::POST, PATH).header("accept", accept.to_owned()).json(&body)
    };
    let cases = [
        (get("*/*"), "text/event-stream"),
        (server.request(Method::GET, &query), "text/event-stream"),
        (get("application/json"), "application/json"),
        (get("application/x-ndjson"), "application/x-ndjson"),
        (post("*/*"), "application/json"),
        (post("text/event-stream"), "text/event-stream"),
        (post("application/x-ndjson;q=0.9, text/event-stream;q=0.8"), "application/x-ndjson"),
    ];
    for (request, kind) in cases {
        let answer = server.send(request).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, kind));
        if kind != "application/json" {
            assert_eq!(
                (answer.header("x-accel-buffering"), answer.header("cache-control")),
                ("no", "no-store")
            );
        }
    }
}

async fn an_unacceptable_format_is_refused() {
    let server = Server::start().await;
    for method in [Method::GET, Method::POST] {
        let request = match method {
            Method::GET => server.request(method, &format!("{PATH}?fen=startpos&depth=2")),
            _ => server.request(method, PATH).json(&json!({ "fen": "startpos" })),
        };
        let request = request.header("accept", "text/html");
        server.send(request).await.expect_problem(406, "not_acceptable");
    }
}

async fn a_query_is_equivalent_to_a_body() {
    let server = Server::start().await;
    let query =
        "fen=startpos&moves=e4,%20e5,Nf3&depth=4&multipv=2&searchmoves=Nc6,d6&pov=white&fresh=true";
    let request = server
        .request(Method::GET, &format!("{PATH}?{query}"))
        .header("accept", "application/json");
    let by_query = server.send(request).await.json();
    let body = json!({
        "fen": "startpos", "moves": ["e4", "e5", "Nf3"], "depth": 4, "multipv": 2,
        "searchmoves": ["Nc6", "d6"], "pov": "white", "fresh": true,
    });
    // A new server, whose table is empty too.
    let by_body = Server::start().await.post_ok(PATH, &body).await;
    for member in ["fen", "best_move", "lines", "depth", "reason"] {
        assert!(by_query.get(member).is_some(), "{member}");
        assert_eq!(by_query[member], by_body[member], "{member}");
    }
    let castling = format!(
        "{PATH}?fen=r3k2r/8/8/8/8/8/8/R3K2R+w+KQkq+-+0+1&depth=1&searchmoves=O-O&castling=960"
    );
    let answer = server
        .send(server.request(Method::GET, &castling).header("accept", "application/json"))
        .await
        .json();
    assert_eq!((&answer["best_move"], &answer["best_move_san"]), (&json!("e1h1"), &json!("O-O")));
    let check = format!("{PATH}?fen=startpos&moves=e4,f5,Qh5+,g6&depth=1");
    assert_eq!(
        server.send(server.request(Method::GET, &check)).await.status,
        200,
        "a plus sign in a query is a space"
    );
}

async fn a_query_that_is_not_percent_encoded_is_refused() {
    let server = Server::start().await;
    server.get(&format!("{PATH}?fen=%ff")).await.expect_problem(400, "malformed_query");
    let problem = server
        .get(&format!("{PATH}?depth=deep&colour=red"))
        .await
        .expect_problem(422, "invalid_request");
    let errors: Vec<_> =
        problem["errors"].as_array().unwrap().iter().map(|error| &error["code"]).collect();
    assert_eq!(errors, ["missing", "wrong_type", "unknown_member"]);
    server
        .get(&format!("{PATH}?fen=8/8/8/8/8/8/8/8+w+-+-"))
        .await
        .expect_problem(422, "invalid_fen");
    server.get(&format!("{PATH}?fen=startpos&moves=e5")).await.expect_problem(422, "illegal_move");
}

async fn iterations_are_streamed_and_the_end_comes_last() {
    let server = Server::start().await;
    let body = json!({ "fen": LONG_SEARCH_FEN, "movetime_ms": 1_000, "multipv": 2 });
    let mut stream = Stream::post(&server, PATH, &body).await;
    let started = Instant::now();
    let lines = stream.remaining_lines().await;
    assert!(started.elapsed() > Duration::from_millis(500));
    let (end, infos) = lines.split_last().unwrap();
    assert_eq!(
        (&end["type"], &end["reason"], &end["memory"]),
        (&json!("end"), &json!("time"), &json!("unknown"))
    );
    assert!(infos.len() > 2 && infos.len() < 14, "more than ten infos per second: {}", infos.len());
    for (index, info) in infos.iter().enumerate() {
        assert_eq!(
            (&info["type"], &info["seq"], &info["source"]),
            (&json!("info"), &json!(index + 1), &json!("search"))
        );
        assert_eq!(info["lines"].as_array().unwrap().len(), 2);
    }
    let depths: Vec<u64> = infos.iter().map(|info| info["depth"].as_u64().unwrap()).collect();
    assert!(depths.is_sorted_by(|a, b| a < b), "{depths:?}");
    assert!(end["best_move"].is_string() && end["best_move_san"].is_string());
}

async fn the_last_info_reports_the_proved_mate() {
    let server = Server::start().await;
    let body = json!({ "fen": "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate": 2 });
    let lines = Stream::post(&server, PATH, &body).await.remaining_lines().await;
    let [infos @ .., last, end] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&end["reason"], &end["best_move"]), (&json!("mate"), &json!("a1a6")));
    let line = &last["lines"][0];
    assert_eq!(
        (&line["score"], &line["pv_san"]),
        (&json!({ "type": "mate", "value": 2 }), &json!(["Ra6", "bxa6", "b7#"]))
    );
    assert!(infos.iter().all(|info| info["depth"].as_u64() <= last["depth"].as_u64()), "{lines:?}");
}

async fn events_have_names_and_ids_and_a_finished_stream_is_answered_204() {
    let server = Server::start().await;
    let request = || server.request(Method::GET, &format!("{PATH}?fen=startpos&depth=4"));
    let mut stream = Stream::open(&server, request(), "text/event-stream").await;
    let mut last = None;
    while let Some(event) = stream.next_event().await {
        assert_eq!(event.data["type"], event.name);
        match event.name.as_str() {
            "info" => assert_eq!(event.id, Some(event.data["seq"].to_string())),
            "end" => assert_eq!(event.id.as_deref(), Some("end")),
            other => panic!("{other}"),
        }
        last = Some(event);
    }
    assert_eq!(last.unwrap().name, "end");
    let again = server.send(request().header("last-event-id", "end")).await;
    assert_eq!((again.status, again.body.as_str()), (204, ""));
    let halfway = server.send(request().header("last-event-id", "1")).await;
    assert_eq!(halfway.status, 200);
}

async fn a_cached_analysis_is_sent_first() {
    let server = one_worker().await;
    server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 8 })).await;
    let mut busy =
        Stream::post(&server, PATH, &json!({ "fen": LONG_SEARCH_FEN, "infinite": true })).await;
    busy.next_of_type("info").await;
    let mut stream =
        Stream::post(&server, PATH, &json!({ "fen": "startpos", "depth": 60, "movetime_ms": 300 }))
            .await;
    let known = stream.next_line().await.unwrap();
    assert_eq!(
        (&known["type"], &known["source"], &known["depth"]),
        (&json!("info"), &json!("memory"), &json!(8))
    );
    assert!(known["age_ms"].is_u64());
    assert_eq!(stream.next_line().await.unwrap()["type"], "queued");
    drop(busy);
    let lines = stream.remaining_lines().await;
    let (end, infos) = lines.split_last().unwrap();
    assert_eq!((&end["reason"], &end["memory"]), (&json!("time"), &json!("shallow")));
    assert!(infos.iter().all(|info| info["depth"].as_u64().unwrap() > 8), "{infos:#?}");
    let mut enough = Stream::post(&server, PATH, &json!({ "fen": "startpos", "depth": 8 })).await;
    let lines = enough.remaining_lines().await;
    assert_eq!((lines.len(), &lines[0]["source"]), (2, &json!("memory")));
    assert_eq!(
        (&lines[1]["type"], &lines[1]["reason"], &lines[1]["memory"]),
        (&json!("end"), &json!("depth"), &json!("hit"))
    );
}

async fn a_game_that_is_over_ends_its_stream_at_once() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] });
    let lines = Stream::post(&server, PATH, &body).await.remaining_lines().await;
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (&lines[0]["type"], &lines[0]["reason"], &lines[0]["best_move"]),
        (&json!("end"), &json!("terminal"), &Value::Null)
    );
}

async fn a_queued_analysis_reports_its_position() {
    let server = one_worker().await;
    let infinite = |fen: &str| json!({ "fen": fen, "infinite": true });
    let mut running = Stream::post(&server, PATH, &infinite(LONG_SEARCH_FEN)).await;
    running.next_of_type("info").await;
    let mut second = Stream::post(&server, PATH, &infinite("startpos")).await;
    let mut third =
        Stream::post(&server, PATH, &json!({ "fen": "startpos", "moves": ["e4"], "depth": 3 }))
            .await;
    assert_eq!(second.next_line().await.unwrap(), json!({ "type": "queued", "position": 1 }));
    assert_eq!(third.next_line().await.unwrap(), json!({ "type": "queued", "position": 2 }));
    drop(second);
    assert_eq!(third.next_line().await.unwrap(), json!({ "type": "queued", "position": 1 }));
    drop(running);
    assert_eq!(third.next_of_type("end").await["reason"], "depth");
}

async fn a_quiet_analysis_sends_heartbeats() {
    let server = Server::start_with(|settings| settings.stream.heartbeat_ms = 100).await;
    let mut stream =
        Stream::post(&server, PATH, &json!({ "fen": LONG_SEARCH_FEN, "infinite": true })).await;
    let first = stream.next_of_type("heartbeat").await;
    let second = stream.next_of_type("heartbeat").await;
    for member in ["time_ms", "nodes"] {
        assert!(
            second[member].as_u64().unwrap() > first[member].as_u64().unwrap(),
            "{member}: {first} {second}"
        );
    }
}

async fn a_client_disconnect_frees_its_worker() {
    let server = one_worker().await;
    let mut stream =
        Stream::post(&server, PATH, &json!({ "fen": LONG_SEARCH_FEN, "infinite": true })).await;
    stream.next_of_type("info").await;
    let next = {
        let client = server.client.clone();
        tokio::spawn(async move {
            client.post_ok("/v1/perft", &json!({ "fen": "startpos", "depth": 1 })).await
        })
    };
    sleep(Duration::from_millis(100)).await;
    assert!(!next.is_finished());
    let disconnected = Instant::now();
    drop(stream);
    next.await.unwrap();
    // 20 ms on a quiet machine; the limit allows for a busy one.
    assert!(disconnected.elapsed() < Duration::from_millis(400), "{:?}", disconnected.elapsed());
}

async fn a_newer_analysis_of_the_session_replaces_the_older_one() {
    let server = one_worker().await;
    let body = |fen: &str| json!({ "fen": fen, "infinite": true, "session": "board" });
    let mut older = Stream::post(&server, PATH, &body(LONG_SEARCH_FEN)).await;
    let info = older.next_of_type("info").await;
    let mut newer = Stream::post(&server, PATH, &body("startpos")).await;
    let lines = older.remaining_lines().await;
    let end = lines.last().unwrap();
    assert_eq!((&end["type"], &end["reason"]), (&json!("end"), &json!("replaced")));
    assert!(end["best_move"].is_string(), "{info}");
    newer.next_of_type("info").await;
}

async fn an_error_before_the_first_line_is_a_status() {
    let server = Server::start_with(|settings| {
        settings.search.workers = 1;
        settings.queue.capacity = 1;
    })
    .await;
    let infinite = |fen: &str| json!({ "fen": fen, "infinite": true });
    let mut running = Stream::post(&server, PATH, &infinite(LONG_SEARCH_FEN)).await;
    running.next_of_type("info").await;
    let mut waiting = Stream::post(&server, PATH, &infinite("startpos")).await;
    waiting.next_of_type("queued").await;
    let full = server.request(Method::POST, PATH).header("accept", "application/x-ndjson");
    let full = server
        .send(full.json(&json!({ "fen": "startpos", "moves": ["e4"], "infinite": true })))
        .await;
    full.expect_problem(503, "queue_full");
    let by_query = server.get(&format!("{PATH}?fen=startpos&moves=d4&infinite=true")).await;
    by_query.expect_problem(503, "queue_full");
}

async fn shutdown_ends_a_stream() {
    let server = one_worker().await;
    let infinite = |fen: &str| json!({ "fen": fen, "infinite": true });
    let mut running = Stream::post(&server, PATH, &infinite(LONG_SEARCH_FEN)).await;
    running.next_of_type("info").await;
    let mut waiting = Stream::post(&server, PATH, &infinite("startpos")).await;
    waiting.next_of_type("queued").await;
    server.stop.send(()).unwrap();
    assert_eq!(running.next_of_type("end").await["reason"], "shutdown");
    let problem = waiting.remaining_lines().await.pop().unwrap();
    assert_eq!(
        (&problem["type"], &problem["code"], &problem["status"]),
        (&json!("problem"), &json!("shutting_down"), &json!(503))
    );
    assert!(problem["request_id"].as_str().is_some_and(|id| id.len() == 16), "{problem}");
}
