//! Tools for language models: `POST /mcp` and `kibitzer mcp`.

pub(crate) mod fuzz;
pub(crate) mod stdio;

use std::time::Duration;

use kibitzer::config::Settings;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::server::api_key;
use crate::support::{START_FEN, Server, TestResponse};
use crate::tablebase;

crate::trials![
    a_client_initializes_and_lists_the_tools,
    legal_moves_lists_the_moves_and_shows_the_board,
    a_position_is_a_fen_or_a_pgn_with_a_ply,
    check_move_judges_a_move,
    check_move_says_why_a_move_is_illegal,
    analyse_position_compares_lines_from_whites_point_of_view,
    play_moves_follows_a_line,
    review_game_names_the_mistakes,
    review_game_continues_a_job,
    review_game_names_its_job_at_a_shutdown,
    long_documents_messages_and_lists_are_refused,
    tablebase_gives_results_for_the_player_who_moves,
    opening_names_the_opening,
    board_image_is_a_picture,
    errors_have_the_code_and_the_reason,
    an_unknown_tool_is_an_error_of_the_protocol,
    what_is_no_message_is_an_error_of_the_protocol,
    a_notification_has_no_response,
    other_methods_are_refused,
    a_hostile_host_or_origin_is_refused,
    listed_hosts_and_origins_are_allowed,
    bodies_have_the_limits_of_every_route,
    keys_and_rates_count_like_those_of_every_route,
    a_server_without_tools_has_no_route,
    a_full_queue_is_an_error_of_the_call,
    a_client_that_leaves_stops_its_search,
];

pub(crate) const FOOLS_MATE: &str = "1. f3 e5 2. g4 Qh4# 0-1";

/// A request of JSON-RPC.
pub(crate) fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// A call of a tool.
pub(crate) fn tool_call(name: &str, arguments: &Value) -> Value {
    message("tools/call", json!({ "name": name, "arguments": arguments }))
}

/// What a client sends first.
pub(crate) fn initialize() -> Value {
    let client = json!({ "name": "test", "version": "1" });
    message(
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
    )
}

async fn start_with(change: impl FnOnce(&mut Settings)) -> Server {
    Server::start_with(|settings| {
        settings.syzygy.paths = vec![tablebase::tables()];
        change(settings);
    })
    .await
}

async fn start() -> Server {
    start_with(|_| {}).await
}

/// The result of a call, also of one that failed.
async fn result(server: &Server, name: &str, arguments: Value) -> Value {
    let response = server.post_ok("/mcp", &tool_call(name, &arguments)).await;
    assert_eq!((&response["jsonrpc"], &response["id"]), (&json!("2.0"), &json!(7)), "{response}");
    response["result"].clone()
}

/// The structured content and the text of a call that succeeds.
async fn call(server: &Server, name: &str, arguments: Value) -> (Value, String) {
    let result = result(server, name, arguments).await;
    assert_ne!(result["isError"], true, "{result}");
    (result["structuredContent"].clone(), text(&result))
}

/// The text of a result, its last content.
fn text(result: &Value) -> String {
    let content = result["content"].as_array().and_then(|content| content.last());
    content.and_then(|content| content["text"].as_str()).expect("a text").to_owned()
}

/// The code and the reason of a call that fails.
async fn error(server: &Server, name: &str, arguments: Value) -> (String, String) {
    let result = result(server, name, arguments).await;
    assert_eq!(result["isError"], true, "{result}");
    let of = |name: &str| result["structuredContent"][name].as_str().unwrap().to_owned();
    let (code, detail) = (of("code"), of("detail"));
    assert_eq!(text(&result), format!("{code}: {detail}"));
    (code, detail)
}

async fn a_client_initializes_and_lists_the_tools() {
    let server = start().await;
    let response = server.post_ok("/mcp", &initialize()).await;
    let result = &response["result"];
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "kibitzer");
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
    assert!(result["instructions"].as_str().unwrap().contains("FEN"), "{result}");
    let response = server.post_ok("/mcp", &message("tools/list", json!({}))).await;
    let tools = response["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "legal_moves",
            "check_move",
            "analyse_position",
            "play_moves",
            "review_game",
            "tablebase",
            "opening",
            "board_image"
        ]
    );
    for tool in tools {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
}

async fn legal_moves_lists_the_moves_and_shows_the_board() {
    let server = start().await;
    let (answer, text) = call(&server, "legal_moves", json!({ "fen": "startpos" })).await;
    assert_eq!((&answer["fen"], &answer["count"]), (&json!(START_FEN), &json!(20)));
    assert_eq!(answer["moves"].as_array().map(Vec::len), Some(20));
    assert_eq!(answer["moves"][0].as_object().unwrap().len(), 2, "SAN and UCI: {answer}");
    assert!(text.starts_with(&format!("FEN: {START_FEN}\n\n8 r n b q k b n r\n")), "{text}");
    assert!(text.contains("\n1 R N B Q K B N R\n  a b c d e f g h\n"), "{text}");
    assert!(text.contains("White is to move.") && text.contains("20 legal moves: "), "{text}");
    let mated = json!({ "pgn": FOOLS_MATE });
    let (answer, text) = call(&server, "legal_moves", mated).await;
    assert_eq!((&answer["status"], &answer["count"]), (&json!("checkmate"), &json!(0)));
    assert!(text.contains("Checkmate: Black has won."), "{text}");
}

async fn a_position_is_a_fen_or_a_pgn_with_a_ply() {
    let server = start().await;
    let fen_after = async |arguments: Value| {
        call(&server, "legal_moves", arguments).await.0["fen"].as_str().unwrap().to_owned()
    };
    let by_fen = fen_after(json!({ "fen": "startpos", "moves": ["f3", "e7e5", "g4"] })).await;
    let by_ply = fen_after(json!({ "pgn": FOOLS_MATE, "ply": 3 })).await;
    let by_both = fen_after(json!({ "pgn": FOOLS_MATE, "ply": 1, "moves": ["e5", "g2g4"] })).await;
    assert_eq!((&by_fen, &by_fen), (&by_ply, &by_both));
    let start = fen_after(json!({ "pgn": FOOLS_MATE, "ply": 0 })).await;
    assert_eq!(start, START_FEN);
    // The moves of a PGN count for repetitions.
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *";
    let (answer, _) = call(&server, "legal_moves", json!({ "pgn": shuffle })).await;
    assert_eq!(answer["claims"], json!(["threefold_repetition"]));
    // A game that went on after its end by the rules.
    let dead = "[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd2 Kd7 2. Kd3 *";
    let (answer, _) = call(&server, "legal_moves", json!({ "pgn": dead })).await;
    assert_eq!(answer["fen"], "8/3k4/8/8/8/3K4/8/8 b - - 3 2");
}

async fn check_move_judges_a_move() {
    let server = start().await;
    let mate = json!({ "pgn": FOOLS_MATE, "ply": 3, "move": "Qh4", "movetime_ms": 200 });
    let (answer, text) = call(&server, "check_move", mate).await;
    assert_eq!((&answer["legal"], &answer["san"]), (&json!(true), &json!("Qh4#")));
    assert_eq!((&answer["best"], &answer["win_chance_loss"]), (&json!(true), &json!(0.0)));
    assert_eq!(answer["score"]["after"], json!({ "type": "mate", "value": 0 }));
    assert_eq!((&answer["better"], &answer["judgement"]), (&Value::Null, &Value::Null));
    assert!(text.contains("It is the engine's first choice."), "{text}");
    let blunder =
        json!({ "fen": "startpos", "moves": ["f3", "e5"], "move": "g2g4", "movetime_ms": 300 });
    let (answer, text) = call(&server, "check_move", blunder).await;
    assert_eq!((&answer["san"], &answer["judgement"]), (&json!("g4"), &json!("blunder")));
    assert_eq!(answer["score"]["after"], json!({ "type": "mate", "value": -1 }));
    assert!(answer["win_chance_loss"].as_f64().unwrap() > 20.0, "{answer}");
    assert!(answer["better"]["line_san"].as_array().is_some_and(|line| !line.is_empty()));
    assert!(answer["fen_after"].as_str().unwrap().contains("/6P1/5P2/"), "{answer}");
    assert!(text.contains("g4 is legal.") && text.contains("is mated in 1"), "{text}");
}

async fn check_move_says_why_a_move_is_illegal() {
    let server = start().await;
    for (arguments, part) in [
        (json!({ "fen": "startpos", "move": "Ke2" }), "is not legal"),
        (json!({ "fen": "startpos", "move": "e2e5" }), "is not legal"),
        (json!({ "fen": "startpos", "move": "knight" }), "knight"),
        (json!({ "pgn": FOOLS_MATE, "move": "a3" }), "end of the game"),
    ] {
        let (answer, text) = call(&server, "check_move", arguments.clone()).await;
        assert_eq!(answer["legal"], false, "{arguments}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains(part) && !reason.contains("moves["), "{arguments}: {reason}");
        assert!(text.contains(&format!("Illegal: {reason}")), "{text}");
    }
    let earlier = json!({ "pgn": FOOLS_MATE, "ply": 1, "moves": ["e6", "e5"], "move": "a6" });
    let (code, detail) = error(&server, "check_move", earlier).await;
    assert_eq!(code, "illegal_move");
    assert!(detail.contains("moves[1]"), "an index in the call's own moves: {detail}");
}

async fn analyse_position_compares_lines_from_whites_point_of_view() {
    let server = start().await;
    let fen = "4k3/8/8/8/8/8/q7/4K3 b - - 0 1";
    let arguments = json!({ "fen": fen, "lines": 3, "depth": 6 });
    let (answer, text) = call(&server, "analyse_position", arguments).await;
    let lines = answer["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 3, "{answer}");
    for line in lines {
        assert!(line["score"]["value"].as_i64().unwrap() < -300, "Black is ahead: {line}");
        assert!(line["win_chance"].as_f64().unwrap() < 30.0, "White's chance: {line}");
        assert!(line["pv_san"].as_array().unwrap().len() <= 12);
    }
    assert!(text.contains("Scores from White's point of view:\n1. "), "{text}");
    let (answer, text) = call(&server, "analyse_position", json!({ "pgn": FOOLS_MATE })).await;
    assert_eq!((&answer["reason"], &answer["lines"]), (&json!("terminal"), &json!([])));
    assert!(text.contains("Checkmate: Black has won."), "{text}");
}

async fn play_moves_follows_a_line() {
    let server = start().await;
    let arguments = json!({ "pgn": FOOLS_MATE, "ply": 2, "moves": ["e4", "Nc6"] });
    let (answer, text) = call(&server, "play_moves", arguments).await;
    let played = answer["played"].as_array().unwrap();
    assert_eq!(played.len(), 2, "the moves of the call, without those of the PGN: {answer}");
    assert_eq!((&played[0]["san"], &played[1]["uci"]), (&json!("e4"), &json!("b8c6")));
    assert_eq!(played[1]["fen"], answer["fen"]);
    assert!(text.contains("Played: e4 Nc6"), "{text}");
    let (code, detail) = error(&server, "play_moves", json!({ "fen": "startpos" })).await;
    assert_eq!((code.as_str(), detail.as_str()), ("invalid_request", "moves is missing"));
}

async fn review_game_names_the_mistakes() {
    let server = start().await;
    let arguments = json!({ "pgn": FOOLS_MATE, "nodes": 5_000 });
    let (answer, text) = call(&server, "review_game", arguments).await;
    assert_eq!(answer["status"], "done", "{answer}");
    assert_eq!(answer["reviewed_moves"], 4);
    let mistakes = answer["mistakes"].as_array().unwrap();
    let g4 = mistakes.iter().find(|mistake| mistake["san"] == "g4").expect("a blunder");
    assert_eq!((&g4["judgement"], &g4["ply"]), (&json!("blunder"), &json!(3)));
    assert!(g4["better_line_san"].as_array().is_some_and(|line| !line.is_empty()), "{g4}");
    assert!(answer["accuracy"]["white"].as_f64().unwrap() < 60.0);
    assert!(text.contains("ply 3 (2. g4): blunder"), "{text}");
    assert!(text.contains("Checkmate: Black has won."), "the last position: {text}");
}

async fn review_game_continues_a_job() {
    let server = start().await;
    let arguments = json!({ "pgn": FOOLS_MATE, "nodes": 2_000_000, "wait_s": 0 });
    let (answer, text) = call(&server, "review_game", arguments).await;
    assert_ne!(answer["status"], "done", "{answer}");
    let job = answer["job"].as_str().unwrap();
    assert!(text.contains(job), "{text}");
    let (answer, _) = call(&server, "review_game", json!({ "job": job, "wait_s": 50 })).await;
    assert_eq!((&answer["status"], &answer["job"]), (&json!("done"), &json!(job)));
    for (arguments, code) in [
        (json!({ "job": "0123456789abcdef0123456789abcdef" }), "not_found"),
        (json!({ "job": "../livez" }), "invalid_request"),
        (json!({ "job": job, "nodes": 5 }), "invalid_request"),
        (json!({ "job": job, "pgn": FOOLS_MATE }), "invalid_request"),
        (json!({}), "invalid_request"),
        (json!({ "pgn": "1. e4 Ke5 *" }), "invalid_pgn"),
        (json!({ "pgn": " " }), "invalid_pgn"),
    ] {
        assert_eq!(error(&server, "review_game", arguments.clone()).await.0, code, "{arguments}");
    }
}

async fn review_game_names_its_job_at_a_shutdown() {
    let server = start().await;
    let arguments = json!({ "pgn": FOOLS_MATE, "nodes": 1_000_000_000, "wait_s": 50 });
    let call = server.request(Method::POST, "/mcp").json(&tool_call("review_game", &arguments));
    let client = server.client.clone();
    let waiting = tokio::spawn(async move { client.send(call).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let started = std::time::Instant::now();
    server.stop.send(()).expect("a running server");
    let answer = waiting.await.unwrap().json()["result"]["structuredContent"].clone();
    assert!(answer["job"].is_string(), "{answer}");
    assert_ne!(answer["status"], "done", "{answer}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

async fn long_documents_messages_and_lists_are_refused() {
    let server = start_with(|settings| settings.limits.body_bytes = 200_000).await;
    let game = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3 Nc6 4. Nb1 Nb8 5. Nh3 Nh6 6. Ng1 Ng8 7. Na3 Na6 \
        8. Nb1 Nb8 *\n\n";
    let games = json!({ "pgn": game.repeat(200), "nodes": 1 });
    let job = server.post("/v1/games", &games).await.json()["id"].as_str().unwrap().to_owned();
    let arguments = json!({ "job": job, "wait_s": 50 });
    // Beyond the share of the client, or beyond what a tool reads.
    let (code, _) = error(&server, "review_game", arguments).await;
    assert!(["queue_full", "response_too_long"].contains(&&*code), "{code}");
    let mut long = tool_call("legal_moves", &json!({ "fen": "startpos" }));
    long["params"]["_meta"] = json!({ "zeros": vec![0; 90_000] });
    server.post_expecting_problem("/mcp", &long, 503, "queue_full").await;
    for name in ["arrows", "squares"] {
        for (marks, part) in [(vec!["e4"; 65], "65 items"), (vec!["e4", "e2e4e5"], "[1] is")] {
            let arguments = json!({ "fen": "startpos", name: marks });
            let (code, detail) = error(&server, "board_image", arguments).await;
            assert!(code == "invalid_request" && detail.contains(part), "{code}: {detail}");
        }
    }
}

async fn tablebase_gives_results_for_the_player_who_moves() {
    let server = start().await;
    let (answer, text) = call(&server, "tablebase", json!({ "fen": tablebase::WON })).await;
    assert_eq!((&answer["category"], &answer["men"]), (&json!("win"), &json!(3)));
    assert_eq!(answer["moves"][0]["result"], "win", "for White, who makes the move: {answer}");
    assert!(text.contains("Result for the side to move: win"), "{text}");
    // The distance is rounded, and a ply more would be a draw by the 50-move rule.
    let rounded = "8/8/8/8/3k4/8/8/R3K3 w - - 73 80";
    let (answer, _) = call(&server, "tablebase", json!({ "fen": rounded })).await;
    let results = answer["moves"].as_array().unwrap().iter().map(|mv| mv["result"].as_str());
    let results: Vec<&str> = results.map(Option::unwrap).collect();
    assert!(results.contains(&"syzygy-win") && !results.contains(&"syzygy-loss"), "{results:?}");
    let (code, _) = error(&server, "tablebase", json!({ "fen": "startpos" })).await;
    assert_eq!(code, "tablebase_unavailable");
    let without = Server::start().await;
    let (code, _) = error(&without, "tablebase", json!({ "fen": tablebase::WON })).await;
    assert_eq!(code, "no_tablebase");
}

async fn opening_names_the_opening() {
    let server = start().await;
    let (answer, text) = call(&server, "opening", json!({ "pgn": "1. e4 c5 *" })).await;
    assert_eq!(answer["opening"], json!({ "eco": "B20", "name": "Sicilian Defense" }));
    assert!(text.contains("Opening: Sicilian Defense (B20)"), "{text}");
    let (answer, _) = call(&server, "opening", json!({ "fen": tablebase::WON })).await;
    assert_eq!(answer["opening"], Value::Null);
}

async fn board_image_is_a_picture() {
    let server = start().await;
    let arguments = json!({ "pgn": FOOLS_MATE, "size": 64, "orientation": "black",
        "arrows": ["Rd8h4", "e1"], "squares": ["e1"], "coordinates": true });
    let result = result(&server, "board_image", arguments).await;
    let picture = &result["content"][0];
    assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(picture["data"].as_str().unwrap().starts_with("iVBORw0KGgo"), "the magic of PNG");
    assert!(text(&result).contains("Checkmate"), "{result}");
    for (arguments, part) in [
        (json!({ "fen": "startpos", "size": 2_000 }), "size is 2000"),
        (json!({ "fen": "startpos", "orientation": "up" }), "orientation is \"up\""),
        (json!({ "fen": "startpos", "arrows": ["z9"] }), "arrows"),
        (json!({ "fen": "startpos", "coordinates": "yes" }), "coordinates is \"yes\""),
    ] {
        let (code, detail) = error(&server, "board_image", arguments).await;
        assert_eq!(code, "invalid_request");
        assert!(detail.contains(part), "{detail}");
    }
}

async fn errors_have_the_code_and_the_reason() {
    let server = start().await;
    for (arguments, code, part) in [
        (json!({}), "invalid_request", "fen or pgn is missing"),
        (json!({ "fen": "startpos", "pgn": FOOLS_MATE }), "invalid_request", "can't both be given"),
        (json!({ "fen": "startpos", "ply": 1 }), "invalid_request", "ply belongs to pgn"),
        (json!({ "fen": "startpos", "depht": 1 }), "invalid_request", "\"depht\" is not a known"),
        (json!({ "fen": 5 }), "invalid_request", "fen is 5; it must be a string"),
        (json!({ "fen": "startpos", "moves": "e4" }), "invalid_request", "an array of strings"),
        (json!({ "fen": "startpos", "moves": [1] }), "invalid_request", "moves[0] is 1"),
        (json!({ "fen": "no fen" }), "invalid_fen", "has 2 fields"),
        (json!({ "fen": "8/8/8/8/8/8/8/8 w - - 0 1" }), "invalid_fen", "king"),
        (json!({ "fen": "startpos", "moves": ["e4", "e4"] }), "illegal_move", "moves[1]"),
        (json!({ "pgn": FOOLS_MATE, "moves": ["a3"] }), "illegal_move", "moves[0]"),
        (json!({ "pgn": FOOLS_MATE, "ply": 5 }), "invalid_request", "the game has 4 plies"),
        (json!({ "pgn": FOOLS_MATE, "ply": -1 }), "invalid_request", "ply is -1"),
        (json!({ "pgn": "1. e4 e5 2. Nf9" }), "invalid_pgn", "line 1, column 13"),
        (json!({ "pgn": "{ unclosed" }), "invalid_pgn", "closing"),
        (json!({ "pgn": "" }), "invalid_pgn", "contains no game"),
    ] {
        let (found, detail) = error(&server, "legal_moves", arguments.clone()).await;
        assert_eq!(found, code, "{arguments}: {detail}");
        assert!(detail.contains(part), "{arguments}: {detail}");
    }
    for (arguments, part) in [
        (json!({ "fen": "startpos", "lines": 6 }), "lines is 6; it must be a whole number, 1 to 5"),
        (json!({ "fen": "startpos", "movetime_ms": 10_001 }), "1 to 10000"),
        (json!({ "fen": "startpos", "depth": 0 }), "depth is 0"),
        (json!({ "fen": "startpos", "depth": 1.5 }), "depth is 1.5"),
    ] {
        let (code, detail) = error(&server, "analyse_position", arguments).await;
        assert_eq!(code, "invalid_request");
        assert!(detail.contains(part), "{detail}");
    }
}

async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let server = start().await;
    let response = server.post_ok("/mcp", &tool_call("best_move", &json!({}))).await;
    assert_eq!(response["error"]["code"], -32_602, "{response}");
    let message = response["error"]["message"].as_str().unwrap();
    assert!(message.contains("best_move") && message.contains("analyse_position"), "{message}");
}

async fn what_is_no_message_is_an_error_of_the_protocol() {
    let server = start().await;
    for (body, code, id) in [
        ("{", -32_700, Value::Null),
        ("", -32_700, Value::Null),
        ("[]", -32_600, Value::Null),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32_600, Value::Null),
        ("{}", -32_600, Value::Null),
        ("5", -32_600, Value::Null),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32_600, json!(1)),
        ("{\"id\":\"a\",\"method\":\"ping\"}", -32_600, json!("a")),
        ("{\"jsonrpc\":\"2.0\",\"id\":4}", -32_600, json!(4)),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32_600, Value::Null),
    ] {
        let response = server.post_text("/mcp", body).await;
        assert_eq!(response.status, 400, "{body}: {}", response.body);
        let json = response.json();
        assert_eq!((&json["error"]["code"], &json["id"]), (&json!(code), &id), "{body}: {json}");
    }
    for method in ["nonsense", "tools/delete"] {
        let response = server.post_ok("/mcp", &message(method, json!({}))).await;
        assert_eq!(response["error"]["code"], -32_601, "{response}");
    }
    for params in
        [json!({ "name": "legal_moves", "arguments": "startpos" }), json!({ "name": 5 }), json!({})]
    {
        let response = server.post_ok("/mcp", &message("tools/call", params)).await;
        assert_eq!(response["error"]["code"], -32_602, "{response}");
        assert!(response["error"]["message"].as_str().unwrap().starts_with("params must be"));
    }
}

async fn a_notification_has_no_response() {
    let server = start().await;
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let response = server.post("/mcp", &notification).await;
    assert_eq!((response.status, response.body.as_str()), (202, ""));
}

async fn other_methods_are_refused() {
    let server = start().await;
    for method in [Method::GET, Method::DELETE] {
        let response = server.send(server.request(method, "/mcp")).await;
        response.expect_problem(405, "method_not_allowed");
        assert_eq!(response.header("allow"), "POST");
    }
}

fn from(server: &Server, name: &'static str, value: &str) -> RequestBuilder {
    server.request(Method::POST, "/mcp").header(name, value).json(&initialize())
}

async fn send_from(server: &Server, name: &'static str, value: &str) -> TestResponse {
    server.send(from(server, name, value)).await
}

async fn a_hostile_host_or_origin_is_refused() {
    let server = start().await;
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"] {
        let problem = send_from(&server, "host", host).await.expect_problem(403, "origin_refused");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(host) && detail.contains("mcp.allowed_hosts"), "{detail}");
    }
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1", "file://"] {
        send_from(&server, "origin", origin).await.expect_problem(403, "origin_refused");
    }
    // A page whose own name points to this server.
    let rebound = from(&server, "host", "evil.example").header("origin", "http://evil.example");
    server.send(rebound).await.expect_problem(403, "origin_refused");
    let own = format!("http://{}", server.address);
    assert_eq!(send_from(&server, "origin", &own).await.status, 200);
    assert_eq!(send_from(&server, "host", "localhost:9").await.status, 200);
}

async fn listed_hosts_and_origins_are_allowed() {
    let server = start_with(|settings| {
        settings.mcp.allowed_hosts = vec!["chess.example".to_owned()];
        settings.http.cors_origins = vec!["https://board.example".to_owned()];
    })
    .await;
    assert_eq!(send_from(&server, "host", "chess.example").await.status, 200);
    let listed =
        from(&server, "host", "chess.example:443").header("origin", "https://board.example");
    assert_eq!(server.send(listed).await.status, 200);
    let own = server.address.to_string();
    send_from(&server, "host", &own).await.expect_problem(403, "origin_refused");
    let open = start_with(|settings| settings.mcp.allowed_hosts = vec!["*".to_owned()]).await;
    assert_eq!(send_from(&open, "host", "any.example").await.status, 200);
}

async fn bodies_have_the_limits_of_every_route() {
    let server = start_with(|settings| settings.limits.body_bytes = 2_000).await;
    let long = tool_call("legal_moves", &json!({ "fen": "x".repeat(3_000) }));
    server.post_expecting_problem("/mcp", &long, 413, "body_too_large").await;
    let text = server.request(Method::POST, "/mcp").header("content-type", "text/plain");
    let response = server.send(text.body(initialize().to_string())).await;
    response.expect_problem(415, "unsupported_media_type");
    let response = server.post("/mcp?fen=startpos", &initialize()).await;
    response.expect_problem(422, "invalid_request");
    // Many clients accept only what they read.
    let request = server.request(Method::POST, "/mcp").header("accept", "application/json");
    assert_eq!(server.send(request.json(&initialize())).await.status, 200);
    let version = from(&server, "mcp-protocol-version", "1999-01-01");
    let response = server.send(version).await;
    assert_eq!(response.status, 400, "{}", response.body);
    let message = response.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("1999-01-01"), "{message}");
}

async fn keys_and_rates_count_like_those_of_every_route() {
    let server = start_with(|settings| {
        settings.access.required = true;
        settings.access.keys = vec![api_key("assistant", "secret", 3)];
    })
    .await;
    server.post("/mcp", &initialize()).await.expect_problem(401, "unauthorized");
    let arguments = json!({ "fen": "startpos", "move": "e4", "movetime_ms": 20 });
    let check = tool_call("check_move", &arguments);
    for left in [2, 1, 0] {
        // A tool that sends four requests to the API counts as one.
        let request = from(&server, "authorization", "Bearer secret").json(&check);
        let response = server.send(request).await;
        assert_eq!(response.status, 200, "{}", response.body);
        assert_eq!(response.json()["result"]["structuredContent"]["legal"], true);
        let limit = response.header("ratelimit");
        assert!(limit.contains(&format!("r={left};")), "{limit}");
    }
    let refused = send_from(&server, "authorization", "Bearer secret").await;
    refused.expect_problem(429, "rate_limited");
}

async fn a_server_without_tools_has_no_route() {
    let server = start_with(|settings| settings.mcp.enabled = false).await;
    server.post("/mcp", &initialize()).await.expect_problem(404, "not_found");
}

/// Takes every worker with a search that does not end by itself.
async fn occupy(server: &Server) -> reqwest::Response {
    let endless = json!({ "fen": "startpos", "infinite": true });
    let request = server.request(Method::POST, "/v1/analysis").json(&endless);
    server.open_stream(request.header("accept", "application/x-ndjson")).await
}

async fn a_full_queue_is_an_error_of_the_call() {
    let server = start_with(|settings| {
        settings.search.workers = 1;
        settings.queue.capacity = 1;
        settings.queue.max_wait_ms = 2_000;
        settings.queue.slice_ms = 2_000;
    })
    .await;
    let _running = occupy(&server).await;
    let analyse = async |moves: &[&str]| {
        let arguments = json!({ "fen": "startpos", "moves": moves, "movetime_ms": 100 });
        result(&server, "analyse_position", arguments).await
    };
    let results =
        tokio::join!(analyse(&["e4"]), analyse(&["d4"]), analyse(&["c4"]), analyse(&["b3"]));
    let results = [results.0, results.1, results.2, results.3];
    let failed: Vec<&Value> = results.iter().filter(|result| result["isError"] == true).collect();
    assert!(!failed.is_empty(), "{results:?}");
    for result in failed {
        let content = &result["structuredContent"];
        let code = content["code"].as_str().unwrap();
        assert!(["queue_full", "deadline"].contains(&code), "{content}");
        assert!(content["retry_after_ms"].is_u64(), "{content}");
    }
}

async fn a_client_that_leaves_stops_its_search() {
    let server = start_with(|settings| settings.search.workers = 1).await;
    let arguments = json!({ "fen": "startpos", "movetime_ms": 10_000 });
    let call = tool_call("analyse_position", &arguments);
    let request = server.request(Method::POST, "/mcp").json(&call);
    let left = request.timeout(Duration::from_millis(300));
    assert!(server.try_send(left).await.is_err(), "the client waits for 300 ms only");
    let started = std::time::Instant::now();
    server
        .post_ok("/v1/best-move", &json!({ "fen": "startpos", "moves": ["e4"], "depth": 3 }))
        .await;
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
}
