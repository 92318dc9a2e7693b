//! Claims about `kibitzer uci --server`: the same program with a server behind it.

use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use kibitzer::chess::{Position, read_move};
use serde_json::json;

use crate::gui::{Gui, after, median};
use crate::server::{Reply, Server};

fn gui(server: &Server) -> Gui {
    Gui::with(&["--server", &format!("http://{}/", server.address)])
}

#[test]
fn a_server_plays_through_uci() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    gui.say("uci");
    let (_, lines) = gui.until("uciok");
    assert!(lines[0].starts_with("id name kibitzer at http://127.0.0.1:"), "{lines:#?}");
    assert!(
        !lines.iter().any(|line| line.contains("option name EvalFile")),
        "a server's network is its own: {lines:#?}"
    );
    assert_eq!(
        gui.ask("setoption name EvalFile value x"),
        ["info string unknown option: EvalFile"]
    );

    let (infos, best) = gui.search("position startpos moves e2e4\ngo depth 10");
    let depths: Vec<u32> =
        infos.iter().map(|line| after(line, "depth").unwrap().parse().unwrap()).collect();
    assert!(depths.is_sorted_by(|a, b| a < b) && depths.last() == Some(&10), "{infos:#?}");
    let position =
        Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
    let mv = read_move(&position, &best[1]).unwrap();
    read_move(&position.after(mv), &best[3]).unwrap();
}

#[test]
fn a_server_judges_a_position_as_the_engine_here_does() {
    let server = Server::start(|_| {});
    let judge =
        "position fen nqnbrkrb/pppppppp/8/8/8/8/PPPPPPPP/NQNBRKRB w GEge - 0 1 moves c2c4\neval";
    let (there, here) = (gui(&server).ask(judge), Gui::start().ask(judge));
    assert_eq!(there.len(), here.len());
    let network = |line: &&String| line.starts_with("network ");
    let board =
        |lines: &[String]| lines.iter().filter(|line| !network(line)).cloned().collect::<Vec<_>>();
    assert_eq!(board(&there), board(&here));
    // Its architecture the server does not tell.
    let last = |lines: &[String]| {
        lines.iter().find(network).unwrap().split([' ', ',']).nth(1).map(str::to_owned)
    };
    assert_eq!(last(&there), last(&here));
}

#[test]
fn a_server_that_is_not_there_judges_nothing() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut gui = Gui::with(&["--server", &format!("http://127.0.0.1:{port}")]);
    let lines = gui.ask("eval");
    assert!(
        lines.len() == 1 && lines[0].starts_with("info string eval: the server can't be asked: "),
        "{lines:#?}"
    );
}

#[test]
fn a_server_that_answers_nothing_of_use_judges_nothing() {
    let script = [
        Reply::AskAgain(StatusCode::SERVICE_UNAVAILABLE),
        Reply::Judges("a piece of good advice"),
        Reply::Judges(
            r#"{"white_score": {"value": 1}, "network": "n", "bucket": 0, "pieces": [{"square": "e9", "value": 1}]}"#,
        ),
    ];
    let (server, _) = Server::scripted(script);
    let mut gui = gui(&server);
    let mut ask = || match &gui.ask("eval")[..] {
        [line] => line.strip_prefix("info string eval: the server").unwrap().to_owned(),
        lines => panic!("{lines:#?}"),
    };
    assert_eq!(ask(), " says 503 queue_full: all places are taken");
    let unreadable = ask();
    assert!(unreadable.starts_with("'s answer can't be read: "), "{unreadable}");
    assert_eq!(ask(), "'s answer can't be read: \"e9\" is no square");
}

#[test]
fn all_that_a_lichess_bot_sets_unless_told_otherwise_is_offered_and_taken() {
    let (server, questions) = Server::scripted([Reply::KingPawn]);
    let mut gui = gui(&server);
    gui.say("uci");
    let (_, lines) = gui.until("uciok");
    for (name, value) in
        [("Move Overhead", "100"), ("Threads", "2"), ("Hash", "256"), ("Ponder", "true")]
    {
        let offer = format!("option name {name} type ");
        assert!(lines.iter().any(|line| line.starts_with(&offer)), "{name} in {lines:#?}");
        assert_eq!(gui.ask(&format!("setoption name {name} value {value}")), [""; 0], "{name}");
    }
    gui.search("position startpos\ngo depth 1");
    let asked = questions.lock().unwrap().pop().unwrap();
    assert!(
        asked["threads"] == 2 && !asked.to_string().contains("256"),
        "the server's table is its own: {asked}"
    );
}

#[test]
fn the_history_that_can_matter_goes_along() {
    let (server, questions) = Server::scripted([Reply::KingPawn]);
    gui(&server).search("position startpos moves e2e4 e7e5 g1f3 b8c6 f3g1 c6b8\ngo depth 1");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let moves = ["g1f3", "b8c6", "f3g1", "c6b8"];
    let asked = questions.lock().unwrap().pop().unwrap();
    assert_eq!(
        (&asked["fen"], &asked["moves"], &asked["depth"]),
        (&json!(fen), &json!(moves), &json!(1))
    );
}

#[test]
fn all_searches_of_a_process_are_of_one_session() {
    let (server, questions) = Server::scripted([Reply::KingPawn]);
    let mut one = gui(&server);
    one.search("position startpos\ngo depth 1");
    one.search("position startpos moves e2e4 e7e5\ngo depth 1");
    gui(&server).search("position startpos\ngo depth 1");
    let questions = questions.lock().unwrap();
    let sessions: Vec<&str> =
        questions.iter().map(|question| question["session"].as_str().unwrap()).collect();
    assert!(sessions[0] == sessions[1] && sessions[1] != sessions[2], "{sessions:?}");
}

#[test]
fn several_lines_and_given_moves_are_asked_for() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let (infos, best) = gui.search(
        "setoption name MultiPV value 3\nposition startpos\ngo depth 5 searchmoves a2a3 h2h3 e2e4",
    );
    let last: Vec<&String> =
        infos.iter().filter(|line| line.starts_with("info depth 5 ")).collect();
    let ranks: Vec<_> = last.iter().map(|line| after(line, "multipv").unwrap()).collect();
    assert_eq!(ranks, ["1", "2", "3"], "{infos:#?}");
    let mut firsts: Vec<_> = last.iter().map(|line| after(line, "pv").unwrap()).collect();
    assert_eq!(firsts[0], best[1]);
    firsts.sort_unstable();
    assert_eq!(firsts, ["a2a3", "e2e4", "h2h3"]);
    let (infos, _) = gui.search("setoption name MultiPV value 9\nposition startpos\ngo depth 2");
    assert!(
        infos.contains(&"info string the server gives multipv 5, not 9".to_owned()),
        "{infos:#?}"
    );
}

#[test]
fn castling_is_written_as_the_gui_wants_it() {
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
fn what_the_server_remembers_is_told_at_once() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let (searched, _) = gui.search("position startpos\ngo depth 9");
    let (remembered, _) = gui.search("position startpos\ngo depth 5");
    let [known] = remembered.as_slice() else { panic!("{remembered:#?}") };
    let found = searched.last().unwrap();
    assert!(
        known.starts_with("info depth 9 ") && after(known, "score") == after(found, "score"),
        "{known} {found}"
    );
}

#[test]
fn the_chances_are_those_that_the_server_tells() {
    let (server, _) = Server::scripted([Reply::KingPawn]);
    let mut gui = gui(&server);
    let (infos, _) = gui.search("position startpos\ngo depth 1");
    let line =
        "info depth 1 seldepth 2 multipv 1 score cp 20 nodes 30 nps 15000 time 2 pv e2e4 e7e5";
    assert_eq!(infos, ["info string the search waits for a worker, at place 3 of the queue", line]);
    let (infos, _) = gui.search("setoption name UCI_ShowWDL value true\ngo depth 1");
    assert!(infos[1].contains(" score cp 20 wdl 123 800 77 nodes 30 "), "{infos:#?}");
}

#[test]
fn a_game_that_the_rules_have_ended_long_ago_is_still_taken() {
    let server = Server::start(|_| {});
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(700).join(" ");
    let (infos, best) =
        gui(&server).search(&format!("position startpos moves {shuffle} b1c3\ngo depth 2"));
    assert!(!infos.iter().any(|line| line.starts_with("info string")), "{infos:#?}");
    assert_ne!(best[1], "(none)");
}

#[test]
fn a_search_without_end_is_stopped_at_once_in_the_median_and_the_server_is_free_again() {
    let server = Server::start(|settings| settings.search.workers = 1);
    let mut gui = gui(&server);
    // The one worker is free for each next search.
    let wait = median(7, |_| {
        gui.say("position startpos moves d2d4 d7d5\ngo infinite");
        gui.until("info depth");
        gui.never("bestmove", Duration::from_millis(100));
        let said = gui.say("stop");
        gui.until("bestmove").0.saturating_duration_since(said)
    });
    assert!(wait < Duration::from_millis(5), "{wait:?}");
}

#[test]
fn the_clock_is_kept_in_the_median() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    gui.until_ready();
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
fn pondering_waits_for_its_end_and_is_answered_in_time_in_the_median() {
    let server = Server::start(|_| {});
    let mut gui = gui(&server);
    let took = median(5, |_| {
        gui.say("position startpos moves e2e4 e7e5\ngo ponder wtime 500 btime 500");
        gui.never("bestmove", Duration::from_millis(300));
        let hit = gui.say("ponderhit");
        gui.until("bestmove").0.saturating_duration_since(hit)
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
    let nodes: u64 = after(infos.last().unwrap(), "nodes").unwrap().parse().unwrap();
    assert!(nodes <= 3_000, "{infos:#?}");
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let busy = Reply::AskAgain(StatusCode::SERVICE_UNAVAILABLE);
    let (server, questions) =
        Server::scripted([busy, Reply::AskAgain(StatusCode::TOO_MANY_REQUESTS), Reply::KingPawn]);
    let started = Instant::now();
    let (infos, best) = gui(&server).search("position startpos\ngo depth 1");
    assert!(started.elapsed() >= Duration::from_secs(2), "{:?}", started.elapsed());
    let says =
        |status| format!("info string the server says {status} queue_full: all places are taken");
    assert_eq!(infos[..2], [says(503), says(429)]);
    assert_eq!((best[1].as_str(), questions.lock().unwrap().len()), ("e2e4", 3));
}

#[test]
fn who_has_no_time_to_ask_again_plays_what_there_is() {
    let (server, _) = Server::scripted([Reply::AskAgain(StatusCode::SERVICE_UNAVAILABLE)]);
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
fn a_stream_that_breaks_is_told_and_taken_up_again() {
    for (reply, why) in [
        (Reply::BreaksOff, "info string the stream broke off"),
        (Reply::Fails, "info string the server says 503 deadline: no worker was free"),
    ] {
        let (server, questions) = Server::scripted([reply, Reply::KingPawn]);
        let (infos, best) = gui(&server).search("position startpos\ngo depth 1");
        assert!(infos.iter().any(|line| line.starts_with(why)), "{infos:#?}");
        assert_eq!((best[1].as_str(), questions.lock().unwrap().len()), ("e2e4", 2));
    }
}

#[test]
fn a_stop_is_answered_with_what_was_told_so_far() {
    let (server, questions) = Server::scripted([Reply::StaysOpen]);
    let mut gui = gui(&server);
    gui.say("position startpos\ngo infinite");
    gui.until("info depth 1");
    gui.say("stop");
    let (_, lines) = gui.until("bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove e2e4 ponder e7e5");
    assert_eq!(questions.lock().unwrap()[0]["infinite"], true);
}

#[test]
fn a_ponderhit_gives_the_search_its_time_from_then_on() {
    let (server, questions) = Server::scripted([Reply::StaysOpen]);
    let mut gui = gui(&server);
    gui.say("position startpos\ngo ponder movetime 100");
    gui.until("info depth 1");
    gui.never("bestmove", Duration::from_millis(200));
    gui.say("ponderhit");
    gui.until("bestmove e2e4");
    let questions = questions.lock().unwrap();
    assert!(questions.len() == 1 && questions[0].get("movetime_ms").is_none(), "{questions:?}");
}

#[test]
fn a_key_is_shown_to_the_server() {
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
    let (infos, best) =
        Gui::with(&["--server", &url, "--key", "other"]).search("position startpos\ngo depth 2");
    assert!(infos[0].starts_with("info string the server says 401 unauthorized"), "{infos:#?}");
    assert_ne!(best[1], "(none)");
}

#[test]
fn a_refusal_is_told_and_a_move_is_played() {
    let server = Server::start(|settings| settings.limits.body_bytes = 20);
    let (infos, best) =
        gui(&server).search("position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\ngo depth 3");
    assert!(infos[0].starts_with("info string the server says 413 body_too_large"), "{infos:#?}");
    assert!(infos[1].starts_with("info string no answer from the server"), "{infos:#?}");
    assert_ne!(best[1], "(none)");
}

#[test]
fn a_silent_server_is_told_and_a_move_is_played() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut gui = Gui::with(&["--server", &format!("http://{nobody}")]);
    for go in ["go movetime 300", "go depth 3"] {
        let (infos, best) = gui.search(&format!("position startpos\n{go}"));
        assert!(infos[0].starts_with("info string the server can't be asked"), "{infos:#?}");
        assert_ne!(best[1], "(none)");
    }
}

#[test]
fn an_address_that_is_not_plain_http_is_refused() {
    for url in ["https://127.0.0.1:1", "nonsense", "ftp://x"] {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitzer"))
            .args(["uci", "--server", url])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{url}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(url), "{output:?}");
    }
}
