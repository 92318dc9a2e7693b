//! `kibitzer uci --server`: the UCI front end of a server.

use std::net::TcpListener;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use kibitzer::chess::{Position, parse_move};
use serde_json::json;

use crate::gui::{Gui, median, value_after};
use crate::server::{ScriptedReply, Server};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn gui(server: &Server) -> Gui {
    Gui::with(&["--server", &format!("http://{}/", server.address)])
}

#[test]
fn a_server_plays_through_uci() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    gui.send_commands("uci");
    let (_, lines) = gui.wait_for("uciok");
    assert!(
        lines[0].starts_with(&format!("id name kibitzer {VERSION} at http://127.0.0.1:")),
        "{lines:#?}"
    );
    assert!(
        !lines.iter().any(|line| line.contains("option name EvalFile")),
        "the network of a server is no option: {lines:#?}"
    );
    assert_eq!(
        gui.run_commands("setoption name EvalFile value x"),
        ["info string unknown option: EvalFile"]
    );

    let (infos, best) = gui.search("position startpos moves e2e4\ngo depth 10");
    let depths: Vec<u32> =
        infos.iter().map(|line| value_after(line, "depth").unwrap().parse().unwrap()).collect();
    assert!(depths.is_sorted_by(|a, b| a < b) && depths.last() == Some(&10), "{infos:#?}");
    let position =
        Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
    let mv = parse_move(&position, &best[1]).unwrap();
    parse_move(&position.after(mv), &best[3]).unwrap();
}

#[test]
fn a_server_evaluates_a_position_like_the_local_engine() {
    let server = Server::start(|_| {});
    let eval_commands =
        "position fen nqnbrkrb/pppppppp/8/8/8/8/PPPPPPPP/NQNBRKRB w GEge - 0 1 moves c2c4\neval";
    let (there, here) =
        (gui(&server).run_commands(eval_commands), Gui::start().run_commands(eval_commands));
    assert_eq!(there.len(), here.len());
    let network = |line: &&String| line.starts_with("network ");
    let board =
        |lines: &[String]| lines.iter().filter(|line| !network(line)).cloned().collect::<Vec<_>>();
    assert_eq!(board(&there), board(&here));
    // The server does not report the architecture of its network.
    let last = |lines: &[String]| {
        lines.iter().find(network).unwrap().split([' ', ',']).nth(1).map(str::to_owned)
    };
    assert_eq!(last(&there), last(&here));
}

#[test]
fn eval_reports_a_server_that_is_lost_later() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let mut gui = gui(&server);
    gui.wait_until_ready();
    drop(server);
    let lines = gui.run_commands("eval");
    assert!(
        lines.len() == 1
            && lines[0].starts_with("info string eval: the request to the server failed: "),
        "{lines:#?}"
    );
}

#[test]
fn eval_reports_an_unusable_answer() {
    let script = [
        ScriptedReply::RetryLater(StatusCode::SERVICE_UNAVAILABLE),
        ScriptedReply::Evaluation("a piece of good advice"),
        ScriptedReply::Evaluation(
            r#"{"white_score": {"value": 1}, "network": "n", "bucket": 0,
                "pieces": [{"square": "e9", "value": 1}]}"#,
        ),
    ];
    let (server, _) = Server::scripted(script);
    let mut gui = gui(&server);
    let mut eval_error = || match &gui.run_commands("eval")[..] {
        [line] => line.strip_prefix("info string eval: the server").unwrap().to_owned(),
        lines => panic!("{lines:#?}"),
    };
    assert_eq!(eval_error(), " returned 503 queue_full: all places are taken");
    let unreadable = eval_error();
    assert!(unreadable.starts_with("'s answer is invalid: "), "{unreadable}");
    assert_eq!(eval_error(), "'s answer is invalid: \"e9\" is not a square");
}

#[test]
fn the_default_options_of_lichess_bot_are_supported() {
    let (server, requests) = Server::scripted([ScriptedReply::Complete]);
    let mut gui = gui(&server);
    gui.send_commands("uci");
    let (_, lines) = gui.wait_for("uciok");
    for (name, value) in
        [("Move Overhead", "100"), ("Threads", "2"), ("Hash", "256"), ("Ponder", "true")]
    {
        let offer = format!("option name {name} type ");
        assert!(lines.iter().any(|line| line.starts_with(&offer)), "{name} in {lines:#?}");
        assert_eq!(
            gui.run_commands(&format!("setoption name {name} value {value}")),
            [""; 0],
            "{name}"
        );
    }
    gui.search("position startpos\ngo depth 1");
    let request = requests.lock().unwrap().pop().unwrap();
    assert!(
        request["threads"] == 2 && !request.to_string().contains("256"),
        "the hash size is not sent to the server: {request}"
    );
}

#[test]
fn the_reversible_history_is_sent() {
    let (server, requests) = Server::scripted([ScriptedReply::Complete]);
    gui(&server).search("position startpos moves e2e4 e7e5 g1f3 b8c6 f3g1 c6b8\ngo depth 1");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let moves = ["g1f3", "b8c6", "f3g1", "c6b8"];
    let request = requests.lock().unwrap().pop().unwrap();
    assert_eq!(
        (&request["fen"], &request["moves"], &request["depth"]),
        (&json!(fen), &json!(moves), &json!(1))
    );
}

#[test]
fn all_searches_of_a_process_share_a_session() {
    let (server, requests) = Server::scripted([ScriptedReply::Complete]);
    let mut one = gui(&server);
    one.search("position startpos\ngo depth 1");
    one.search("position startpos moves e2e4 e7e5\ngo depth 1");
    gui(&server).search("position startpos\ngo depth 1");
    let requests = requests.lock().unwrap();
    let sessions: Vec<&str> =
        requests.iter().map(|request| request["session"].as_str().unwrap()).collect();
    assert!(sessions[0] == sessions[1] && sessions[1] != sessions[2], "{sessions:?}");
}

#[test]
fn multipv_and_searchmoves_are_sent() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let (infos, best) = gui.search(
        "setoption name MultiPV value 3\nposition startpos\ngo depth 5 searchmoves a2a3 h2h3 e2e4",
    );
    let last: Vec<&String> =
        infos.iter().filter(|line| line.starts_with("info depth 5 ")).collect();
    let ranks: Vec<_> = last.iter().map(|line| value_after(line, "multipv").unwrap()).collect();
    assert_eq!(ranks, ["1", "2", "3"], "{infos:#?}");
    let mut firsts: Vec<_> = last.iter().map(|line| value_after(line, "pv").unwrap()).collect();
    assert_eq!(firsts[0], best[1]);
    firsts.sort_unstable();
    assert_eq!(firsts, ["a2a3", "e2e4", "h2h3"]);
    let (infos, _) = gui.search("setoption name MultiPV value 9\nposition startpos\ngo depth 2");
    assert!(
        infos.contains(&"info string the server limits multipv to 5, not 9".to_owned()),
        "{infos:#?}"
    );
}

#[test]
fn castling_notation_follows_uci_chess960() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let castle = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\ngo depth 1 searchmoves e1g1";
    assert_eq!(gui.search(castle).1[1], "e1g1");
    assert_eq!(
        gui.search(&format!("setoption name UCI_Chess960 value true\n{castle}")).1[1],
        "e1h1"
    );
}

#[test]
fn a_cached_analysis_is_reported_at_once() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let (searched, _) = gui.search("position startpos\ngo depth 9");
    let (remembered, _) = gui.search("position startpos\ngo depth 5");
    let [known] = remembered.as_slice() else { panic!("{remembered:#?}") };
    let found = searched.last().unwrap();
    assert!(
        known.starts_with("info depth 9 ")
            && value_after(known, "score") == value_after(found, "score"),
        "{known} {found}"
    );
}

#[test]
fn wdl_is_taken_from_the_server() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let mut gui = gui(&server);
    let (infos, _) = gui.search("position startpos\ngo depth 1");
    let line = "info depth 1 seldepth 2 multipv 1 score cp 20 nodes 30 nps 15000 tbhits 0 time 2 \
                pv e2e4 e7e5";
    assert_eq!(infos, ["info string the search waits for a worker, at queue place 3", line]);
    let (infos, _) = gui.search("setoption name UCI_ShowWDL value true\ngo depth 1");
    assert!(infos[1].contains(" score cp 20 wdl 123 800 77 nodes 30 "), "{infos:#?}");
}

#[test]
fn a_game_over_by_the_rules_is_still_searched() {
    let server = Server::start(|_| {});
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(700).join(" ");
    let (infos, best) =
        gui(&server).search(&format!("position startpos moves {shuffle} b1c3\ngo depth 2"));
    assert!(!infos.iter().any(|line| line.starts_with("info string")), "{infos:#?}");
    assert_ne!(best[1], "(none)");
}

#[test]
fn an_infinite_search_stops_at_once_in_the_median_and_frees_the_server() {
    let server = Server::start(|settings| settings.search.workers = 1);
    let mut gui = gui(&server);
    // The only worker is free for each next search.
    let wait = median(7, |_| {
        gui.send_commands("position startpos moves d2d4 d7d5\ngo infinite");
        gui.wait_for("info depth");
        gui.assert_no_line("bestmove", Duration::from_millis(100));
        let stop_sent = gui.send_commands("stop");
        gui.wait_for("bestmove").0.saturating_duration_since(stop_sent)
    });
    assert!(wait < Duration::from_millis(5), "{wait:?}");
}

#[test]
fn the_clock_is_respected_in_the_median() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    gui.wait_until_ready();
    for (go, most) in
        [("wtime 600 btime 600", 600), ("wtime 60 btime 60", 200), ("movetime 300", 450)]
    {
        let took = median(5, |_| {
            let started = Instant::now();
            gui.search(&format!("position startpos\ngo {go}"));
            started.elapsed()
        });
        assert!(took < Duration::from_millis(most), "{go}: {took:?}");
    }
}

#[test]
fn pondering_ends_in_time_after_ponderhit_in_the_median() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let took = median(5, |_| {
        gui.send_commands("position startpos moves e2e4 e7e5\ngo ponder wtime 500 btime 500");
        gui.assert_no_line("bestmove", Duration::from_millis(300));
        let hit = gui.send_commands("ponderhit");
        gui.wait_for("bestmove").0.saturating_duration_since(hit)
    });
    assert!(took < Duration::from_millis(500), "{took:?}");
}

#[test]
fn mates_and_nodes_end_a_search() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let (infos, best) = gui.search("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1\ngo mate 2");
    assert!(infos.last().unwrap().contains(" score mate 2 "), "{infos:#?}");
    assert_eq!(best[1], "a1a6");
    let (infos, _) = gui.search("position startpos\ngo nodes 3000");
    let nodes: u64 = value_after(infos.last().unwrap(), "nodes").unwrap().parse().unwrap();
    assert!(nodes <= 3_000, "{infos:#?}");
}

#[test]
fn a_busy_server_is_retried_after_retry_after() {
    let busy = ScriptedReply::RetryLater(StatusCode::SERVICE_UNAVAILABLE);
    let (server, requests) = Server::scripted([
        busy,
        ScriptedReply::RetryLater(StatusCode::TOO_MANY_REQUESTS),
        ScriptedReply::Complete,
    ]);
    let started = Instant::now();
    let (infos, best) = gui(&server).search("position startpos\ngo depth 1");
    assert!(started.elapsed() >= Duration::from_secs(2), "{:?}", started.elapsed());
    let says = |status| {
        format!("info string the server returned {status} queue_full: all places are taken")
    };
    assert_eq!(infos[..2], [says(503), says(429)]);
    assert_eq!((best[1].as_str(), requests.lock().unwrap().len()), ("e2e4", 3));
}

#[test]
fn a_move_is_played_without_time_to_retry() {
    let (server, _) =
        Server::scripted([ScriptedReply::RetryLater(StatusCode::SERVICE_UNAVAILABLE)]);
    let mut gui = gui(&server);
    let took = median(5, |_| {
        let started = Instant::now();
        let (_, best) = gui.search("position startpos\ngo movetime 300");
        assert_ne!(best[1], "(none)");
        started.elapsed()
    });
    assert!(took < Duration::from_millis(900), "{took:?}");
}

#[test]
fn a_search_without_a_time_limit_ends_without_a_move_after_five_refusals() {
    let (server, requests) =
        Server::scripted([ScriptedReply::RetryLater(StatusCode::TOO_MANY_REQUESTS)]);
    let (infos, best) = gui(&server).search("position startpos\ngo depth 1");
    assert_eq!((best[1].as_str(), requests.lock().unwrap().len()), ("(none)", 5), "{infos:#?}");
}

#[test]
fn a_broken_stream_is_reported_and_retried() {
    for (reply, why) in [
        (ScriptedReply::Disconnects, "info string the stream failed"),
        (
            ScriptedReply::Problem,
            "info string the server returned 503 deadline: no worker was free",
        ),
    ] {
        let (server, requests) = Server::scripted([reply, ScriptedReply::Complete]);
        let (infos, best) = gui(&server).search("position startpos\ngo depth 1");
        assert!(infos.iter().any(|line| line.starts_with(why)), "{infos:#?}");
        assert_eq!((best[1].as_str(), requests.lock().unwrap().len()), ("e2e4", 2));
    }
}

#[test]
fn a_stop_is_answered_with_the_best_move_so_far() {
    let (server, requests) = Server::scripted([ScriptedReply::StaysOpen]);
    let mut gui = gui(&server);
    gui.send_commands("position startpos\ngo infinite");
    gui.wait_for("info depth 1");
    gui.send_commands("stop");
    let (_, lines) = gui.wait_for("bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove e2e4 ponder e7e5");
    assert_eq!(requests.lock().unwrap()[0]["infinite"], true);
}

#[test]
fn a_ponderhit_starts_the_movetime() {
    let (server, requests) = Server::scripted([ScriptedReply::StaysOpen]);
    let mut gui = gui(&server);
    gui.send_commands("position startpos\ngo ponder movetime 100");
    gui.wait_for("info depth 1");
    gui.assert_no_line("bestmove", Duration::from_millis(200));
    gui.send_commands("ponderhit");
    gui.wait_for("bestmove e2e4");
    let requests = requests.lock().unwrap();
    assert!(requests.len() == 1 && requests[0].get("movetime_ms").is_none(), "{requests:?}");
}

#[test]
fn the_api_key_is_sent() {
    let server = Server::start(|settings| {
        // `printf %s secret | sha256sum`
        let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        settings.access.keys =
            serde_json::from_value(json!([{ "name": "board", "sha256": digest }])).unwrap();
    });
    let url = format!("http://{}", server.address);
    let (infos, _) =
        Gui::with(&["--server", &url, "--key", "secret"]).search("position startpos\ngo depth 2");
    assert!(!infos.iter().any(|line| line.starts_with("info string")), "{infos:#?}");
    let cause = "the server returned 401 unauthorized";
    assert_refused_at_start(&["--server", &url, "--key", "other"], cause);
}

#[test]
fn a_server_that_requires_a_key_is_named_at_start() {
    let server = Server::start(|settings| {
        let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        settings.access.required = true;
        settings.access.keys =
            serde_json::from_value(json!([{ "name": "board", "sha256": digest }])).unwrap();
    });
    let url = format!("http://{}", server.address);
    let (_, best) =
        Gui::with(&["--server", &url, "--key", "secret"]).search("position startpos\ngo depth 2");
    assert!(best[0] == "bestmove" && best[1] != "(none)", "{best:?}");
    assert_refused_at_start(&["--server", &url], "this server requires an API key");
}

#[test]
fn a_refusal_is_reported_and_there_is_no_move() {
    let server = Server::start(|settings| settings.limits.body_bytes = 20);
    let (infos, best) =
        gui(&server).search("position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\ngo depth 3");
    assert!(
        infos[0].starts_with("info string the server returned 413 body_too_large"),
        "{infos:#?}"
    );
    assert!(infos[1].starts_with("info string no answer from the server"), "{infos:#?}");
    assert_eq!(best[1], "(none)");
}

#[test]
fn a_server_that_is_lost_later_is_reported_and_there_is_no_move() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let mut gui = gui(&server);
    gui.search("position startpos\ngo depth 1");
    drop(server);
    for go in ["go movetime 300", "go depth 3"] {
        let (infos, best) = gui.search(&format!("position startpos\n{go}"));
        assert!(infos[0].starts_with("info string the request to the server failed"), "{infos:#?}");
        assert!(infos.iter().all(|line| line.starts_with("info string ")), "{infos:#?}");
        assert_eq!(best[1], "(none)");
    }
}

/// Runs `kibitzer uci` with these arguments, without input.
fn run_uci(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitzer")).arg("uci").args(arguments).output().unwrap()
}

/// Asserts that the program ends with status 1 before it prints anything, and names the cause.
#[track_caller]
fn assert_refused_at_start(arguments: &[&str], cause: &str) {
    let output = run_uci(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
    assert!(stderr.contains(arguments[1]) && stderr.contains(cause), "{stderr}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn an_unreachable_server_is_refused_at_the_start() {
    let unused_address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cause = "the server cannot be reached: error sending request: ";
    assert_refused_at_start(&["--server", &format!("http://{unused_address}")], cause);
}

#[test]
fn a_server_that_is_not_kibitzer_is_refused_at_the_start() {
    let server = Server::with_engine_route("a piece of good advice");
    let cause = "this is not a kibitzer server";
    assert_refused_at_start(&["--server", &server.address.to_string()], cause);
    let server = Server::with_engine_route(r#"{"name": "another"}"#);
    assert_refused_at_start(&["--server", &server.address.to_string()], cause);
}

#[test]
fn an_address_without_a_scheme_means_http() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    let (_, best) = Gui::with(&["--server", &server.address.to_string()])
        .search("position startpos\ngo depth 1");
    assert_eq!(best[1], "e2e4");
}

#[test]
fn a_path_of_the_address_precedes_the_routes() {
    let (server, _) = Server::scripted([ScriptedReply::Complete]);
    for path in ["chess", "chess/"] {
        let url = format!("http://{}/{path}", server.address);
        let (_, best) = Gui::with(&["--server", &url]).search("position startpos\ngo depth 1");
        assert_eq!(best[1], "e2e4");
    }
    for rest in ["?depth=3", "/chess?depth=3", "/#board"] {
        let url = format!("http://{}{rest}", server.address);
        assert_refused_at_start(&["--server", &url], "the URL must end after the host, the port");
    }
}

#[test]
fn an_address_that_is_not_http_is_refused() {
    for url in ["http://", "https://", "ftp://x"] {
        assert_refused_at_start(&["--server", url], "");
    }
}
