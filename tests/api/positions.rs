//! Legal moves, views of a position, played moves and perft.

use serde_json::{Value, json};

use crate::support::{START_FEN, Server};

crate::trials![
    the_start_has_twenty_moves_by_rising_code,
    each_move_lists_its_properties,
    castling_has_both_destination_squares,
    a_drawn_game_still_lists_its_moves,
    repetition_is_claimed_at_three_and_ends_the_game_at_five,
    corrections_of_a_fen_are_reported,
    a_position_has_twelve_views,
    the_zobrist_numbers_of_a_position_give_its_key,
    a_magic_gives_the_attacks_of_a_slider,
    only_the_named_views_are_given,
    a8_as_bit_0_swaps_the_bytes_of_bitboards_and_leaves_keys_alone,
    the_packed_form_round_trips,
    chess960_is_detected_from_the_castling_rights,
    a_position_has_the_opening_of_its_moves,
    a_game_can_be_played_and_taken_back,
    a_record_describes_a_capture,
    perft_counts_match_the_known_numbers,
    perft_divide_counts_each_first_move,
    perft_beyond_the_cap_is_clamped,
    perft_is_aborted_after_its_time_limit,
];

async fn the_start_has_twenty_moves_by_rising_code() {
    let server = Server::start().await;
    let answer = server.post_ok("/v1/legal-moves", &json!({ "fen": "startpos" })).await;
    assert_eq!(answer["fen"], START_FEN);
    assert_eq!(answer["key"], "4fbae928640e637c");
    assert_eq!(
        (&answer["turn"], &answer["check"], &answer["status"]),
        (&json!("white"), &json!(false), &json!("ongoing"))
    );
    assert_eq!((&answer["winner"], &answer["draw_reason"]), (&Value::Null, &Value::Null));
    assert_eq!((&answer["claims"], &answer["warnings"]), (&json!([]), &json!([])));
    assert_eq!(answer["count"], 20);
    let codes: Vec<_> =
        answer["moves"].as_array().unwrap().iter().map(|mv| mv["code"].as_u64().unwrap()).collect();
    assert_eq!(codes.len(), 20);
    assert!(codes.is_sorted());
    assert_eq!(answer["dests"]["e2"], json!(["e3", "e4"]));
    assert_eq!(answer["dests"].as_object().unwrap().len(), 10);
}

fn find_move<'a>(answer: &'a Value, uci: &str) -> &'a Value {
    answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .find(|mv| mv["uci"] == uci)
        .unwrap_or_else(|| panic!("{uci} in {answer}"))
}

async fn each_move_lists_its_properties() {
    let server = Server::start().await;
    let fen = "1n2k3/P7/8/3pP3/8/8/8/4K2R w K d6 0 1";
    let answer = server.post_ok("/v1/legal-moves", &json!({ "fen": fen })).await;
    assert_eq!(
        find_move(&answer, "a7b8q"),
        &json!({
            "uci": "a7b8q", "san": "axb8=Q+", "from": "a7", "to": "b8",
            "piece": "pawn", "promotion": "queen", "capture": "knight",
            "check": true, "mate": false, "en_passant": false, "code": 48 << 10 | 57 << 4 | 15,
        })
    );
    assert_eq!(
        find_move(&answer, "e5d6"),
        &json!({
            "uci": "e5d6", "san": "exd6", "from": "e5", "to": "d6",
            "piece": "pawn", "capture": "pawn",
            "check": false, "mate": false, "en_passant": true, "code": 36 << 10 | 43 << 4 | 5,
        })
    );
    assert_eq!(
        find_move(&answer, "e1g1"),
        &json!({
            "uci": "e1g1", "san": "O-O", "from": "e1", "to": "g1",
            "piece": "king", "castling": "kingside",
            "check": false, "mate": false, "en_passant": false, "code": 4 << 10 | 6 << 4 | 2,
        })
    );
    let answer = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "startpos", "moves": ["f3", "e5", "g4"] }))
        .await;
    assert_eq!(find_move(&answer, "d8h4")["san"], "Qh4#");
    assert_eq!(
        (&find_move(&answer, "d8h4")["check"], &find_move(&answer, "d8h4")["mate"]),
        (&json!(true), &json!(true))
    );
}

async fn castling_has_both_destination_squares() {
    let server = Server::start().await;
    let answer = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1" }))
        .await;
    assert_eq!(
        answer["dests"]["e1"],
        json!(["a1", "c1", "d1", "f1", "g1", "h1", "d2", "e2", "f2"])
    );
}

async fn a_drawn_game_still_lists_its_moves() {
    let server = Server::start().await;
    let dead = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "4k3/8/8/8/8/8/8/4KB2 w - - 0 1" }))
        .await;
    assert_eq!((&dead["status"], &dead["draw_reason"]), (&json!("draw"), &json!("dead_position")));
    assert!(dead["count"].as_u64().unwrap() > 0);
    let late = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "4k3/8/8/8/8/8/8/R3K3 w - - 150 99" }))
        .await;
    assert_eq!(
        (&late["status"], &late["draw_reason"]),
        (&json!("draw"), &json!("seventy_five_moves"))
    );
    let fifty = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "4k3/8/8/8/8/8/8/R3K3 w - - 100 99" }))
        .await;
    assert_eq!((&fifty["status"], &fifty["claims"]), (&json!("ongoing"), &json!(["fifty_moves"])));
    let mated = server
        .post_ok(
            "/v1/legal-moves",
            &json!({ "fen": "startpos", "moves": ["f3", "e5", "g4", "Qh4"] }),
        )
        .await;
    assert_eq!(
        (&mated["status"], &mated["winner"], &mated["count"]),
        (&json!("checkmate"), &json!("black"), &json!(0))
    );
    assert_eq!(mated["dests"], json!({}));
    let stalemate = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1" }))
        .await;
    assert_eq!((&stalemate["status"], &stalemate["winner"]), (&json!("stalemate"), &Value::Null));
}

async fn repetition_is_claimed_at_three_and_ends_the_game_at_five() {
    let server = Server::start().await;
    let round = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let state = async |rounds: usize| {
        server
            .post_ok(
                "/v1/legal-moves",
                &json!({ "fen": "startpos", "moves": round.repeat(rounds) }),
            )
            .await
    };
    assert_eq!(state(1).await["claims"], json!([]));
    let third = state(2).await;
    assert_eq!(
        (&third["status"], &third["claims"]),
        (&json!("ongoing"), &json!(["threefold_repetition"]))
    );
    let fifth = state(4).await;
    assert_eq!(
        (&fifth["status"], &fifth["draw_reason"]),
        (&json!("draw"), &json!("fivefold_repetition"))
    );
    assert_eq!(fifth["claims"], json!([]));
    let body = json!({ "fen": "startpos", "moves": round.repeat(5) });
    let problem =
        server.post_expecting_problem("/v1/legal-moves", &body, 422, "illegal_move").await;
    assert_eq!((&problem["index"], &problem["why"]), (&json!(16), &json!("game_over")));
}

async fn corrections_of_a_fen_are_reported() {
    let server = Server::start().await;
    let answer = server
        .post_ok("/v1/legal-moves", &json!({ "fen": "4k3/44/8/8/8/8/8/4K3 w K - 0 0" }))
        .await;
    let warnings = answer["warnings"].as_array().unwrap();
    let codes: Vec<_> = warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    for code in ["castling_dropped", "digits_joined", "move_number_raised"] {
        assert!(codes.contains(&code), "{code} is not in {codes:?}");
    }
    assert!(
        warnings.iter().all(|warning| warning["field"].is_string() && warning["text"].is_string())
    );
    assert_eq!(answer["fen"], "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
}

async fn a_position_has_twelve_views() {
    let server = Server::start().await;
    let answer = server.post_ok("/v1/position", &json!({ "fen": "startpos" })).await;
    let views = answer["views"].as_object().unwrap();
    let names: Vec<_> = views.keys().map(String::as_str).collect();
    let all = [
        "list",
        "bitboards",
        "boards",
        "nibbles",
        "pieces",
        "piece_bytes",
        "special",
        "state",
        "huffman",
        "checks",
        "magics",
        "zobrist",
    ];
    assert_eq!(names, all);
    assert_eq!(answer["shredder_fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    assert_eq!(answer["packed"], "HvP66f522220AAAAAkkkk9nG-2M-h4A");
    assert_eq!(views["list"].as_array().unwrap().len(), 69);
    assert_eq!(
        (&views["list"][0], &views["list"][64], &views["list"][67], &views["list"][68]),
        (&json!(10), &json!(60), &json!(-1), &json!(true))
    );
    assert_eq!(views["bitboards"]["white_pawns"], "000000000000ff00");
    assert_eq!(views["bitboards"]["white_king_side_castle"], true);
    assert_eq!(views["boards"]["king"], "1000000000000010");
    assert_eq!(
        views["nibbles"],
        "59b77d9533333333000000000000000000000000000000002222222248a66c84"
    );
    assert_eq!(views["pieces"][0], json!({ "color": "white", "type": "rook", "position": 0 }));
    assert_eq!(views["piece_bytes"][1], 9);
    assert_eq!(views["special"], 15);
    assert_eq!(views["state"]["bits"], 481);
    assert_eq!(
        (&views["huffman"]["board_bits"], &views["huffman"]["bits"]),
        (&json!(164), &json!(178))
    );
    assert_eq!(views["checks"]["check_mask"], "ffffffffffffffff");
    assert_eq!(views["checks"]["pins"]["black"].as_array().unwrap().len(), 9);
}

/// Both castling rights and en passant, Chess960, Black to move, and several queens.
const VARIED_FENS: [&str; 5] = [
    START_FEN,
    "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
    "1rk2r2/8/8/8/8/8/8/1RK2R2 b FBfb - 0 1",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "6QQ/8/3b4/8/k7/8/7Q/K1q4r w - - 12 60",
];

fn parse_hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

async fn the_zobrist_numbers_of_a_position_give_its_key() {
    let server = Server::start().await;
    for fen in VARIED_FENS {
        let request = json!({ "fen": fen, "views": ["zobrist"], "bit_order": "a8" });
        let answer = server.post_ok("/v1/position", &request).await;
        let parts = answer["views"]["zobrist"].as_array().unwrap();
        let key = parts.iter().fold(0, |key, part| key ^ parse_hex(&part["value"]));
        assert_eq!(key, parse_hex(&answer["key"]), "{fen}");
        let numbers = parts.iter().map(|part| part["number"].as_u64().unwrap());
        assert!(numbers.is_sorted_by(|one, next| one < next), "{parts:?}");
    }
    let request = json!({ "fen": VARIED_FENS[1], "views": ["zobrist"] });
    let answer = server.post_ok("/v1/position", &request).await;
    let parts = answer["views"]["zobrist"].as_array().unwrap();
    let meanings = parts
        .iter()
        .map(|part| format!("{} {}", part["number"], part["meaning"].as_str().unwrap()));
    let expected = [
        "36 white pawn on e5",
        "192 white rook on a1",
        "199 white rook on h1",
        "324 white king on e1",
        "419 black pawn on d5",
        "632 black rook on a8",
        "639 black rook on h8",
        "764 black king on e8",
        "768 white castling with the rook on the a-file",
        "775 white castling with the rook on the h-file",
        "776 black castling with the rook on the a-file",
        "783 black castling with the rook on the h-file",
        "787 en passant on the d-file",
    ];
    assert_eq!(meanings.collect::<Vec<_>>(), expected);
}

/// The squares that a slider attacks, found by walking its lines.
fn walk_lines(square: u64, role: &str, occupied: u64) -> u64 {
    let steps = match role {
        "bishop" => [(1, 1), (1, -1), (-1, 1), (-1, -1)],
        _ => [(1, 0), (-1, 0), (0, 1), (0, -1)],
    };
    let mut attacks = 0;
    for (file_step, rank_step) in steps {
        let (mut file, mut rank) = (square as i64 % 8 + file_step, square as i64 / 8 + rank_step);
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let bit = 1_u64 << (8 * rank + file);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            (file, rank) = (file + file_step, rank + rank_step);
        }
    }
    attacks
}

async fn a_magic_gives_the_attacks_of_a_slider() {
    let server = Server::start().await;
    for fen in VARIED_FENS {
        let request = json!({ "fen": fen, "views": ["magics", "bitboards"] });
        let views = server.post_ok("/v1/position", &request).await["views"].take();
        let request = json!({ "fen": fen, "views": ["magics"], "bit_order": "a8" });
        let a8_views = server.post_ok("/v1/position", &request).await["views"].take();
        let occupied = parse_hex(&views["bitboards"]["all_pieces"]);
        let magics = views["magics"].as_array().unwrap();
        for (magic, a8_magic) in magics.iter().zip(a8_views["magics"].as_array().unwrap()) {
            let name = magic["square"].as_str().unwrap().as_bytes();
            let square = u64::from(name[0] - b'a') + 8 * u64::from(name[1] - b'1');
            let role = magic["role"].as_str().unwrap();
            let (relevant, factor) = (parse_hex(&magic["relevant"]), parse_hex(&magic["magic"]));
            let shift = magic["shift"].as_u64().unwrap();
            assert_eq!(shift, 64 - u64::from(relevant.count_ones()), "{magic}");
            let index = (occupied & relevant).wrapping_mul(factor) >> shift;
            assert_eq!(magic["index"].as_u64(), Some(index), "{magic}");
            let attacks = walk_lines(square, role, occupied);
            assert_eq!(parse_hex(&magic["attacks"]), attacks, "{magic}");
            for same in ["square", "role", "magic", "shift", "index"] {
                assert_eq!(magic[same], a8_magic[same]);
            }
            assert_eq!(parse_hex(&a8_magic["relevant"]), relevant.swap_bytes());
            assert_eq!(parse_hex(&a8_magic["attacks"]), attacks.swap_bytes());
        }
    }
    let request = json!({ "fen": VARIED_FENS[4], "views": ["magics"] });
    let magics = server.post_ok("/v1/position", &request).await["views"]["magics"].take();
    let lines = magics.as_array().unwrap().iter().map(|magic| (&magic["square"], &magic["role"]));
    let expected = [
        ("c1", "bishop"),
        ("c1", "rook"),
        ("h1", "rook"),
        ("h2", "bishop"),
        ("h2", "rook"),
        ("d6", "bishop"),
        ("g8", "bishop"),
        ("g8", "rook"),
        ("h8", "bishop"),
        ("h8", "rook"),
    ];
    let expected = expected.map(|(square, role)| (json!(square), json!(role)));
    assert_eq!(lines.map(|(s, r)| (s.clone(), r.clone())).collect::<Vec<_>>(), expected);
}

async fn only_the_named_views_are_given() {
    let server = Server::start().await;
    let answer = server
        .post_ok(
            "/v1/position",
            &json!({ "fen": "startpos", "views": ["special", "list", "special"] }),
        )
        .await;
    assert_eq!(answer["views"].as_object().unwrap().len(), 2);
    let none = server.post_ok("/v1/position", &json!({ "fen": "startpos", "views": [] })).await;
    assert_eq!(none["views"], json!({}));
    let problem = server
        .post_expecting_problem(
            "/v1/position",
            &json!({ "fen": "startpos", "views": ["lists"] }),
            422,
            "invalid_request",
        )
        .await;
    assert_eq!(
        (&problem["errors"][0]["code"], &problem["errors"][0]["pointer"]),
        (&json!("unknown_value"), &json!("/views/0"))
    );
}

async fn a8_as_bit_0_swaps_the_bytes_of_bitboards_and_leaves_keys_alone() {
    let server = Server::start().await;
    let send_request = async |order: &str| {
        server
            .post_ok(
                "/v1/position",
                &json!({ "fen": "startpos", "moves": ["e4"], "bit_order": order }),
            )
            .await
    };
    let (a1, a8) = (send_request("a1").await, send_request("a8").await);
    assert_eq!(a1["views"]["bitboards"]["white_pawns"], "000000001000ef00");
    assert_eq!(a8["views"]["bitboards"]["white_pawns"], "00ef001000000000");
    assert_eq!(a8["views"]["boards"]["white"], "ffef001000000000");
    for same in ["key", "packed"] {
        assert_eq!(a1[same], a8[same]);
    }
    for same in ["nibbles", "piece_bytes", "list", "special"] {
        assert_eq!(a1["views"][same], a8["views"][same]);
    }
    let play = server
        .post_ok("/v1/play", &json!({ "fen": "startpos", "moves": ["e4"], "bit_order": "a8" }))
        .await;
    assert_eq!(play["plies"][0]["record"]["end"], "0000001000000000");
}

async fn the_packed_form_round_trips() {
    let server = Server::start().await;
    let first = server
        .post_ok(
            "/v1/position",
            &json!({ "fen": "startpos", "moves": ["e4", "c5", "Nf3"], "views": [] }),
        )
        .await;
    let again =
        server.post_ok("/v1/position", &json!({ "packed": first["packed"], "views": [] })).await;
    assert_eq!(first["key"], again["key"]);
    assert_eq!(
        again["fen"], "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1",
        "clocks are not packed"
    );
}

async fn chess960_is_detected_from_the_castling_rights() {
    let server = Server::start().await;
    for (fen, chess960) in [
        ("startpos", false),
        ("4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1", true),
        ("4k3/8/8/8/8/8/8/1R2K2R w K - 0 1", false),
        ("4k3/8/8/8/8/8/8/1R2K2R w - - 0 1", false),
    ] {
        let answer = server.post_ok("/v1/position", &json!({ "fen": fen, "views": [] })).await;
        assert_eq!(answer["chess960"], chess960, "{fen}");
    }
}

async fn a_position_has_the_opening_of_its_moves() {
    let server = Server::start().await;
    let najdorf = json!({ "eco": "B90", "name": "Sicilian Defense: Najdorf Variation" });
    let line = ["e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6"];
    let unnamed = [&line[..], &["a3", "h5", "h4", "a5"]].concat();
    for moves in [&line[..], &unnamed] {
        let request = json!({ "fen": "startpos", "moves": moves, "views": [] });
        let answer = server.post_ok("/v1/position", &request).await;
        assert_eq!(answer["opening"], najdorf, "{moves:?}");
    }
    let by_fen = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
    let answer = server.post_ok("/v1/position", &json!({ "fen": by_fen, "views": [] })).await;
    assert_eq!(answer["opening"], najdorf, "of the position itself");
    let answer = server
        .post_ok("/v1/position", &json!({ "fen": by_fen, "moves": ["a3", "h5"], "views": [] }))
        .await;
    assert_eq!(answer["opening"], najdorf, "of the position before the moves");
    let by_packed = json!({ "packed": answer["packed"], "views": [] });
    assert_eq!(server.post_ok("/v1/position", &by_packed).await["opening"], Value::Null);
    let start = server.get("/v1/position?fen=startpos&views=special").await.json();
    assert!(start["opening"].is_null() && start.get("opening").is_some(), "{start}");
}

async fn a_game_can_be_played_and_taken_back() {
    let server = Server::start().await;
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5"];
    let played =
        server.post_ok("/v1/play", &json!({ "fen": "startpos", "moves": moves, "undo": 2 })).await;
    let shorter =
        server.post_ok("/v1/play", &json!({ "fen": "startpos", "moves": moves[..3] })).await;
    assert_eq!(played, shorter);
    let plies = played["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 3);
    assert_eq!((&plies[2]["uci"], &plies[2]["san"]), (&json!("g1f3"), &json!("Nf3")));
    assert_eq!(plies[2]["fen"], played["fen"]);
    assert_eq!(plies[2]["key"], played["key"]);
    assert_eq!(plies[2]["instruction"], json!([62, 2, 45, 0, null, null, null, null]));
    let nothing =
        server.post_ok("/v1/play", &json!({ "fen": "startpos", "moves": moves, "undo": 5 })).await;
    assert_eq!((&nothing["fen"], &nothing["plies"]), (&json!(START_FEN), &json!([])));
}

async fn a_record_describes_a_capture() {
    let server = Server::start().await;
    let played = server
        .post_ok("/v1/play", &json!({ "fen": "startpos", "moves": ["e4", "d5", "exd5"] }))
        .await;
    let record = &played["plies"][2]["record"];
    assert_eq!(
        (&record["captured_side"], &record["captured_piece"]),
        (&json!("black"), &json!("pawns"))
    );
    assert_eq!(record["captured_bitboard"], "00f7000800000000");
    assert_eq!(
        (&record["castle_type"], &record["black_queen_side_castle"]),
        (&Value::Null, &json!(true))
    );
    let score = record["score"].as_i64().unwrap();
    assert!((50..300).contains(&score), "White is a pawn up: {score}");
    assert_eq!(played["plies"][0]["record"]["captured_bitboard"], Value::Null);
    let castled = server
        .post_ok("/v1/play", &json!({ "fen": "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "moves": ["O-O"] }))
        .await;
    assert_eq!(castled["plies"][0]["record"]["castle_type"], "white_kingside");
    assert_eq!(castled["plies"][0]["instruction"].as_array().unwrap().len(), 12);
}

async fn perft_counts_match_the_known_numbers() {
    let server = Server::start().await;
    for (depth, nodes) in [(0, 1), (1, 20), (2, 400), (4, 197_281)] {
        let answer =
            server.post_ok("/v1/perft", &json!({ "fen": "startpos", "depth": depth })).await;
        assert_eq!((&answer["nodes"], &answer["depth"]), (&json!(nodes), &json!(depth)));
        assert_eq!((&answer["clamped"], &answer["fen"]), (&json!([]), &json!(START_FEN)));
        assert!(
            answer["time_ms"].is_u64() && answer["nps"].is_u64() && answer.get("divide").is_none()
        );
    }
}

async fn perft_divide_counts_each_first_move() {
    let server = Server::start().await;
    let answer = server
        .post_ok(
            "/v1/perft",
            &json!({ "fen": "startpos", "moves": ["e4"], "depth": 3, "divide": true }),
        )
        .await;
    let divide = answer["divide"].as_object().unwrap();
    assert_eq!(divide.len(), 20);
    assert_eq!(
        divide.values().map(|nodes| nodes.as_u64().unwrap()).sum::<u64>(),
        answer["nodes"].as_u64().unwrap()
    );
}

async fn perft_beyond_the_cap_is_clamped() {
    let server = Server::start_with(|settings| settings.limits.perft_depth = 3).await;
    let answer = server.post_ok("/v1/perft", &json!({ "fen": "startpos", "depth": 30 })).await;
    assert_eq!((&answer["depth"], &answer["nodes"]), (&json!(3), &json!(8_902)));
    assert_eq!(answer["clamped"], json!([{ "member": "depth", "asked": 30, "given": 3 }]));
}

async fn perft_is_aborted_after_its_time_limit() {
    let server = Server::start_with(|settings| settings.perft.max_ms = 50).await;
    let body = json!({ "fen": "startpos", "depth": 8 });
    server.post_expecting_problem("/v1/perft", &body, 422, "perft_too_large").await;
    let after = server.post_ok("/v1/perft", &json!({ "fen": "startpos", "depth": 2 })).await;
    assert_eq!(after["nodes"], 400, "its worker is not free");
}
