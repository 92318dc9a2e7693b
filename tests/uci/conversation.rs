//! Claims about what is answered when.

use std::time::Duration;

use crate::gui::{Gui, median};

const A_WHILE: Duration = Duration::from_millis(150);

/// White mates in one: no search needs long for it.
const MATE_IN_ONE: &str = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";

#[test]
fn it_says_who_it_is_and_what_can_be_set() {
    let mut gui = Gui::start();
    gui.say("uci");
    let (_, lines) = gui.until("uciok");
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
    ] {
        let offer = format!("option name {option}");
        assert!(lines.iter().any(|line| line.starts_with(&offer)), "{option} in {lines:#?}");
    }
}

#[test]
fn what_it_does_not_know_is_said_and_harms_nothing() {
    let mut gui = Gui::start();
    assert_eq!(
        gui.ask(
            "xboard\n\n   \nsetoption name Contempt value 3\nsetoption name Hash value 0\nposition"
        ),
        [
            "info string unknown command: xboard",
            "info string unknown option: Contempt",
            "info string Hash: \"0\" is not a whole number from 1 to 65536",
            "info string position: startpos or fen is missing",
        ]
    );
    gui.send(b"\xff\xfe\x00 go\r\n");
    assert_eq!(gui.until_ready().len(), 1, "bytes that are no text");
}

#[cfg(unix)]
#[test]
fn a_table_that_does_not_fit_is_refused_and_the_one_that_was_there_stays() {
    let mut gui = Gui::with_address_space(1 << 21);
    assert_eq!(
        gui.ask("setoption name Hash value 65536"),
        ["info string Hash: there is no memory for a table of 65536 MiB"]
    );
    gui.say("go depth 3");
    gui.until("bestmove ");
    assert!(gui.ask("setoption name Hash value 32").is_empty());
}

#[test]
fn a_line_without_end_is_passed_over() {
    let mut gui = Gui::start();
    gui.send(&vec![b'x'; 3 << 20]);
    let lines = gui.ask("");
    assert_eq!(lines, ["info string a line of more than a million letters was passed over"]);
}

#[test]
fn is_ready_is_answered_during_a_search() {
    let mut gui = Gui::start();
    gui.say("position startpos\ngo infinite");
    for _ in 0..3 {
        let lines = gui.until_ready();
        assert!(lines.iter().all(|line| line.starts_with("info ")), "{lines:#?}");
    }
    assert!(gui.ask("d").iter().any(|line| line.starts_with("fen ")));
    gui.say("stop");
    gui.until("bestmove");
}

/// The median time from stop to answer, with options set. Each search has to answer once.
#[track_caller]
fn time_to_stop(options: &str) -> Duration {
    let mut gui = Gui::start();
    gui.say(options);
    let wait = median(11, |run| {
        gui.say("position startpos moves e2e4 e7e5\ngo infinite");
        gui.until("info depth 3");
        // Anywhere in the iterations that follow.
        std::thread::sleep(Duration::from_millis(2 * run as u64));
        let said = gui.say("stop");
        let (answered, _) = gui.until("bestmove");
        let late = gui.until_ready();
        assert!(!late.iter().any(|line| line.starts_with("bestmove")), "{options:?}: {late:#?}");
        answered.saturating_duration_since(said)
    });
    gui.never("bestmove", A_WHILE);
    wait
}

#[test]
fn a_stop_is_answered_once_and_before_the_iteration_would_end() {
    // How soon is measured by `cargo bench --bench scaling -- stop`; here other programs may hold
    // the processor.
    for options in [
        "",
        "setoption name MultiPV value 3",
        "setoption name UCI_AnalyseMode value true",
        "setoption name Threads value 2",
        "setoption name Threads value 3\nsetoption name MultiPV value 2\nsetoption name UCI_AnalyseMode value true",
    ] {
        let wait = time_to_stop(options);
        assert!(wait < Duration::from_millis(500), "{options:?}: {wait:?}");
    }
}

#[test]
fn an_infinite_search_keeps_its_move_until_stop() {
    let mut gui = Gui::start();
    gui.say(&format!("{MATE_IN_ONE}\ngo infinite"));
    gui.never("bestmove", A_WHILE);
    gui.say("ponderhit");
    gui.never("bestmove", A_WHILE);
    gui.say("stop");
    assert_eq!(gui.until("bestmove").1, ["bestmove a1a8"]);
    assert_eq!(gui.ask("stop\nponderhit"), [""; 0], "nothing is left to be stopped");
}

#[test]
fn a_pondering_search_keeps_its_move_until_ponderhit_or_stop() {
    let mut gui = Gui::start();
    for (go, end) in [
        ("go ponder wtime 60000 btime 60000", "ponderhit"),
        ("go ponder depth 3", "stop"),
        ("go ponder", "stop"),
    ] {
        gui.say(&format!("{MATE_IN_ONE}\n{go}"));
        gui.never("bestmove", A_WHILE);
        gui.say(end);
        gui.until("bestmove a1a8");
    }
}

/// How long the move takes after ponderhit, in the median of five.
fn after_ponderhit(go: &str) -> Duration {
    let mut gui = Gui::start();
    median(5, |_| {
        gui.say(&format!("position startpos moves e2e4 e7e5\n{go}"));
        gui.never("bestmove", 2 * A_WHILE);
        let hit = gui.say("ponderhit");
        gui.until("bestmove").0.saturating_duration_since(hit)
    })
}

#[test]
fn after_ponderhit_the_clock_decides_in_the_median() {
    let took = after_ponderhit("go ponder wtime 500 btime 500");
    assert!(took < Duration::from_millis(500), "{took:?}");
}

#[test]
fn what_was_pondered_is_thought_already_in_the_median() {
    let took = after_ponderhit("go ponder movetime 250");
    assert!(took < Duration::from_millis(125), "{took:?}");
}

#[test]
fn what_changes_the_session_ends_the_search_first() {
    for command in [
        "position startpos",
        "ucinewgame",
        "setoption name Hash value 2",
        "go depth 1",
        "bench 1",
        "perft 1",
    ] {
        let mut gui = Gui::start();
        gui.say("position startpos moves e2e4\ngo infinite");
        gui.until("info depth 3");
        let lines = gui.ask(command);
        let moves = lines.iter().filter(|line| line.starts_with("bestmove")).count();
        assert!(moves == 1 || (command == "go depth 1" && moves == 2), "{command}: {lines:#?}");
        gui.search("go depth 2");
    }
}

#[cfg(feature = "tune")]
#[test]
fn a_number_of_the_search_is_not_changed_under_one_that_runs() {
    let mut gui = Gui::start();
    gui.say("position startpos moves e2e4\ngo infinite");
    gui.until("info depth 3");
    let number = kibitzer::engine::tunable().swap_remove(0);
    let lines = gui.ask(&format!("setoption name {} value {}", number.name, number.max));
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:#?}");
    gui.search("go depth 2");
}

#[test]
fn every_go_gets_one_move() {
    let mut gui = Gui::start();
    gui.say("position startpos");
    for _ in 0..20 {
        gui.say("go infinite\nstop\nstop\ngo depth 1\ngo movetime 1");
    }
    let mut moves = 0;
    while moves < 60 {
        gui.until("bestmove ");
        moves += 1;
    }
    gui.never("bestmove", A_WHILE);
}

#[test]
fn the_end_of_input_ends_the_program_also_while_it_searches() {
    for script in ["", "position startpos\ngo infinite", "go ponder wtime 1000 btime 1000"] {
        let mut gui = Gui::start();
        gui.say(script);
        gui.until_ready();
        gui.hang_up();
        let (status, _) = gui.wait();
        assert!(status.success(), "{script}: {status}");
    }
}

#[test]
fn quit_ends_the_program_and_what_follows_is_not_heard() {
    let mut gui = Gui::start();
    gui.say("position startpos\ngo infinite\nquit\nuci");
    let (status, lines) = gui.wait();
    assert!(status.success());
    assert!(!lines.iter().any(|line| line == "uciok"), "{lines:#?}");
}

#[test]
fn a_last_line_without_its_end_is_heard() {
    let mut gui = Gui::start();
    gui.send(b"uci");
    gui.hang_up();
    assert!(gui.wait().1.iter().any(|line| line == "uciok"));
}
