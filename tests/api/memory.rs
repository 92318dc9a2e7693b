//! What is remembered, and when it answers.

use serde_json::{Value, json};

use crate::support::Server;

crate::claims![
    a_repeated_question_is_answered_from_memory,
    a_deep_answer_serves_a_shallow_question_and_not_the_other_way_round,
    fresh_does_not_ask_memory_but_is_remembered,
    another_history_is_another_question,
    every_spelling_of_a_position_is_one_question,
    limits_show_how_much_is_remembered,
];

async fn ask(server: &Server, body: Value) -> (String, String, Value) {
    let answer = server.ask("/v1/best-move", &body).await;
    let text = |member: &str| answer[member].as_str().unwrap().to_owned();
    (text("source"), text("memory"), answer)
}

async fn a_repeated_question_is_answered_from_memory() {
    let server = Server::start().await;
    let body = json!({ "fen": "startpos", "moves": ["e4", "c5"], "depth": 5 });
    let (source, memory, first) = ask(&server, body.clone()).await;
    assert_eq!((source.as_str(), memory.as_str()), ("search", "unknown"));
    let (source, memory, second) = ask(&server, body).await;
    assert_eq!((source.as_str(), memory.as_str()), ("memory", "hit"));
    assert!(second["age_ms"].is_u64());
    for same in ["best_move", "score", "pv", "depth", "nodes", "reason", "fen"] {
        assert_eq!(first[same], second[same], "{same}");
    }
}

async fn a_deep_answer_serves_a_shallow_question_and_not_the_other_way_round() {
    let server = Server::start().await;
    ask(&server, json!({ "fen": "startpos", "depth": 4 })).await;
    let (source, memory, answer) = ask(&server, json!({ "fen": "startpos", "depth": 6 })).await;
    assert_eq!(
        (source.as_str(), memory.as_str(), &answer["depth"]),
        ("search", "shallow", &json!(6))
    );
    let (source, memory, answer) = ask(&server, json!({ "fen": "startpos", "depth": 3 })).await;
    assert_eq!((source.as_str(), memory.as_str(), &answer["depth"]), ("memory", "hit", &json!(6)));
    assert_eq!(answer["reason"], "depth");
    let (source, _, answer) = ask(&server, json!({ "fen": "startpos", "nodes": 10 })).await;
    assert_eq!((source.as_str(), &answer["reason"]), ("memory", &json!("nodes")));
}

async fn fresh_does_not_ask_memory_but_is_remembered() {
    let server = Server::start().await;
    ask(&server, json!({ "fen": "startpos", "depth": 4 })).await;
    let (source, memory, _) =
        ask(&server, json!({ "fen": "startpos", "depth": 5, "fresh": true })).await;
    assert_eq!((source.as_str(), memory.as_str()), ("search", "not_asked"));
    let (source, _, answer) = ask(&server, json!({ "fen": "startpos", "depth": 5 })).await;
    assert_eq!((source.as_str(), &answer["depth"]), ("memory", &json!(5)));
}

async fn another_history_is_another_question() {
    let server = Server::start().await;
    let fen = "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1";
    let round = json!(["Ra2", "Kd8", "Ra1", "Ke8"]);
    ask(&server, json!({ "fen": fen, "moves": round, "depth": 6 })).await;
    let (_, memory, _) =
        ask(&server, json!({ "fen": fen, "moves": ["Ra3", "Kf8", "Ra1", "Ke8"], "depth": 6 }))
            .await;
    assert!(memory != "hit", "{memory}");
    let (_, memory, _) = ask(&server, json!({ "fen": fen, "moves": round, "depth": 6 })).await;
    assert_eq!(memory, "hit");
}

async fn every_spelling_of_a_position_is_one_question() {
    let server = Server::start().await;
    ask(&server, json!({ "fen": "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1", "depth": 4 })).await;
    let (source, _, _) =
        ask(&server, json!({ "fen": "4k2r/8/8/8/8/8/8/R3K3_w_Ah_-", "depth": 4 })).await;
    assert_eq!(source, "memory");
}

async fn limits_show_how_much_is_remembered() {
    let server = Server::with(|settings| settings.dictionary.max_entries = 1_000).await;
    assert_eq!(
        server.get("/v1/limits").await.json()["dictionary"],
        json!({ "entries": 0, "max_entries": 1_000 })
    );
    ask(&server, json!({ "fen": "startpos", "depth": 2 })).await;
    let entries = server.get("/v1/limits").await.json()["dictionary"]["entries"].as_u64().unwrap();
    assert!(entries >= 1);
}
