//! Searches: infos, limits, mates and options.

use std::time::{Duration, Instant};

use kibitzer::chess::{Position, parse_move};

use crate::gui::{Gui, median, value_after};

/// Asserts that the moves can be played one after another.
#[track_caller]
fn assert_playable<'a>(fen: &str, moves: impl IntoIterator<Item = &'a str>) {
    let mut position = Position::from_fen(fen).unwrap();
    for text in moves {
        let mv = parse_move(&position, text)
            .unwrap_or_else(|why| panic!("{text}: {why} in {}", position.fen()));
        position.play(mv);
    }
}

#[test]
fn every_iteration_is_reported_with_all_info_fields() {
    const FEN: &str = "r1bq1rk1/p1pn1ppp/p3p3/3p4/1b1P4/2N1PN2/PPP2PPP/R1BQ1RK1 w - - 4 9";
    let mut gui = Gui::start();
    let (lines, best) = gui.search(&format!("position fen {FEN}\ngo depth 8"));
    for depth in 1..=8 {
        let line =
            lines.iter().find(|line| line.starts_with(&format!("info depth {depth} "))).unwrap();
        for number in ["seldepth", "multipv", "nodes", "nps", "hashfull", "time"] {
            let value = value_after(line, number).unwrap_or_else(|| panic!("{number} in {line}"));
            assert!(value.parse::<u64>().is_ok(), "{number} in {line}");
        }
        assert!(line.contains(" score cp ") || line.contains(" score mate "), "{line}");
        let (_, pv) = line.split_once(" pv ").unwrap();
        assert_playable(FEN, pv.split(' '));
    }
    assert_eq!((best[0].as_str(), best[2].as_str()), ("bestmove", "ponder"));
    assert_playable(FEN, [best[1].as_str(), best[3].as_str()]);
}

/// The win, draw and loss permille of a line.
fn wdl(line: &str) -> [u32; 3] {
    let (_, chances) = line.split_once(" wdl ").unwrap_or_else(|| panic!("no wdl in {line}"));
    let mut numbers = chances.split(' ').map(|number| number.parse().unwrap());
    std::array::from_fn(|_| numbers.next().unwrap())
}

#[test]
fn wdl_is_reported_only_with_uci_show_wdl() {
    let mut gui = Gui::start();
    let (lines, _) = gui.search("setoption name MultiPV value 3\nposition startpos\ngo depth 6");
    assert!(!lines.iter().any(|line| line.contains("wdl")), "{lines:#?}");
    let (lines, _) = gui.search("setoption name UCI_ShowWDL value true\ngo depth 6");
    assert!(lines.len() >= 18);
    for line in &lines {
        assert_eq!(wdl(line).iter().sum::<u32>(), 1000, "{line}");
        assert!(
            line.find(" score cp ") < line.find(" wdl ")
                && line.find(" wdl ") < line.find(" nodes "),
            "{line}"
        );
    }
    let (lines, _) = gui.search("setoption name UCI_ShowWDL value false\ngo depth 6");
    assert!(!lines.iter().any(|line| line.contains("wdl")), "{lines:#?}");
}

#[test]
fn mates_and_finished_games_have_a_certain_wdl() {
    let mut gui = Gui::start();
    gui.send_commands("setoption name UCI_ShowWDL value true");
    for (fen, certain) in [
        ("7k/R7/1R6/8/8/8/8/7K w - - 0 1", [1000, 0, 0]),
        ("7k/R7/1R6/8/8/8/8/7K b - - 0 1", [0, 0, 1000]),
        ("R6k/8/6K1/8/8/8/8/8 b - - 0 1", [0, 0, 1000]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", [0, 1000, 0]),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", [0, 1000, 0]),
    ] {
        let (lines, _) = gui.search(&format!("position fen {fen}\ngo depth 4"));
        assert_eq!(wdl(lines.last().unwrap()), certain, "{fen}: {lines:#?}");
    }
}

#[test]
fn the_node_limit_is_respected() {
    let mut gui = Gui::start();
    let (lines, _) = gui.search("position startpos\ngo nodes 5000");
    let nodes: u64 = value_after(lines.last().unwrap(), "nodes").unwrap().parse().unwrap();
    assert!((4_000..=5_000).contains(&nodes), "{nodes}");
}

#[test]
fn the_movetime_is_respected_in_the_median() {
    let mut gui = Gui::start();
    gui.wait_until_ready();
    let took = median(5, |_| {
        let started = Instant::now();
        gui.search("position startpos\ngo movetime 200");
        started.elapsed()
    });
    assert!(took >= Duration::from_millis(190) && took < Duration::from_millis(400), "{took:?}");
}

#[test]
fn a_move_comes_before_the_clock_runs_out_in_the_median() {
    let mut gui = Gui::start();
    gui.wait_until_ready();
    for (clocks, most) in [
        ("wtime 300 btime 1 winc 0 binc 0", 300),
        ("wtime 1000 btime 1000 movestogo 1", 1_000),
        ("wtime 100 btime 100 winc 10", 100),
        ("wtime 0 btime 60000", 100),
        ("wtime -50 btime 60000 winc 0", 100),
        ("btime 60000", 100),
    ] {
        let took = median(5, |_| {
            let started = Instant::now();
            gui.search(&format!("position startpos\ngo {clocks}"));
            started.elapsed()
        });
        assert!(took < Duration::from_millis(most), "{clocks}: {took:?}");
    }
}

#[test]
fn one_iteration_is_searched_with_no_time_left() {
    let mut gui = Gui::start();
    for go in ["movetime 0", "wtime 15 btime 15", "wtime 0 btime 60000", "btime 60000"] {
        let (lines, _) = gui.search(&format!("ucinewgame\nposition startpos\ngo {go}"));
        let last = lines.last().unwrap();
        assert!(last.contains(" depth ") && !last.contains(" depth 0 "), "{go}: {lines:#?}");
    }
}

#[test]
fn many_threads_respect_the_node_limit() {
    let mut gui = Gui::start();
    gui.send_commands("setoption name Threads value 64");
    let (lines, _) = gui.search("position startpos\ngo nodes 20000");
    let last = lines.last().unwrap();
    let nodes: u64 =
        last.split_once(" nodes ").unwrap().1.split_whitespace().next().unwrap().parse().unwrap();
    // Each thread adds its nodes to the shared count in steps of up to 512.
    assert!(nodes < 20_000 + 64 * 512, "{last}");
}

#[test]
fn a_mate_score_is_in_moves() {
    let mut gui = Gui::start();
    let (lines, best) = gui.search("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1\ngo mate 2");
    assert!(lines.last().unwrap().contains(" score mate 2 "), "{lines:#?}");
    assert_eq!(best[1], "a1a6");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mut gui = Gui::start();
    let (lines, best) = gui.search("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo depth 5");
    assert_eq!(
        (lines.last().unwrap().contains("score mate 0"), best[1].as_str()),
        (true, "(none)")
    );
    let (lines, best) = gui.search("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo movetime 1000");
    assert_eq!((lines.last().unwrap().contains("score cp 0"), best[1].as_str()), (true, "(none)"));
}

#[test]
fn only_searchmoves_are_searched() {
    let mut gui = Gui::start();
    let (_, best) = gui.search("position startpos\ngo depth 4 searchmoves a2a3 h2h4");
    assert!(["a2a3", "h2h4"].contains(&best[1].as_str()), "{best:?}");
    let (lines, best) = gui.search("go depth 4 searchmoves a2a5 h2h4");
    assert!(lines[0].starts_with("info string searchmoves: a2a5"), "{lines:#?}");
    assert_eq!(best[1], "h2h4");
}

#[test]
fn the_hash_size_can_be_changed_between_searches() {
    let mut gui = Gui::start();
    for size in [1, 33, 4] {
        gui.search(&format!(
            "setoption name Hash value {size}\nsetoption name Clear Hash\ngo depth 6"
        ));
    }
}

#[test]
fn searches_are_reproducible_after_ucinewgame() {
    let mut gui = Gui::start();
    let script = "ucinewgame\nposition startpos\ngo nodes 20000\n";
    let mut play = || {
        let (first, best) = gui.search(script);
        let (second, _) =
            gui.search(&format!("position startpos moves {} {}\ngo nodes 20000", best[1], best[3]));
        // Times differ between runs, the trees do not.
        let figures = |lines: Vec<String>| -> Vec<_> {
            let figures = lines.iter().map(|line| {
                (
                    value_after(line, "nodes").unwrap().to_owned(),
                    line.split_once(" pv ").unwrap().1.to_owned(),
                )
            });
            figures.collect()
        };
        (figures(first), figures(second))
    };
    assert_eq!(play(), play());
}

#[test]
fn uci_limit_strength_reduces_the_nodes() {
    let mut gui = Gui::start();
    gui.run_commands(
        "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 800",
    );
    let (lines, best) = gui.search("position startpos\ngo wtime 60000 btime 60000");
    let nodes: u64 = value_after(lines.last().unwrap(), "nodes").unwrap().parse().unwrap();
    assert!(nodes < 1_000, "{nodes}");
    assert_playable("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [best[1].as_str()]);
    gui.run_commands("setoption name UCI_AnalyseMode value true");
    let (lines, _) = gui.search("go nodes 20000");
    assert!(value_after(lines.last().unwrap(), "nodes").unwrap().parse::<u64>().unwrap() > 10_000);
}
