//! Speculative searches of idle workers.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use crate::support::Server;

crate::trials![
    the_next_position_of_a_game_is_answered_from_the_cache,
    with_0_positions_nothing_is_searched_speculatively
];

const PATH: &str = "/v1/best-move";

async fn cached_entries(server: &Server) -> u64 {
    server.get("/v1/limits").await.json()["dictionary"]["entries"].as_u64().unwrap()
}

async fn the_next_position_of_a_game_is_answered_from_the_cache() {
    let server = Server::start_with(|settings| settings.idle.positions = 64).await;
    let first = server
        .post_ok(PATH, &json!({ "fen": "startpos", "moves": ["Nf3", "Nf6"], "depth": 6 }))
        .await;
    let best = first["best_move"].as_str().unwrap().to_owned();
    for _ in 0..1_000 {
        if cached_entries(&server).await > 20 {
            break;
        }
        sleep(Duration::from_millis(20)).await;
    }
    for mv in [best.as_str(), "Nc3"] {
        let next = server
            .post_ok(PATH, &json!({ "fen": "startpos", "moves": ["Nf3", "Nf6", mv], "depth": 6 }))
            .await;
        assert_eq!((&next["source"], &next["memory"]), (&json!("memory"), &json!("hit")), "{mv}");
    }
}

async fn with_0_positions_nothing_is_searched_speculatively() {
    let server = Server::start_with(|settings| settings.idle.positions = 0).await;
    server.post_ok(PATH, &json!({ "fen": "startpos", "depth": 6 })).await;
    sleep(Duration::from_millis(300)).await;
    assert_eq!(cached_entries(&server).await, 1);
}
