//! The commands on a terminal of 120 and 40 columns, with and without colours.

use std::time::Duration;

use tokio::task::spawn_blocking;
use vt100::Color;

use super::TWO_GAMES;
use crate::support::terminal::{FinishedTerminal, Terminal};

crate::trials![
    a_board_has_figures_and_colours,
    a_board_without_colours_has_letters,
    an_analysis_on_a_wide_terminal,
    an_analysis_on_a_narrow_terminal,
    an_analysis_without_colours,
    ctrl_c_ends_an_analysis_and_shows_what_is_known,
    a_review_has_a_progress_bar,
    ctrl_c_ends_a_review_with_the_games_so_far,
    perft_and_bench_have_progress_bars,
];

/// White mates by Qxf7.
const MATE_IN_ONE: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";

async fn on_terminal(
    columns: u16,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> FinishedTerminal {
    let terminal = Terminal::start(columns, arguments, variables);
    spawn_blocking(move || terminal.finish()).await.expect("no panic")
}

/// The lines with `#` for each digit of the line about the search, which differs between runs.
fn without_numbers(lines: Vec<String>) -> Vec<String> {
    let mask = |line: String| match line.starts_with("depth ") {
        true => {
            let words: Vec<&str> = line.split(' ').collect();
            words
                .into_iter()
                .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
                .collect::<Vec<_>>()
                .join(" ")
        }
        false => line,
    };
    lines.into_iter().map(mask).collect()
}

async fn a_board_has_figures_and_colours() {
    let fen = "4k3/8/8/8/8/8/4P3/K3R3 b - - 0 1";
    let terminal = on_terminal(120, &["board", fen], &[]).await;
    assert_eq!(terminal.status.code(), Some(0));
    assert_eq!(
        terminal.lines(),
        [
            " 8              ♚",
            " 7",
            " 6",
            " 5",
            " 4",
            " 3",
            " 2              ♟",
            " 1  ♜           ♜".replace("♜           ♜", "♚           ♜").as_str(),
            "    a  b  c  d  e  f  g  h",
            "",
            "Black to move",
            "4k3/8/8/8/8/8/4P3/K3R3 b - - 0 1",
        ]
    );
    let cell = |row, column| terminal.screen.cell(row, column).unwrap();
    let [a1, b1, e1, e8] = [cell(7, 4), cell(7, 7), cell(7, 16), cell(0, 16)];
    assert_ne!(a1.bgcolor(), b1.bgcolor(), "squares have two colours");
    assert_eq!(a1.bgcolor(), e1.bgcolor());
    assert_ne!(e1.fgcolor(), e8.fgcolor(), "pieces have two colours");
    let checked = on_terminal(120, &["board", "4k3/8/8/8/8/8/8/K3R3 b - - 0 1"], &[]).await;
    let king = checked.screen.cell(0, 16).unwrap();
    assert!(king.bgcolor() != a1.bgcolor() && king.bgcolor() != b1.bgcolor(), "a king in check");
}

async fn a_board_without_colours_has_letters() {
    for variables in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
        let terminal = on_terminal(40, &["board", MATE_IN_ONE], &variables).await;
        assert!(!terminal.output.contains('\x1b'), "{:?}", terminal.output);
        let lines = terminal.lines();
        assert_eq!(lines[0], " 8  r . b q k b . r");
        assert_eq!(lines[8], "    a b c d e f g h");
    }
    // A locale without UTF-8 has no figures, but colours.
    let terminal = on_terminal(40, &["board", "startpos"], &[("LANG", "C")]).await;
    assert!(terminal.lines()[0].contains("r  n  b  q"), "{:?}", terminal.lines());
    assert_ne!(terminal.screen.cell(0, 4).unwrap().bgcolor(), Color::Default);
}

async fn an_analysis_on_a_wide_terminal() {
    let arguments = ["analyse", MATE_IN_ONE, "--depth", "3"];
    let terminal = on_terminal(120, &arguments, &[]).await;
    assert_eq!(terminal.status.code(), Some(0), "{}", terminal.output);
    assert_eq!(
        without_numbers(terminal.lines()),
        [
            " 8  ♜     ♝  ♛  ♚  ♝     ♜",
            " 7  ♟  ♟  ♟  ♟     ♟  ♟  ♟",
            " 6        ♞        ♞",
            " 5              ♟        ♛",
            " 4        ♝     ♟",
            " 3",
            " 2  ♟  ♟  ♟  ♟     ♟  ♟  ♟",
            " 1  ♜  ♞  ♝     ♚     ♞  ♜",
            "    a  b  c  d  e  f  g  h",
            "",
            "White to move",
            MATE_IN_ONE,
            "",
            "depth nodes, s",
            " 1      #1   98 %  4. Qxf7#",
        ]
    );
}

async fn an_analysis_on_a_narrow_terminal() {
    let arguments = ["analyse", "startpos", "--depth", "10", "--lines", "3"];
    // Not even a line of four moves fits.
    let terminal = on_terminal(28, &arguments, &[]).await;
    let lines = terminal.lines();
    let at = lines.iter().position(|line| line.starts_with("depth 10/")).expect("a depth");
    let table = &lines[at + 1..];
    assert_eq!(table.len(), 3, "{lines:?}");
    for (line, rank) in table.iter().zip([" 1  ", " 2  ", " 3  "]) {
        assert!(line.starts_with(rank) && line.ends_with('…'), "{line}");
        assert!(line.chars().count() <= 28 && !line.contains('%'), "{line}");
    }
}

async fn an_analysis_without_colours() {
    let arguments = ["analyse", MATE_IN_ONE, "--depth", "3"];
    let terminal = on_terminal(40, &arguments, &[("NO_COLOR", "1")]).await;
    assert!(!terminal.output.contains("\x1b[3") && !terminal.output.contains("\x1b[1m"));
    let lines = terminal.lines();
    assert_eq!(
        (lines[0].as_str(), lines[3].as_str()),
        (" 8  r . b q k b . r", " 5  . . . . p . . Q")
    );
    assert_eq!(lines.last().unwrap(), " 1      #1  4. Qxf7#");
}

async fn ctrl_c_ends_an_analysis_and_shows_what_is_known() {
    let terminal = Terminal::start(120, &["analyse", "startpos", "--infinite"], &[]);
    let check = move || {
        terminal.wait_for(" nodes, ");
        // Further results are drawn over the first one.
        std::thread::sleep(Duration::from_millis(500));
        terminal.press_ctrl_c();
        let terminal = terminal.finish();
        assert_eq!(terminal.status.code(), Some(130), "{}", terminal.output);
        let lines = terminal.lines();
        assert!(lines.last().unwrap().starts_with(" 1  "), "{lines:?}");
        // Redrawn in place: one table, however many results.
        let depths = lines.iter().filter(|line| line.starts_with("depth ")).count();
        assert_eq!(depths, 1, "{lines:?}");
    };
    spawn_blocking(check).await.unwrap();
}

/// A file with these games in a folder that lives as long as the first value.
fn games_file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, text).unwrap();
    (folder, file.to_str().unwrap().to_owned())
}

async fn a_review_has_a_progress_bar() {
    let (folder, games) = games_file(TWO_GAMES);
    let out = folder.path().join("out.pgn");
    let arguments = ["review", &games, "-o", out.to_str().unwrap(), "--time", "300ms"];
    for columns in [120, 40] {
        let terminal = on_terminal(columns, &arguments, &[]).await;
        assert_eq!(terminal.status.code(), Some(0), "{}", terminal.output);
        assert!(terminal.output.contains("/7 moves, "), "{:?}", terminal.output);
        assert!(terminal.output.contains('━'), "{:?}", terminal.output);
        let lines = terminal.lines();
        assert!(!lines.iter().any(|line| line.contains("moves, ")), "the bar is gone: {lines:?}");
        assert!(lines[0].starts_with("game 1 (Ann - Bob): accuracy "), "{lines:?}");
        std::fs::remove_file(&out).expect("the annotated games");
    }
}

async fn ctrl_c_ends_a_review_with_the_games_so_far() {
    let (folder, games) = games_file(TWO_GAMES);
    let out = folder.path().join("out.pgn");
    let arguments = ["review", &games, "-o", out.to_str().unwrap(), "--time", "20s"];
    let terminal = Terminal::start(120, &arguments, &[]);
    let check = move || {
        terminal.wait_for("/7 moves");
        terminal.press_ctrl_c();
        let terminal = terminal.finish();
        assert_eq!(terminal.status.code(), Some(130), "{}", terminal.output);
        assert!(terminal.output.contains("interrupted: "), "{}", terminal.output);
    };
    spawn_blocking(check).await.unwrap();
    let text = std::fs::read_to_string(folder.path().join("out.pgn")).unwrap();
    assert!(text.contains("Qh4#") && text.contains("Bc4"), "{text}");
}

async fn perft_and_bench_have_progress_bars() {
    let terminal = on_terminal(80, &["perft", "6"], &[]).await;
    assert!(terminal.output.contains("/20 first moves"), "{:?}", terminal.output);
    assert_eq!(terminal.lines()[0], "nodes 119060324");
    let terminal = on_terminal(80, &["bench", "8"], &[]).await;
    assert!(terminal.output.contains(" positions, "), "{:?}", terminal.output);
    assert_eq!(terminal.lines().len(), 1, "{:?}", terminal.lines());
}
