//! Commands about positions: `position`, `d`, `perft`, `eval` and `bench`.

use std::time::{Duration, Instant};

use crate::gui::{Gui, median};

const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The FEN in the output of `d`.
fn fen(gui: &mut Gui) -> String {
    let lines = gui.run_commands("d");
    lines
        .iter()
        .find_map(|line| line.strip_prefix("Fen: "))
        .unwrap_or_else(|| panic!("{lines:#?}"))
        .to_owned()
}

#[test]
fn the_first_position_is_the_start_position() {
    assert_eq!(fen(&mut Gui::start()), START_FEN);
}

#[test]
fn an_illegal_position_keeps_the_last_one() {
    let mut gui = Gui::start();
    gui.run_commands("position startpos moves e2e4");
    let before = fen(&mut gui);
    for (command, why) in [
        ("position startpos moves d2d4 e2e4", "illegal move \"e2e4\", number 2 of the list"),
        ("position startpos moves e2e4 nonsense", "illegal move \"nonsense\""),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "illegal position"),
        ("position fen", "illegal position"),
        ("position fen 4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "illegal position"),
    ] {
        let lines = gui.run_commands(command);
        assert!(
            lines.len() == 1 && lines[0].starts_with(&format!("info string {why}")),
            "{command}: {lines:#?}"
        );
        assert_eq!(fen(&mut gui), before, "{command}");
    }
}

#[test]
fn corrections_of_a_fen_are_reported() {
    let mut gui = Gui::start();
    let lines = gui.run_commands("position fen 4k3/8/8/8/8/8/8/4K3 w KQ - 0 1");
    assert!(
        lines.iter().all(|line| line.starts_with("info string ")) && !lines.is_empty(),
        "{lines:#?}"
    );
    assert_eq!(fen(&mut gui), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
}

#[test]
fn a_game_of_5000_moves_is_read_at_once() {
    let mut gui = Gui::start();
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2_500).join(" ");
    gui.wait_until_ready();
    let took = median(5, |_| {
        let started = Instant::now();
        gui.run_commands(&format!("position startpos moves {moves}"));
        started.elapsed()
    });
    assert!(took < Duration::from_millis(500), "{took:?}");
    let (_, best) = gui.search("go depth 3");
    assert_ne!(best[1], "(none)", "`go` gives a move also after the game is over by the rules");
}

#[test]
fn castling_is_written_as_uci_chess960_says_and_read_in_both_notations() {
    let mut gui = Gui::start();
    let position = "position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let castles = |lines: Vec<String>| -> Vec<String> {
        lines
            .into_iter()
            .filter(|line| {
                line.starts_with("e1") && !["d1", "d2", "e2", "f1", "f2"].contains(&&line[2..4])
            })
            .collect()
    };
    assert_eq!(castles(gui.run_commands(&format!("{position}\nperft 1"))), ["e1g1: 1", "e1c1: 1"]);
    gui.run_commands("setoption name UCI_Chess960 value true");
    assert_eq!(castles(gui.run_commands("perft 1")), ["e1h1: 1", "e1a1: 1"]);
    for text in ["e1g1", "e1h1"] {
        gui.run_commands(&format!("{position} moves {text}"));
        assert_eq!(fen(&mut gui), "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1", "{text}");
    }
    let (_, best) = gui.search(&format!("{position}\ngo depth 2 searchmoves e1c1"));
    assert_eq!(best[1], "e1a1");
}

#[test]
fn perft_counts_for_each_first_move() {
    let mut gui = Gui::start();
    for command in ["perft 3", "go perft 3"] {
        let lines = gui.run_commands(command);
        assert!(lines.contains(&"e2e4: 600".to_owned()), "{lines:#?}");
        assert!(lines.contains(&"Nodes searched: 8902".to_owned()), "{lines:#?}");
    }
    assert!(gui.run_commands("perft 0").contains(&"Nodes searched: 1".to_owned()));
}

#[test]
fn eval_needs_no_search() {
    let mut gui = Gui::start();
    let lines = gui.run_commands("position fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1\neval");
    let evaluation = lines.iter().find_map(|line| line.strip_prefix("evaluation ")).unwrap();
    let pawns: f64 = evaluation.split(' ').next().unwrap().parse().unwrap();
    assert!(pawns > 1.5, "a queen up is worth more than 1.5 pawns: {lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("network ")), "{lines:#?}");
}

#[test]
fn another_network_can_be_loaded_and_an_invalid_one_is_refused() {
    let mut gui = Gui::start();
    let eval_commands = "position startpos moves e2e4 c7c5\neval";
    let own = gui.run_commands(eval_commands);
    assert_eq!(
        gui.run_commands("setoption name EvalFile value src/nnue/kibitzer.nnue"),
        Vec::<String>::new()
    );
    assert_eq!(gui.run_commands(eval_commands), own, "the file has the embedded network");
    for (file, why) in
        [("Cargo.toml", "not a network of kibitzer"), ("no/such.nnue", "cannot read")]
    {
        let lines = gui.run_commands(&format!("setoption name EvalFile value {file}"));
        assert!(
            lines[0].starts_with("info string ")
                && lines[0].contains(file)
                && lines[0].contains(why),
            "{lines:#?}"
        );
        assert_eq!(gui.run_commands(eval_commands), own, "the last network is kept");
    }
    assert_eq!(gui.run_commands("setoption name EvalFile value <empty>"), Vec::<String>::new());
    assert_eq!(gui.run_commands(eval_commands), own);
}

#[test]
fn a_bench_ends_with_nodes_and_speed() {
    let mut gui = Gui::start();
    let lines = gui.run_commands("bench 3");
    let words: Vec<&str> = lines.last().unwrap().split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else { panic!("{lines:#?}") };
    assert!(nodes.parse::<u64>().unwrap() > 1_000 && speed.parse::<u64>().unwrap() > 1_000);
}
