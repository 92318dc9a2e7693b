//! Cached positions: the graph of positions, and evaluations in the Lichess format.

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::http2_client::Http2Client;

crate::trials![
    every_move_is_listed_and_cached_ones_come_first,
    the_opening_is_that_of_the_moves,
    a_mate_in_one_needs_no_cache,
    a_finished_game_has_no_moves,
    deeper_walks_expand_cached_positions,
    exploring_requires_a_position_and_a_valid_depth,
    unread_deep_walks_are_limited,
    a_cloud_evaluation_has_the_lichess_format,
    cloud_evaluations_are_from_whites_point_of_view,
    an_unknown_position_is_not_found_unless_it_may_be_searched,
    castling_is_written_as_king_takes_rook,
];

async fn explore(server: &Server, query: &str) -> Value {
    let answer = server.get(&format!("/v1/explore?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

async fn search(server: &Server, moves: &[&str], depth: u8) -> Value {
    server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": moves, "depth": depth }))
        .await
}

async fn every_move_is_listed_and_cached_ones_come_first() {
    let server = Server::start().await;
    let unknown = explore(&server, "fen=startpos").await;
    assert_eq!((&unknown["known"], unknown["moves"].as_array().unwrap().len()), (&Value::Null, 20));
    let codes: Vec<u64> = unknown["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["code"].as_u64().unwrap())
        .collect();
    assert!(codes.is_sorted(), "moves without scores are sorted by code");
    let after_g4 = search(&server, &["g4"], 5).await;
    let after_e4 = search(&server, &["e4"], 6).await;
    let graph = explore(&server, "fen=startpos").await;
    let (first, second, third) = (&graph["moves"][0], &graph["moves"][1], &graph["moves"][2]);
    assert_eq!(
        (&first["san"], &second["san"], &third["score"]),
        (&json!("e4"), &json!("g4"), &Value::Null)
    );
    assert_eq!(
        first["score"]["value"].as_i64().unwrap(),
        -after_e4["score"]["value"].as_i64().unwrap()
    );
    assert_eq!((&second["known"]["score"], &second["key"]), (&after_g4["score"], &after_g4["key"]));
    assert_eq!(
        (&first["known"]["depth"], &first["known"]["source"]),
        (&json!(6), &json!("memory"))
    );
    assert!(
        first["known"]["age_ms"].is_u64() && first["instruction"].as_array().unwrap().len() == 8
    );
    assert!(first.get("moves").is_none(), "the walk is one move deep");
}

async fn the_opening_is_that_of_the_moves() {
    let server = Server::start().await;
    let named = explore(&server, "fen=startpos&moves=e4,c5,Ke2,Nc6,Ke1,a5").await;
    assert_eq!(
        named["opening"],
        json!({ "eco": "B20", "name": "Sicilian Defense: King David's Opening" })
    );
    let start = explore(&server, "fen=startpos").await;
    assert!(start["opening"].is_null() && start.get("opening").is_some(), "{start}");
}

async fn a_mate_in_one_needs_no_cache() {
    let server = Server::start().await;
    let graph = explore(&server, "fen=6k1/5ppp/8/8/8/8/8/R5K1+w+-+-+0+1").await;
    let first = &graph["moves"][0];
    assert_eq!(
        (&first["san"], &first["status"], &first["known"]),
        (&json!("Ra8#"), &json!("checkmate"), &Value::Null)
    );
    assert_eq!(first["score"], json!({ "type": "mate", "value": 1 }));
}

async fn a_finished_game_has_no_moves() {
    let server = Server::start().await;
    let graph = explore(&server, "fen=startpos&moves=f3,e5,g4,Qh4&depth=3").await;
    assert_eq!((&graph["moves"], &graph["status"]), (&Value::Null, &json!("checkmate")));
}

async fn deeper_walks_expand_cached_positions() {
    let server = Server::start().await;
    search(&server, &["e4"], 4).await;
    search(&server, &["e4", "e5"], 4).await;
    let graph = explore(&server, "fen=startpos&depth=3").await;
    let e4 = &graph["moves"][0];
    assert_eq!((&e4["san"], e4["moves"].as_array().unwrap().len()), (&json!("e4"), 20));
    assert_eq!(
        (&e4["moves"][0]["san"], e4["moves"][0]["moves"].as_array().unwrap().len()),
        (&json!("e5"), 29)
    );
    assert!(e4["moves"][0]["moves"][0].get("moves").is_none(), "the walk is three moves deep");
    assert!(graph["moves"][1].get("moves").is_none(), "an unknown position is not expanded");
}

async fn exploring_requires_a_position_and_a_valid_depth() {
    let server = Server::start().await;
    server.get("/v1/explore").await.expect_problem(422, "invalid_request");
    server.get("/v1/explore?fen=startpos&depth=4").await.expect_problem(422, "invalid_request");
    server.get("/v1/explore?fen=%ff").await.expect_problem(400, "malformed_query");
    server.get("/v1/explore?fen=8/8/8/8/8/8/8/8+w+-+-").await.expect_problem(422, "invalid_fen");
}

/// Over HTTP/2 without a window, so that the client takes no byte of a response.
async fn unread_deep_walks_are_limited() {
    let server = Server::start_with(|settings| settings.http.body_timeout_ms = 300).await;
    let mut client = Http2Client::connect(&server, 0).await;
    let mut unread = Vec::new();
    for _ in 0..4 {
        unread.push(client.get("/v1/explore?fen=startpos&depth=2").await);
    }
    let problem =
        server.get("/v1/explore?fen=startpos&depth=2").await.expect_problem(503, "queue_full");
    assert_eq!(problem["detail"], "the limit of 4 concurrent deep explore requests is reached");
    assert_eq!(
        explore(&server, "fen=startpos").await["moves"].as_array().unwrap().len(),
        20,
        "a walk of one move is not limited"
    );
    drop((unread, client));
    explore(&server, "fen=startpos&depth=2").await;
}

async fn a_cloud_evaluation_has_the_lichess_format() {
    let server = Server::start().await;
    let found = server
        .post_ok("/v1/analysis", &json!({ "fen": "startpos", "depth": 9, "multipv": 2 }))
        .await;
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1";
    let answer = server.get(&format!("/api/cloud-eval?fen={fen}&multiPv=2&variant=standard")).await;
    let evaluation = answer.json();
    let members: Vec<_> = evaluation.as_object().unwrap().keys().collect();
    assert_eq!(members, ["fen", "knodes", "depth", "pvs"]);
    assert_eq!(
        (&evaluation["fen"], &evaluation["depth"]),
        (&json!(fen.replace('+', " ")), &found["depth"])
    );
    assert_eq!(evaluation["knodes"], found["nodes"].as_u64().unwrap() / 1_000);
    for (pv, line) in
        evaluation["pvs"].as_array().unwrap().iter().zip(found["lines"].as_array().unwrap())
    {
        let moves: Vec<_> =
            line["pv"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        assert_eq!((&pv["moves"], &pv["cp"]), (&json!(moves.join(" ")), &line["score"]["value"]));
        assert!(pv.get("mate").is_none());
    }
    assert_eq!(server.get("/api/cloud-eval?fen=%ff").await.status, 400);
    server.get("/api/cloud-eval?multiPv=0").await.expect_problem(422, "invalid_request");
}

async fn cloud_evaluations_are_from_whites_point_of_view() {
    let server = Server::start().await;
    let fen = "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1";
    server.post_ok("/v1/best-move", &json!({ "fen": fen, "depth": 4 })).await;
    let evaluation =
        server.get(&format!("/api/cloud-eval?fen={}", fen.replace(' ', "+"))).await.json();
    assert_eq!(evaluation["pvs"], json!([{ "moves": "a8a1", "mate": -1 }]));
}

async fn an_unknown_position_is_not_found_unless_it_may_be_searched() {
    let server = Server::start().await;
    let start = "/api/cloud-eval?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1";
    for path in [start, "/api/cloud-eval?fen=nonsense", &format!("{start}&variant=atomic")] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(
            answer.json(),
            json!({ "error": "No cloud evaluation available for that position" })
        );
    }
    let server = Server::start_with(|settings| settings.lichess.compute_ms = 50).await;
    let evaluation = server.get(start).await.json();
    assert!(
        evaluation["depth"].as_u64().unwrap() > 0 && evaluation["pvs"][0]["moves"].is_string(),
        "{evaluation}"
    );
    let server = Server::start_with(|settings| {
        settings.lichess.compute_ms = 50;
        settings.shutdown.drain_ms = 2_000;
    })
    .await;
    let client = server.client.clone();
    server.stop.send(()).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    client.get(start).await.expect_problem(503, "shutting_down");
}

async fn castling_is_written_as_king_takes_rook() {
    let server = Server::start().await;
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    server.post_ok("/v1/analysis", &json!({ "fen": fen, "depth": 2, "multipv": 5 })).await;
    let body = json!({ "fen": fen, "depth": 2, "searchmoves": ["O-O"], "castling": "960" });
    assert_eq!(server.post_ok("/v1/analysis", &body).await["best_move"], "e1h1");
    let evaluation = server
        .get(&format!("/api/cloud-eval?fen={}&multiPv=5", fen.replace(' ', "+")))
        .await
        .json();
    let all = evaluation["pvs"].to_string();
    assert!(!all.contains("e1g1"), "{all}");
}
