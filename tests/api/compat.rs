//! The routes in the formats of chess-api.com and stockfish.online.

pub(crate) mod errors;
pub(crate) mod socket;

use serde_json::{Value, json};

use crate::support::{START_FEN, Server};

crate::trials![
    a_move_has_the_members_of_chess_api_com,
    each_kind_of_move_has_its_flags,
    non_standard_castling_is_written_as_king_takes_rook,
    scores_are_from_whites_view,
    a_mate_is_counted_in_moves_from_whites_view,
    numbers_are_clamped,
    other_members_and_null_are_ignored,
    searchmoves_restrict_the_search,
    the_moves_of_a_text_lead_to_the_position,
    a_search_is_cached_for_all_routes,
    a_best_move_has_the_members_of_stockfish_online,
    stockfish_online_has_scores_from_whites_view,
    without_compat_the_routes_do_not_exist,
];

const ALL_MEMBERS: [&str; 28] = [
    "text",
    "eval",
    "move",
    "fen",
    "depth",
    "winChance",
    "continuationArr",
    "mate",
    "centipawns",
    "san",
    "lan",
    "turn",
    "color",
    "piece",
    "flags",
    "isCapture",
    "isCastling",
    "isPromotion",
    "captured",
    "promotion",
    "from",
    "to",
    "fromNumeric",
    "toNumeric",
    "continuation",
    "taskId",
    "time",
    "type",
];

/// The file and the rank of a square as digits.
fn numeric(square: &str) -> String {
    let digit = |letter: char| match letter {
        'a'..='h' => char::from(letter as u8 - b'a' + b'1'),
        rank => rank,
    };
    square.chars().map(digit).collect()
}

/// Asserts that a message about a move has the shape of chess-api.com, and that its members agree.
pub(crate) fn assert_move(message: &Value) {
    let names: Vec<_> = message.as_object().expect("an object").keys().collect();
    assert_eq!(names, ALL_MEMBERS, "{message}");
    let uci = message["move"].as_str().expect("a move");
    assert_eq!(message["lan"], uci);
    assert_eq!((&message["from"], &message["to"]), (&json!(uci[..2]), &json!(uci[2..4])));
    assert_eq!(message["fromNumeric"], numeric(&uci[..2]));
    assert_eq!(message["toNumeric"], numeric(&uci[2..4]));
    assert_eq!(message["promotion"], uci.get(4..5).map_or(json!(false), |piece| json!(piece)));
    assert_eq!(message["color"], message["turn"]);
    let centipawns: i32 = message["centipawns"].as_str().expect("text").parse().expect("a number");
    let eval = message["eval"].as_f64().expect("a number");
    assert!((eval - f64::from(centipawns) / 100.0).abs() < 1e-9, "{message}");
    let chance = 100.0 / (1.0 + (-0.003_682_08 * f64::from(centipawns)).exp());
    assert!((message["winChance"].as_f64().expect("a number") - chance).abs() < 1e-6, "{message}");
    let continuation = message["continuation"].as_array().expect("a list");
    let moves = message["continuationArr"].as_array().expect("a list");
    assert_eq!(continuation.len(), moves.len());
    for (step, uci) in continuation.iter().zip(moves) {
        let uci = uci.as_str().expect("a move");
        let (from, to) = (&uci[..2], &uci[2..4]);
        let expected = json!({
            "from": from, "to": to, "fromNumeric": numeric(from), "toNumeric": numeric(to),
        });
        assert_eq!(*step, expected);
    }
    for (member, flags) in [("isCapture", "ce"), ("isCastling", "kq"), ("isPromotion", "p")] {
        let has_flag =
            message["flags"].as_str().expect("text").contains(|flag| flags.contains(flag));
        assert_eq!(message[member], has_flag, "{member} of {message}");
    }
    assert_eq!(message["captured"].is_string(), message["isCapture"] == true, "{message}");
    assert!(message["time"].is_u64() && message["depth"].as_u64().expect("a number") >= 1);
}

async fn best_move(server: &Server, body: &Value) -> Value {
    let answer = server.post_ok("/v1", body).await;
    assert_move(&answer);
    assert_eq!(answer["type"], "bestmove");
    answer
}

async fn a_move_has_the_members_of_chess_api_com() {
    let server = Server::start().await;
    let body = json!({ "fen": START_FEN, "depth": 3, "maxThinkingTime": 100, "taskId": "a task" });
    let answer = best_move(&server, &body).await;
    assert_eq!((&answer["fen"], &answer["taskId"]), (&json!(START_FEN), &json!("a task")));
    assert_eq!((&answer["turn"], &answer["mate"]), (&json!("w"), &Value::Null));
    let [from, to, san, eval] = ["from", "to", "san", "eval"].map(|name| &answer[name]);
    let expected = format!(
        "Move {} → {} ({}): [{:.2}]. The game is balanced. Depth {}.",
        from.as_str().unwrap(),
        to.as_str().unwrap(),
        san.as_str().unwrap(),
        eval.as_f64().unwrap(),
        answer["depth"]
    );
    assert_eq!(answer["text"], expected);
    assert_eq!(best_move(&server, &json!({ "fen": START_FEN, "taskId": 7 })).await["taskId"], 7);
    let first = best_move(&server, &json!({ "fen": START_FEN, "depth": 1 })).await;
    let second = best_move(&server, &json!({ "fen": START_FEN, "depth": 1 })).await;
    assert!(first["taskId"].as_str().is_some_and(|id| !id.is_empty()), "{first}");
    assert_ne!(first["taskId"], second["taskId"]);
}

async fn each_kind_of_move_has_its_flags() {
    let server = Server::start().await;
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let promotion = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1";
    for (fen, uci, san, piece, flags, captured) in [
        (START_FEN, "g1f3", "Nf3", "n", "n", json!(false)),
        (START_FEN, "e2e4", "e4", "p", "b", json!(false)),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5", "p", "c", json!("p")),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "exd6", "p", "e", json!("p")),
        (castling, "e1g1", "O-O", "k", "k", json!(false)),
        (castling, "e1c1", "O-O-O", "k", "q", json!(false)),
        (promotion, "a7a8q", "a8=Q", "p", "np", json!(false)),
        (promotion, "a7b8n", "axb8=N", "p", "cp", json!("n")),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", "O-O", "k", "k", json!(false)),
    ] {
        let answer =
            best_move(&server, &json!({ "fen": fen, "searchmoves": uci, "depth": 2 })).await;
        let found = ["move", "san", "piece", "flags", "captured"].map(|name| answer[name].clone());
        assert_eq!(found, [json!(uci), json!(san), json!(piece), json!(flags), captured], "{fen}");
    }
}

async fn non_standard_castling_is_written_as_king_takes_rook() {
    let server = Server::start().await;
    let body =
        json!({ "fen": "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "searchmoves": "O-O", "depth": 2 });
    let answer = best_move(&server, &body).await;
    assert_eq!((&answer["move"], &answer["flags"]), (&json!("d1h1"), &json!("k")));
    // In the notation of Chess960, a standard castling has its usual form.
    let body =
        json!({ "fen": "4k3/8/8/8/8/8/8/4K2R w H - 0 1", "searchmoves": "e1h1", "depth": 2 });
    assert_eq!(best_move(&server, &body).await["move"], "e1g1");
}

async fn scores_are_from_whites_view() {
    let server = Server::start().await;
    for (fen, sign, verdict) in [
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 1.0, "White is winning."),
        ("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", 1.0, "White is winning."),
        ("q3k3/8/8/8/8/8/8/4K3 w - - 0 1", -1.0, "Black is winning."),
        ("q3k3/8/8/8/8/8/8/4K3 b - - 0 1", -1.0, "Black is winning."),
    ] {
        let answer = best_move(&server, &json!({ "fen": fen, "depth": 3 })).await;
        assert!(answer["eval"].as_f64().unwrap() * sign > 1.0, "{answer}");
        assert!((answer["winChance"].as_f64().unwrap() - 50.0) * sign > 0.0, "{answer}");
        assert!(answer["text"].as_str().unwrap().contains(verdict), "{answer}");
    }
}

async fn a_mate_is_counted_in_moves_from_whites_view() {
    let server = Server::start().await;
    for (fen, mate, best) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1_i32, "a1a8"),
        ("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", -1, "a8a1"),
        // Mated in the next move, whatever Black plays.
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", 1, "a8b8"),
    ] {
        let answer = best_move(&server, &json!({ "fen": fen, "depth": 4 })).await;
        assert_eq!((&answer["mate"], &answer["move"]), (&json!(mate), &json!(best)), "{answer}");
        let sign = f64::from(mate.signum());
        assert_eq!(answer["eval"], 100.0 * sign);
        assert_eq!(answer["centipawns"], (10_000 * mate.signum()).to_string());
        assert_eq!(answer["winChance"], if mate > 0 { 100.0 } else { 0.0 });
        assert!(answer["text"].as_str().unwrap().contains(&format!("[#{mate}]")), "{answer}");
    }
}

/// A position with much to search.
pub(crate) const LONG_SEARCH_FEN: &str =
    "r3k2r/pppq1ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R3K3 w Qkq - 0 1";

async fn numbers_are_clamped() {
    let server = Server::start().await;
    for (number, depth) in [
        (json!(0), 1),
        (json!(-3), 1),
        (json!(1e-9), 1),
        (json!(2.9), 2),
        (json!(" 3 "), 3),
        (json!("4.5"), 4),
    ] {
        let server = Server::start().await;
        let body = json!({ "fen": LONG_SEARCH_FEN, "depth": number, "maxThinkingTime": 1e300 });
        assert_eq!(best_move(&server, &body).await["depth"], depth, "{body}");
    }
    let body = json!({
        "fen": LONG_SEARCH_FEN, "depth": 1e9, "maxThinkingTime": 1e9, "variants": 1e9,
    });
    let answer = best_move(&server, &body).await;
    assert!(answer["depth"].as_u64().unwrap() <= 18, "{answer}");
    assert!(answer["time"].as_u64().unwrap() < 5_000, "{answer}");
    // The position has one move, so that the search reaches every depth.
    let forced = "k7/8/1K6/8/8/8/8/7R b - - 0 1";
    let body = json!({ "fen": forced, "depth": 99 });
    assert!(best_move(&server, &body).await["depth"].as_u64().unwrap() <= 18);
    let capped = Server::start_with(|settings| settings.limits.depth = 2).await;
    let body = json!({ "fen": LONG_SEARCH_FEN, "depth": 10 });
    assert!(best_move(&capped, &body).await["depth"].as_u64().unwrap() <= 2);
}

async fn other_members_and_null_are_ignored() {
    let server = Server::start().await;
    let body = json!({
        "fen": START_FEN, "depth": 2, "maxMoves": 4, "level": { "a": [] }, "input": null,
        "variants": null, "maxThinkingTime": null, "searchmoves": "", "taskId": null,
    });
    best_move(&server, &body).await;
    let without_depth = best_move(&server, &json!({ "fen": START_FEN, "depth": null })).await;
    assert!(without_depth["depth"].as_u64().unwrap() <= 12);
}

async fn searchmoves_restrict_the_search() {
    let server = Server::start().await;
    for (searchmoves, expected) in [
        ("a2a3", ["a2a3"].as_slice()),
        ("a2a3 h3", &["a2a3", "h2h3"]),
        ("Na3, h3", &["b1a3", "h2h3"]),
    ] {
        let body = json!({ "fen": START_FEN, "searchmoves": searchmoves, "depth": 2 });
        let answer = best_move(&server, &body).await;
        assert!(expected.contains(&answer["move"].as_str().unwrap()), "{searchmoves}: {answer}");
    }
}

async fn the_moves_of_a_text_lead_to_the_position() {
    let server = Server::start().await;
    let after_e4_e5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    for text in [
        "1. e4 e5",
        "[Event \"Casual\"]\n\n1. e4 {best by test} e5 *\n",
        "<div class=\"moves\"><p>1. <b>e4</b> 0:03</p> <p>e5 0:05</p></div>",
        "White Magnus (2850) 1.e4 Black Hikaru (2800) 1...e5",
    ] {
        let answer = best_move(&server, &json!({ "input": text, "depth": 2 })).await;
        assert_eq!((&answer["fen"], &answer["turn"]), (&json!(after_e4_e5), &json!("w")), "{text}");
    }
    let both = json!({ "fen": START_FEN, "input": "1. e4 e5", "depth": 2 });
    assert_eq!(best_move(&server, &both).await["fen"], START_FEN, "fen takes precedence");
}

async fn a_search_is_cached_for_all_routes() {
    let server = Server::start().await;
    let known = server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 6 })).await;
    let answer = best_move(&server, &json!({ "fen": START_FEN, "depth": 6 })).await;
    assert_eq!((&answer["move"], &answer["depth"]), (&known["best_move"], &known["depth"]));
    let expected = known["score"]["value"].as_i64().unwrap().to_string();
    assert_eq!(answer["centipawns"], expected);
    let mut line = vec![answer["move"].clone()];
    line.extend(answer["continuationArr"].as_array().unwrap().iter().cloned());
    assert_eq!(Value::from(line), known["pv"]);
}

/// The path of stockfish.online's route with this position.
fn stockfish_path(fen: &str, more: &str) -> String {
    format!("/api/s/v2.php?fen={}{more}", fen.replace(' ', "%20"))
}

async fn a_best_move_has_the_members_of_stockfish_online() {
    let server = Server::start().await;
    let known = server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 6 })).await;
    let answer = server.get(&stockfish_path(START_FEN, "&depth=6")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let moves: Vec<_> =
        known["pv"].as_array().unwrap().iter().map(|uci| uci.as_str().unwrap()).collect();
    let expected = json!({
        "success": true,
        "evaluation": known["score"]["value"].as_f64().unwrap() / 100.0,
        "mate": null,
        "bestmove": format!("bestmove {} ponder {}", moves[0], moves[1]),
        "continuation": moves.join(" "),
    });
    assert_eq!(answer.json(), expected);
    for more in ["", "&depth=99", "&depth=0", "&depth=-1", "&depth=2.5", "&mode=bestmove&depth=1"] {
        let answer = server.get(&stockfish_path(START_FEN, more)).await;
        assert_eq!((answer.status, &answer.json()["success"]), (200, &json!(true)), "{more}");
    }
}

async fn stockfish_online_has_scores_from_whites_view() {
    let server = Server::start().await;
    for (fen, is_white_better) in
        [("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", true), ("r3k3/8/8/8/8/8/8/4K3 b - - 0 1", false)]
    {
        let answer = server.get(&stockfish_path(fen, "&depth=4")).await.json();
        let evaluation = answer["evaluation"].as_f64().unwrap();
        assert_eq!(evaluation > 1.0, is_white_better, "{answer}");
        assert!(evaluation.abs() > 1.0, "{answer}");
    }
    for (fen, mate, bestmove) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, "bestmove a1a8"),
        ("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", -1, "bestmove a8a1"),
    ] {
        let answer = server.get(&stockfish_path(fen, "&depth=4")).await.json();
        assert_eq!((&answer["evaluation"], &answer["mate"]), (&Value::Null, &json!(mate)));
        assert_eq!(answer["bestmove"], bestmove, "a line of one move has no reply");
    }
}

async fn without_compat_the_routes_do_not_exist() {
    let server = Server::start_with(|settings| settings.compat.enabled = false).await;
    server.post("/v1", &json!({ "fen": START_FEN })).await.expect_problem(404, "not_found");
    server.get("/v1").await.expect_problem(404, "not_found");
    server.get(&stockfish_path(START_FEN, "")).await.expect_problem(404, "not_found");
    let other = server.get("/v1/legal-moves?fen=startpos").await;
    assert_eq!(other.status, 200, "the other routes remain");
}
