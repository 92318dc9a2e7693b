//! The evaluation cache.

use serde_json::{Value, json};

use crate::support::Server;

crate::trials![
    a_repeated_request_is_answered_from_the_cache,
    a_deep_entry_serves_a_shallow_request_and_not_the_reverse,
    fresh_bypasses_the_cache_but_is_stored,
    another_history_is_another_cache_key,
    every_spelling_of_a_position_is_one_cache_key,
    limits_show_the_cache_size,
];

async fn best_move(server: &Server, body: Value) -> (String, String, Value) {
    let answer = server.post_ok("/v1/best-move", &body).await;
    let text = |member: &str| answer[member].as_str().unwrap().to_owned();
    (text("source"), text("memory"), answer)
}

async fn a_repeated_request_is_answered_from_the_cache() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "moves": ["e4", "c5"], "depth": 5 });
    let (source, memory, first) = best_move(&server, body.clone()).await;
    assert_eq!((source.as_str(), memory.as_str()), ("search", "unknown"));
    let (source, memory, second) = best_move(&server, body).await;
    assert_eq!((source.as_str(), memory.as_str()), ("memory", "hit"));
    assert!(second["age_ms"].is_u64());
    for same in ["best_move", "score", "pv", "depth", "nodes", "reason", "fen"] {
        assert_eq!(first[same], second[same], "{same}");
    }
}

async fn a_deep_entry_serves_a_shallow_request_and_not_the_reverse() {
    let server = Server::start().await;
    best_move(&server, json!({ "fen": "startpos", "depth": 4 })).await;
    let (source, memory, answer) =
        best_move(&server, json!({ "fen": "startpos", "depth": 6 })).await;
    assert_eq!(
        (source.as_str(), memory.as_str(), &answer["depth"]),
        ("search", "shallow", &json!(6))
    );
    let (source, memory, answer) =
        best_move(&server, json!({ "fen": "startpos", "depth": 3 })).await;
    assert_eq!((source.as_str(), memory.as_str(), &answer["depth"]), ("memory", "hit", &json!(6)));
    assert_eq!(answer["reason"], "depth");
    let (source, _, answer) = best_move(&server, json!({ "fen": "startpos", "nodes": 10 })).await;
    assert_eq!((source.as_str(), &answer["reason"]), ("memory", &json!("nodes")));
}

async fn fresh_bypasses_the_cache_but_is_stored() {
    let server = Server::start().await;
    best_move(&server, json!({ "fen": "startpos", "depth": 4 })).await;
    let (source, memory, _) =
        best_move(&server, json!({ "fen": "startpos", "depth": 5, "fresh": true })).await;
    assert_eq!((source.as_str(), memory.as_str()), ("search", "not_asked"));
    let (source, _, answer) = best_move(&server, json!({ "fen": "startpos", "depth": 5 })).await;
    assert_eq!((source.as_str(), &answer["depth"]), ("memory", &json!(5)));
}

async fn another_history_is_another_cache_key() {
    let server = Server::start().await;
    let fen = "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1";
    let round = json!(["Ra2", "Kd8", "Ra1", "Ke8"]);
    best_move(&server, json!({ "fen": fen, "moves": round, "depth": 6 })).await;
    let (_, memory, _) = best_move(
        &server,
        json!({ "fen": fen, "moves": ["Ra3", "Kf8", "Ra1", "Ke8"], "depth": 6 }),
    )
    .await;
    assert!(memory != "hit", "{memory}");
    let (_, memory, _) =
        best_move(&server, json!({ "fen": fen, "moves": round, "depth": 6 })).await;
    assert_eq!(memory, "hit");
}

async fn every_spelling_of_a_position_is_one_cache_key() {
    let server = Server::start().await;
    best_move(&server, json!({ "fen": "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1", "depth": 4 })).await;
    let (source, _, _) =
        best_move(&server, json!({ "fen": "4k2r/8/8/8/8/8/8/R3K3_w_Ah_-", "depth": 4 })).await;
    assert_eq!(source, "memory");
}

async fn limits_show_the_cache_size() {
    let server = Server::start_with(|settings| settings.dictionary.max_entries = 1_000).await;
    assert_eq!(
        server.get("/v1/limits").await.json()["dictionary"],
        json!({ "entries": 0, "max_entries": 1_000 })
    );
    best_move(&server, json!({ "fen": "startpos", "depth": 2 })).await;
    let entries = server.get("/v1/limits").await.json()["dictionary"]["entries"].as_u64().unwrap();
    assert!(entries >= 1);
}
