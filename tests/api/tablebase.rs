//! Endgame tablebases: lookups, the format of lila-tablebase, and searches and reviews with tables.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kibitzer::config::Settings;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::api_key;
use crate::support::server_process::{kibitzer_command, set_environment};
use crate::support::{LiveBoard, Server, TestResponse};

crate::trials![
    a_lookup_describes_the_position_and_its_moves,
    the_half_move_clock_counts,
    a_query_gives_the_answer_of_the_body_and_is_confirmed_by_its_etag,
    another_set_of_tables_has_another_etag,
    a_position_without_a_result_says_why,
    a_server_without_tables_says_so,
    the_standard_route_has_the_members_of_lila_tablebase,
    the_standard_route_forgives_what_lila_tablebase_forgives,
    a_wrong_fen_is_refused_in_plain_text,
    an_unknown_position_is_no_error_of_the_standard_route,
    a_main_line_ends_in_checkmate,
    a_position_without_a_main_line_is_not_found,
    lookups_that_wait_for_the_disk_are_limited,
    files_that_are_no_tables_stop_the_start,
    a_damaged_table_is_an_error_of_its_positions_alone,
    a_search_uses_the_tables,
    a_search_without_a_choice_says_that_the_tables_answered,
    a_search_of_many_men_has_no_entry,
    streams_and_batches_have_the_entry,
    a_move_that_keeps_the_result_is_no_mistake,
    the_server_describes_its_tables,
    probes_are_counted,
];

/// Tables of KQvK and KRvK.
pub(crate) fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/syzygy")
}

/// A won position of KRvK.
pub(crate) const WON: &str = "8/8/8/8/3k4/8/8/R3K3 w - - 0 1";
/// The only move that keeps the draw captures the rook.
const ONE_DRAW: &str = "8/8/8/8/8/2k5/1R6/7K b - - 0 1";
/// White has castled in no game that leads here.
const CASTLING: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
const PAWN: &str = "8/8/8/8/3k4/8/P7/4K3 w - - 0 1";
const FOUR_MEN: &str = "8/8/8/8/3k4/8/PP6/4K3 w - - 0 1";

/// A small server with the tables.
pub(crate) async fn start() -> Server {
    start_with(|_| {}).await
}

async fn start_with(change: impl FnOnce(&mut Settings)) -> Server {
    Server::start_with(|settings| {
        settings.syzygy.paths = vec![tables()];
        change(settings);
    })
    .await
}

fn link(path: &str, fen: &str) -> String {
    format!("{path}?fen={}", fen.replace(' ', "_"))
}

async fn look_up(server: &Server, fen: &str) -> Value {
    server.post_ok("/v1/tablebase", &json!({ "fen": fen })).await
}

fn moves_of(answer: &Value) -> &Vec<Value> {
    answer["moves"].as_array().unwrap()
}

async fn a_lookup_describes_the_position_and_its_moves() {
    let server = start().await;
    let answer = look_up(&server, WON).await;
    assert_eq!((&answer["fen"], &answer["men"]), (&json!(WON), &json!(3)));
    assert_eq!(answer["category"], "win");
    // The table of KRvK stores moves, so that its distances in plies are rounded.
    assert_eq!((&answer["dtz"], &answer["precise_dtz"]), (&json!(27), &Value::Null));
    let moves = moves_of(&answer);
    let names: Vec<&String> = moves[0].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "uci",
            "san",
            "code",
            "category",
            "dtz",
            "precise_dtz",
            "zeroing",
            "conversion",
            "checkmate",
            "stalemate",
            "insufficient_material"
        ]
    );
    // From the opponent's view: the best move is to a lost position.
    assert_eq!(moves[0]["category"], "loss");
    assert_eq!(moves[0]["dtz"].as_i64().unwrap(), 1 - answer["dtz"].as_i64().unwrap());
    let legal = server.post_ok("/v1/legal-moves", &json!({ "fen": WON })).await;
    let sorted = |moves: &Vec<Value>| {
        let mut texts: Vec<_> = moves.iter().map(|mv| mv["uci"].to_string()).collect();
        texts.sort();
        texts
    };
    assert_eq!(sorted(moves), sorted(moves_of(&legal)));
    let drawn = look_up(&server, ONE_DRAW).await;
    assert_eq!((&drawn["category"], &drawn["dtz"]), (&json!("draw"), &json!(0)));
    let best = &moves_of(&drawn)[0];
    assert_eq!((&best["san"], &best["category"]), (&json!("Kxb2"), &json!("draw")));
    assert_eq!((&best["zeroing"], &best["insufficient_material"]), (&json!(true), &json!(true)));
    let mate = look_up(&server, "3k4/8/3K4/8/8/8/8/R7 w - - 0 1").await;
    let best = &moves_of(&mate)[0];
    assert_eq!((&best["san"], &best["checkmate"]), (&json!("Ra8#"), &json!(true)));
}

async fn the_half_move_clock_counts() {
    let server = start().await;
    let cursed = look_up(&server, "8/8/8/8/3k4/8/8/R3K3 w - - 90 80").await;
    assert_eq!(cursed["category"], "cursed-win");
    assert_eq!(cursed["dtz"], look_up(&server, WON).await["dtz"]);
    assert_eq!(moves_of(&cursed)[0]["category"], "blessed-loss");
    let played = json!({ "fen": WON, "moves": ["Ra5"] });
    let played = server.post_ok("/v1/tablebase", &played).await;
    assert_eq!((&played["turn"], &played["category"]), (&json!("black"), &json!("loss")));
}

async fn get_with(server: &Server, path: &str, name: &'static str, value: &str) -> TestResponse {
    server.send(server.request(Method::GET, path).header(name, value)).await
}

async fn a_query_gives_the_answer_of_the_body_and_is_confirmed_by_its_etag() {
    let server =
        start_with(|settings| settings.access.keys = vec![api_key("board", "secret", 0)]).await;
    for path in ["/v1/tablebase", "/standard", "/standard/mainline"] {
        let link = link(path, WON);
        let answer = server.get(&link).await;
        if path == "/v1/tablebase" {
            assert_eq!(answer.json(), look_up(&server, WON).await);
        }
        assert_eq!(answer.header("cache-control"), "public, no-cache", "{path}");
        let etag = answer.header("etag");
        let confirmed = get_with(&server, &link, "if-none-match", etag).await;
        assert_eq!((confirmed.status, confirmed.body.as_str()), (304, ""), "{path}");
        assert_eq!(confirmed.header("etag"), etag);
        let private = get_with(&server, &link, "x-api-key", "secret").await;
        assert_eq!(private.header("cache-control"), "private, no-cache", "{path}");
    }
}

async fn another_set_of_tables_has_another_etag() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(tables().join("KQvK.rtbw"), folder.path().join("KQvK.rtbw")).unwrap();
    let whole = start().await;
    let part = start_with(|settings| settings.syzygy.paths = vec![folder.path().into()]).await;
    let link = link("/standard", WON);
    assert_ne!(whole.get(&link).await.header("etag"), part.get(&link).await.header("etag"));
}

async fn a_position_without_a_result_says_why() {
    let server = start().await;
    for (fen, reason, detail) in [
        ("startpos", "too_many_men", "the position has 32 men; the largest table has 3"),
        (FOUR_MEN, "too_many_men", "the position has 4 men; the largest table has 3"),
        (CASTLING, "castling_rights", "the position has castling rights"),
        (PAWN, "missing_table", "the table KPvK.rtb"),
    ] {
        let by_body = server.post("/v1/tablebase", &json!({ "fen": fen })).await;
        let by_query = server.get(&link("/v1/tablebase", fen)).await;
        for answer in [by_body, by_query] {
            let problem = answer.expect_problem(422, "tablebase_unavailable");
            assert_eq!(problem["reason"], reason, "{fen}");
            assert!(problem["detail"].as_str().unwrap().starts_with(detail), "{problem}");
        }
    }
    let body = json!({ "fen": WON, "depth": 3 });
    server.post_expecting_problem("/v1/tablebase", &body, 422, "invalid_request").await;
    server.post_text("/v1/tablebase", "{").await.expect_problem(400, "malformed_json");
    server.get("/v1/tablebase?fen=%zz").await.expect_problem(400, "malformed_query");
    let text = server.request(Method::POST, "/v1/tablebase").header("content-type", "text/html");
    server.send(text.body("{}")).await.expect_problem(415, "unsupported_media_type");
    let long = format!("{{\"fen\":\"{}\"}}", "x".repeat(100_000));
    server.post_text("/v1/tablebase", long).await.expect_problem(413, "body_too_large");
}

async fn a_server_without_tables_says_so() {
    let server = Server::start().await;
    let body = json!({ "fen": WON });
    server.post_expecting_problem("/v1/tablebase", &body, 404, "no_tablebase").await;
    server.get(&link("/v1/tablebase", WON)).await.expect_problem(404, "no_tablebase");
    let standard = server.get(&link("/standard", WON)).await.json();
    assert_eq!((&standard["category"], &standard["dtz"]), (&json!("unknown"), &Value::Null));
    let line = server.get(&link("/standard/mainline", WON)).await;
    assert_eq!((line.status, line.body.as_str()), (404, "the server has no tablebases"));
    let answer = server.post_ok("/v1/best-move", &json!({ "fen": WON, "depth": 3 })).await;
    assert_eq!((&answer["tablebase"], &answer["tb_hits"]), (&Value::Null, &json!(0)));
    for path in ["/v1/engine", "/v1/limits"] {
        assert_eq!(server.get(path).await.json().get("tablebase"), Some(&Value::Null), "{path}");
    }
    assert!(!server.get("/metrics").await.body.contains("kibitzer_tablebase"));
}

async fn the_standard_route_has_the_members_of_lila_tablebase() {
    let server = start().await;
    let answer = server.get(&link("/standard", WON)).await;
    assert!(answer.body.starts_with(
        "{\"checkmate\":false,\"stalemate\":false,\"variant_win\":false,\"variant_loss\":false,\
         \"insufficient_material\":false,\"dtz\":"
    ));
    let document = answer.json();
    let names: Vec<&String> = document.as_object().unwrap().keys().collect();
    let position = [
        "checkmate",
        "stalemate",
        "variant_win",
        "variant_loss",
        "insufficient_material",
        "dtz",
        "precise_dtz",
        "dtm",
        "dtw",
        "dtc",
        "category",
    ];
    assert_eq!(names, [&position[..], &["moves"]].concat());
    let own = look_up(&server, WON).await;
    assert_eq!((&document["category"], &document["dtz"]), (&own["category"], &own["dtz"]));
    let moves = moves_of(&document);
    let names: Vec<&String> = moves[0].as_object().unwrap().keys().collect();
    assert_eq!(names, [&["uci", "san", "zeroing", "conversion"], &position[..]].concat());
    for (own, standard) in moves_of(&own).iter().zip(moves) {
        assert_eq!((&own["uci"], &own["category"]), (&standard["uci"], &standard["category"]));
    }
    for dtc in ["never", "auxiliary", "always"] {
        let same = server.get(&format!("{}&dtc={dtc}", link("/standard", WON))).await;
        assert_eq!(same.body, answer.body);
    }
}

async fn the_standard_route_forgives_what_lila_tablebase_forgives() {
    let server = start().await;
    for (fen, normal) in [
        ("8/8/8/8/3k4/8/8/R3K3 w Kkq - 0 1", WON),
        ("8/8/8/8/3k4/8/8/3RK3 w Q - 0 1", "8/8/8/8/3k4/8/8/3RK3 w - - 0 1"),
        ("8/8/8/8/3k4/8/8/R3K3 w - e3 0 1", WON),
        ("8/8/8/8/3k4/8/8/R3K3", WON),
        ("8/8/8/8/3k4/8/8/R3K3 w - - 0", WON),
    ] {
        for path in ["/standard", "/standard/mainline"] {
            let forgiven = server.get(&link(path, fen)).await;
            assert_eq!(forgiven.body, server.get(&link(path, normal)).await.body, "{fen}");
        }
    }
    // No move leads to this check.
    let check = "R3k2R/8/8/8/8/8/8/4K3 b - - 0 1";
    let answer = server.get(&link("/standard", check)).await;
    assert_eq!((answer.status, &answer.json()["category"]), (200, &json!("unknown")));
}

async fn a_wrong_fen_is_refused_in_plain_text() {
    let server = start().await;
    for (fen, error) in [
        ("8/8/8/8/3k4/8/8/R3X3 w - - 0 1", "'X' is not allowed"),
        ("8/8/8/8/3k4/8/8/R7 w - - 0 1", "white has 0 kings; it must have 1"),
        ("8/8/8/8/3kR3/8/8/4K3 w - - 0 1", "white is to move, but the black king on d4"),
    ] {
        for path in ["/standard", "/standard/mainline"] {
            let answer = server.get(&link(path, fen)).await;
            assert_eq!(answer.status, 400, "{}", answer.body);
            assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
            assert!(answer.body.starts_with(error), "{}", answer.body);
        }
    }
    for path in ["/standard", "/standard/mainline"] {
        server.get(path).await.expect_problem(422, "invalid_request");
        let unknown = format!("{}&dtc=perhaps", link(path, WON));
        server.get(&unknown).await.expect_problem(422, "invalid_request");
    }
}

async fn an_unknown_position_is_no_error_of_the_standard_route() {
    let server = start().await;
    // After most moves of the second position no right is left, and the tables know the rest.
    for (fen, category) in [(PAWN, "unknown"), (CASTLING, "win"), (FOUR_MEN, "unknown")] {
        let answer = server.get(&link("/standard", fen)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = answer.json();
        assert_eq!((&answer["category"], &answer["dtz"]), (&json!(category), &Value::Null));
        assert!(!moves_of(&answer).is_empty());
    }
}

async fn a_main_line_ends_in_checkmate() {
    let server = start().await;
    let answer = server.get(&link("/standard/mainline", WON)).await;
    assert!(answer.body.starts_with("{\"mainline\":[{\"uci\":"), "{}", answer.body);
    let answer = answer.json();
    let names: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(names, ["mainline", "winner", "dtz", "precise_dtz"]);
    let line = answer["mainline"].as_array().unwrap();
    let moves: Vec<&Value> = line.iter().map(|step| &step["uci"]).collect();
    assert_eq!(line.len() as i64, answer["dtz"].as_i64().unwrap());
    assert_eq!(answer["winner"], "w");
    let end = server.post_ok("/v1/position", &json!({ "fen": WON, "moves": moves })).await;
    assert_eq!(end["status"], "checkmate");
    let drawn = server.get(&link("/standard/mainline", ONE_DRAW)).await.json();
    assert_eq!(drawn, json!({ "mainline": [], "winner": null, "dtz": 0, "precise_dtz": 0 }));
}

async fn a_position_without_a_main_line_is_not_found() {
    let server = start().await;
    for (fen, error) in [
        (CASTLING, "the position has castling rights, which tablebases do not know"),
        (FOUR_MEN, "the position has 4 men; the largest table has 3"),
    ] {
        let answer = server.get(&link("/standard/mainline", fen)).await;
        assert_eq!((answer.status, answer.body.as_str()), (404, error));
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    }
}

/// A file is opened by its first probe. A pipe in its place blocks that until the test opens the
/// other end. Reading at an offset fails then, as on a broken disk. The other lookups wait for the
/// first one and open the file that is there by then. One client may hold a quarter of the lookups.
async fn lookups_that_wait_for_the_disk_are_limited() {
    const MAX_LOOKUPS: usize = 16;
    const MAX_OF_ONE_CLIENT: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("KRvK.rtbz");
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        std::fs::copy(tables().join(name), folder.path().join(name)).unwrap();
    }
    let server = start_with(|settings| {
        settings.syzygy.paths = vec![folder.path().into()];
        settings.http.body_timeout_ms = 500;
        settings.access.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    std::fs::remove_file(&pipe).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let waiting: Vec<_> = (0..MAX_LOOKUPS)
        .map(|index| {
            let client = server.client.clone();
            let address = format!("192.0.2.{}", index / MAX_OF_ONE_CLIENT);
            let lookup = client.request(Method::GET, &link("/v1/tablebase", WON));
            let lookup = lookup.header("x-forwarded-for", address);
            tokio::spawn(async move { client.send(lookup).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let refused = server.post("/v1/tablebase", &json!({ "fen": WON })).await;
    let problem = refused.expect_problem(503, "queue_full");
    assert_eq!(problem["detail"], "the limit of 16 concurrent tablebase lookups is reached");
    for path in ["/v1/tablebase", "/standard", "/standard/mainline"] {
        server.get(&link(path, WON)).await.expect_problem(503, "queue_full");
    }
    // Other routes and other positions do not wait.
    let answer = server.post_ok("/v1/legal-moves", &json!({ "fen": WON })).await;
    assert_eq!(answer["status"], "ongoing");
    let opened = folder.path().join("pipe");
    std::fs::rename(&pipe, &opened).unwrap();
    std::fs::copy(tables().join("KRvK.rtbz"), &pipe).unwrap();
    drop(std::fs::OpenOptions::new().write(true).open(&opened).unwrap());
    let mut failed = 0;
    for lookup in waiting {
        let answer = lookup.await.unwrap();
        if answer.status != 200 {
            answer.expect_problem(500, "internal");
            failed += 1;
        }
    }
    assert_eq!(failed, 1);
}

/// Copies of the tables in a new folder. The content of KRvK.rtbw is changed.
fn changed_tables(change: impl FnOnce(&mut Vec<u8>)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KRvK.rtbz"] {
        std::fs::copy(tables().join(name), folder.path().join(name)).unwrap();
    }
    let path = folder.path().join("KRvK.rtbw");
    let mut content = std::fs::read(&path).unwrap();
    change(&mut content);
    std::fs::write(&path, content).unwrap();
    folder
}

async fn files_that_are_no_tables_stop_the_start() {
    let truncated = changed_tables(|content| content.truncate(content.len() - 1));
    let foreign = changed_tables(|content| content[..4].copy_from_slice(b"GIF8"));
    let without = tempfile::tempdir().unwrap();
    for (folder, file, cause) in [
        (truncated.path(), "KRvK.rtbw", "no complete Syzygy table"),
        (foreign.path(), "KRvK.rtbw", "is not a Syzygy table"),
        (without.path(), "", "has no file that is named as a Syzygy table"),
        (Path::new("no/such/folder"), "", "No such file"),
    ] {
        let mut command = kibitzer_command(&["serve", "--listen", "127.0.0.1:0"]);
        set_environment(&mut command, &[("KIBITZER__SYZYGY__PATHS", folder.to_str().unwrap())]);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let path = folder.join(file);
        let path = path.to_str().unwrap().trim_end_matches('/');
        assert!(stderr.contains(path) && stderr.contains(cause), "{stderr}");
    }
}

async fn a_damaged_table_is_an_error_of_its_positions_alone() {
    for memory_mb in [0, 64] {
        let folder = changed_tables(|content| content[4..].fill(0xff));
        let server = start_with(|settings| {
            settings.syzygy.paths = vec![folder.path().into()];
            settings.syzygy.memory_mb = memory_mb;
        })
        .await;
        for _ in 0..2 {
            server.get(&link("/v1/tablebase", WON)).await.expect_problem(500, "internal");
        }
        let queen = "8/8/8/8/3k4/8/8/4K2Q w - - 0 1";
        let answer = server.get(&link("/v1/tablebase", queen)).await.json();
        assert_eq!(answer["category"], "win");
        // A search goes on without the table.
        let answer = server.post_ok("/v1/best-move", &json!({ "fen": WON, "depth": 5 })).await;
        assert_eq!(answer["depth"], 5);
    }
}

async fn a_search_uses_the_tables() {
    let server = start().await;
    let body = json!({ "fen": "8/8/8/8/3k4/8/8/R3K3 w - - 3 1", "nodes": 200 });
    let answer = server.post_ok("/v1/best-move", &body).await;
    assert_eq!(answer["score"], json!({ "type": "cp", "value": 20_000 }));
    assert!(answer["tb_hits"].as_u64().unwrap() > 0, "{answer}");
    let own = look_up(&server, "8/8/8/8/3k4/8/8/R3K3 w - - 3 1").await;
    let expected = json!({ "category": own["category"], "dtz": own["dtz"], "men": 3 });
    assert_eq!((&answer["tablebase"], &answer["source"]), (&expected, &json!("search")));
    let again = server.post_ok("/v1/best-move", &body).await;
    assert_eq!((&again["source"], &again["tb_hits"]), (&json!("memory"), &json!(0)));
    assert_eq!(again["tablebase"], expected, "an answer from memory has the entry");
    let proof = server.post_ok("/v1/best-move", &json!({ "fen": WON, "mate": 1 })).await;
    assert_eq!((&proof["tablebase"], &proof["tb_hits"]), (&expected, &json!(0)));
}

async fn a_search_without_a_choice_says_that_the_tables_answered() {
    let server = start().await;
    let answer = server.post_ok("/v1/best-move", &json!({ "fen": ONE_DRAW, "depth": 10 })).await;
    assert_eq!(
        (&answer["source"], &answer["best_move_san"]),
        (&json!("tablebase"), &json!("Kxb2"))
    );
    assert_eq!(answer["score"], json!({ "type": "cp", "value": 0 }));
    assert_eq!(answer["tablebase"], json!({ "category": "draw", "dtz": 0, "men": 3 }));
    assert!(answer.get("age_ms").is_none(), "{answer}");
}

async fn a_search_of_many_men_has_no_entry() {
    let server = start_with(|settings| settings.syzygy.probe_limit = 2).await;
    for fen in ["startpos", FOUR_MEN, CASTLING, WON] {
        let answer = server.post_ok("/v1/best-move", &json!({ "fen": fen, "depth": 2 })).await;
        assert_eq!(answer.get("tablebase"), Some(&Value::Null), "{fen}");
    }
    assert_eq!(look_up(&server, WON).await["category"], "win", "the limit is that of searches");
}

async fn streams_and_batches_have_the_entry() {
    let server = start().await;
    let entry = json!({ "category": "draw", "dtz": 0, "men": 3 });
    let body = json!({ "fen": ONE_DRAW, "depth": 4 });
    let ndjson = server.post("/v1/analysis", &body).await;
    let lines: Vec<Value> =
        ndjson.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (info, end) = (&lines[0], lines.last().unwrap());
    assert_eq!((&info["source"], &end["tablebase"]), (&json!("tablebase"), &entry), "{lines:?}");
    assert!(info["tb_hits"].as_u64().unwrap() > 0, "{info}");
    let json_request = server
        .request(Method::POST, "/v1/analysis")
        .header("accept", "application/json")
        .json(&json!({ "fen": ONE_DRAW, "depth": 4, "fresh": true }));
    let document = server.send(json_request).await.json();
    assert_eq!((&document["source"], &document["tablebase"]), (&json!("tablebase"), &entry));
    let line = json!({ "fen": ONE_DRAW, "depth": 4, "fresh": true }).to_string();
    let batch =
        server.request(Method::POST, "/v1/batch").header("content-type", "application/x-ndjson");
    let batch = server.send(batch.body(line)).await;
    let answer: Value = serde_json::from_str(batch.body.lines().next().unwrap()).unwrap();
    assert_eq!((&answer["source"], &answer["tablebase"]), (&json!("tablebase"), &entry));
    let mut board = LiveBoard::connect(server.address).await;
    board.send(&json!({ "type": "position", "fen": ONE_DRAW })).await;
    board.send(&json!({ "type": "go", "depth": 4, "fresh": true })).await;
    let end = board.next_of_type("end").await;
    assert_eq!(end["tablebase"], entry);
}

async fn a_move_that_keeps_the_result_is_no_mistake() {
    // White lets the mate in one pass, wins on, and gives the rook away at the end.
    let pgn = "[FEN \"3k4/8/3K4/8/8/8/8/R7 w - - 0 1\"]\n\n\
               1. Rb1 Kc8 2. Ra1 Kb7 3. Ra6 Kxa6 1/2-1/2";
    let judgements = |review: &Value| -> Vec<Value> {
        let moves = review["games"][0]["moves"].as_array().unwrap();
        moves.iter().map(|mv| mv["judgement"].clone()).collect()
    };
    let server = start().await;
    let job = server.post("/v1/games", &json!({ "pgn": pgn, "nodes": 100 })).await.json();
    let review = server.wait_for_review(job["url"].as_str().unwrap()).await;
    assert_eq!(
        judgements(&review),
        [json!(null), json!(null), json!(null), json!(null), json!("blunder"), json!(null)],
        "{review}"
    );
    let first = &review["games"][0]["moves"][0];
    assert_eq!(first["before"], json!({ "type": "mate", "value": 1 }));
    assert_eq!(first["after"]["type"], "cp", "the search after the move finds no mate: {first}");
    assert_eq!((&first["accuracy"], &first["win_chance_loss"]), (&json!(100.0), &json!(0.0)));
    let events = server.get(&format!("{}/events", job["url"].as_str().unwrap())).await;
    assert_eq!(events.body.matches("\"judgement\":null").count(), 5, "{}", events.body);
    let pgn = server.get(&format!("{}/pgn", job["url"].as_str().unwrap())).await;
    assert!(!pgn.body.contains("$6") && pgn.body.contains("$4"), "{}", pgn.body);
}

async fn the_server_describes_its_tables() {
    let server = start().await;
    for path in ["/v1/engine", "/v1/limits"] {
        let answer = server.get(path).await.json();
        assert_eq!(answer["tablebase"], json!({ "men": 3, "files": 4 }), "{path}");
    }
}

async fn probes_are_counted() {
    let server = start().await;
    look_up(&server, WON).await;
    let page = server.get("/metrics").await.body;
    let value = |name: &str| {
        let line = page.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name}: {page}")).parse::<f64>().unwrap()
    };
    let probes = value("kibitzer_tablebase_probes_total");
    assert!(probes > 10.0, "{probes}");
    assert_eq!(value("kibitzer_tablebase_hits_total"), probes);
    assert!(value("kibitzer_tablebase_seconds_total") > 0.0);
}
