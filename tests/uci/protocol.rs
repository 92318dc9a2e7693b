//! The protocol: options, `isready`, `stop`, pondering and the end of the program.

use std::time::Duration;

use crate::gui::{Gui, median};

const QUIET_PERIOD: Duration = Duration::from_millis(150);

/// White mates in one, which every search finds quickly.
const MATE_IN_ONE: &str = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";

#[test]
fn uci_lists_the_id_and_the_options() {
    let mut gui = Gui::start();
    gui.send_commands("uci");
    let (_, lines) = gui.wait_for("uciok");
    assert!(lines[0].starts_with("id name kibitzer "), "{lines:#?}");
    assert!(lines[1].starts_with("id author "), "{lines:#?}");
    for option in [
        "Hash type spin",
        "Clear Hash type button",
        "Threads type spin",
        "MultiPV type spin",
        "Ponder type check",
        "Move Overhead type spin",
        "UCI_Chess960 type check default false",
        "UCI_AnalyseMode type check",
        "UCI_ShowWDL type check default false",
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin",
        "EvalFile type string default <empty>",
        "SyzygyPath type string default <empty>",
        "SyzygyProbeDepth type spin default 1 min 1 max 100",
        "Syzygy50MoveRule type check default true",
        "SyzygyProbeLimit type spin default 7 min 0 max 7",
    ] {
        let offer = format!("option name {option}");
        assert!(lines.iter().any(|line| line.starts_with(&offer)), "{option} in {lines:#?}");
    }
}

#[test]
fn unknown_commands_are_reported_and_ignored() {
    let mut gui = Gui::start();
    assert_eq!(
        gui.run_commands(
            "xboard\n\n   \nsetoption name Contempt value 3\nsetoption name Hash value 0\nposition"
        ),
        [
            "info string unknown command: xboard",
            "info string unknown option: Contempt",
            "info string Hash: \"0\" is not an integer from 1 to 65536",
            "info string position: startpos or fen is missing",
        ]
    );
    gui.send_bytes(b"\xff\xfe\x00 go\r\n");
    assert_eq!(gui.wait_until_ready().len(), 1, "invalid UTF-8 is reported once");
}

#[cfg(unix)]
#[test]
fn a_hash_size_that_does_not_fit_is_refused_and_the_table_kept() {
    let mut gui = Gui::with_address_space(1 << 21);
    assert_eq!(
        gui.run_commands("setoption name Hash value 65536"),
        ["info string Hash: cannot allocate a transposition table of 65536 MiB"]
    );
    gui.send_commands("go depth 3");
    gui.wait_for("bestmove ");
    assert!(gui.run_commands("setoption name Hash value 32").is_empty());
}

#[test]
fn an_overlong_line_is_skipped() {
    let mut gui = Gui::start();
    gui.send_bytes(&vec![b'x'; 3 << 20]);
    let lines = gui.run_commands("");
    assert_eq!(lines, ["info string ignored a line of 1 MiB or more"]);
}

#[test]
fn is_ready_is_answered_during_a_search() {
    let mut gui = Gui::start();
    gui.send_commands("position startpos\ngo infinite");
    for _ in 0..3 {
        let lines = gui.wait_until_ready();
        assert!(lines.iter().all(|line| line.starts_with("info ")), "{lines:#?}");
    }
    assert!(gui.run_commands("d").iter().any(|line| line.starts_with("Fen: ")));
    gui.send_commands("stop");
    gui.wait_for("bestmove");
}

/// The median time from `stop` to `bestmove` with these options. Each search must answer once.
#[track_caller]
fn time_to_stop(options: &str) -> Duration {
    let mut gui = Gui::start();
    gui.send_commands(options);
    let wait = median(11, |run| {
        gui.send_commands("position startpos moves e2e4 e7e5\ngo infinite");
        gui.wait_for("info depth 3");
        // Stop at different points of the iterations.
        std::thread::sleep(Duration::from_millis(2 * run as u64));
        let stop_sent = gui.send_commands("stop");
        let (answered, _) = gui.wait_for("bestmove");
        let late = gui.wait_until_ready();
        assert!(!late.iter().any(|line| line.starts_with("bestmove")), "{options:?}: {late:#?}");
        answered.saturating_duration_since(stop_sent)
    });
    gui.assert_no_line("bestmove", QUIET_PERIOD);
    wait
}

#[test]
fn a_stop_is_answered_once_and_without_delay() {
    // `cargo bench --bench scaling -- stop` measures the time. Here other programs may use the
    // processor.
    for options in [
        "",
        "setoption name MultiPV value 3",
        "setoption name UCI_AnalyseMode value true",
        "setoption name Threads value 2",
        "setoption name Threads value 3\nsetoption name MultiPV value 2\n\
         setoption name UCI_AnalyseMode value true",
    ] {
        let wait = time_to_stop(options);
        assert!(wait < Duration::from_millis(500), "{options:?}: {wait:?}");
    }
}

#[test]
fn an_infinite_search_keeps_its_move_until_stop() {
    let mut gui = Gui::start();
    gui.send_commands(&format!("{MATE_IN_ONE}\ngo infinite"));
    gui.assert_no_line("bestmove", QUIET_PERIOD);
    gui.send_commands("ponderhit");
    gui.assert_no_line("bestmove", QUIET_PERIOD);
    gui.send_commands("stop");
    assert_eq!(gui.wait_for("bestmove").1, ["bestmove a1a8"]);
    assert_eq!(gui.run_commands("stop\nponderhit"), [""; 0], "the search has ended");
}

#[test]
fn a_pondering_search_keeps_its_move_until_ponderhit_or_stop() {
    let mut gui = Gui::start();
    for (go, end) in [
        ("go ponder wtime 60000 btime 60000", "ponderhit"),
        ("go ponder depth 3", "stop"),
        ("go ponder", "stop"),
    ] {
        gui.send_commands(&format!("{MATE_IN_ONE}\n{go}"));
        gui.assert_no_line("bestmove", QUIET_PERIOD);
        gui.send_commands(end);
        gui.wait_for("bestmove a1a8");
    }
}

/// The median time from `ponderhit` to `bestmove` in five runs.
fn time_after_ponderhit(go: &str) -> Duration {
    let mut gui = Gui::start();
    median(5, |_| {
        gui.send_commands(&format!("position startpos moves e2e4 e7e5\n{go}"));
        gui.assert_no_line("bestmove", 2 * QUIET_PERIOD);
        let hit = gui.send_commands("ponderhit");
        gui.wait_for("bestmove").0.saturating_duration_since(hit)
    })
}

#[test]
fn after_ponderhit_the_clock_decides_in_the_median() {
    let took = time_after_ponderhit("go ponder wtime 500 btime 500");
    assert!(took < Duration::from_millis(500), "{took:?}");
}

#[test]
fn pondering_time_counts_towards_movetime_in_the_median() {
    let took = time_after_ponderhit("go ponder movetime 250");
    assert!(took < Duration::from_millis(125), "{took:?}");
}

#[test]
fn commands_that_change_the_session_stop_the_search_first() {
    for command in [
        "position startpos",
        "ucinewgame",
        "setoption name Hash value 2",
        "go depth 1",
        "bench 1",
        "perft 1",
    ] {
        let mut gui = Gui::start();
        gui.send_commands("position startpos moves e2e4\ngo infinite");
        gui.wait_for("info depth 3");
        let lines = gui.run_commands(command);
        let moves = lines.iter().filter(|line| line.starts_with("bestmove")).count();
        assert!(moves == 1 || (command == "go depth 1" && moves == 2), "{command}: {lines:#?}");
        gui.search("go depth 2");
    }
}

#[cfg(feature = "tune")]
#[test]
fn a_tunable_is_not_changed_during_a_search() {
    let mut gui = Gui::start();
    gui.send_commands("position startpos moves e2e4\ngo infinite");
    gui.wait_for("info depth 3");
    let tunable = kibitzer::engine::tunable().swap_remove(0);
    let command = format!("setoption name {} value {}", tunable.name, tunable.max);
    let lines = gui.run_commands(&command);
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:#?}");
    gui.search("go depth 2");
}

#[test]
fn every_go_gets_one_bestmove() {
    let mut gui = Gui::start();
    gui.send_commands("position startpos");
    for _ in 0..20 {
        gui.send_commands("go infinite\nstop\nstop\ngo depth 1\ngo movetime 1");
    }
    let mut moves = 0;
    while moves < 60 {
        gui.wait_for("bestmove ");
        moves += 1;
    }
    gui.assert_no_line("bestmove", QUIET_PERIOD);
}

#[test]
fn end_of_input_exits_even_during_a_search() {
    for script in ["", "position startpos\ngo infinite", "go ponder wtime 1000 btime 1000"] {
        let mut gui = Gui::start();
        gui.send_commands(script);
        gui.wait_until_ready();
        gui.close_input();
        let (status, _) = gui.wait_for_exit();
        assert!(status.success(), "{script}: {status}");
    }
}

#[test]
fn quit_exits_and_later_input_is_ignored() {
    let mut gui = Gui::start();
    gui.send_commands("position startpos\ngo infinite\nquit\nuci");
    let (status, lines) = gui.wait_for_exit();
    assert!(status.success());
    assert!(!lines.iter().any(|line| line == "uciok"), "{lines:#?}");
}

#[test]
fn the_end_of_the_input_lets_the_search_complete_one_iteration() {
    for end in ["quit\n", ""] {
        let mut gui = Gui::start();
        gui.send_bytes(format!("position startpos\ngo depth 30\n{end}").as_bytes());
        gui.close_input();
        let lines = gui.wait_for_exit().1;
        assert!(lines.iter().any(|line| line.starts_with("info depth 1 ")), "{lines:#?}");
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:#?}");
    }
}

#[test]
fn a_last_line_without_a_newline_is_read() {
    let mut gui = Gui::start();
    gui.send_bytes(b"uci");
    gui.close_input();
    assert!(gui.wait_for_exit().1.iter().any(|line| line == "uciok"));
}
