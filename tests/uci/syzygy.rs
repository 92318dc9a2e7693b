//! Endgame tables of the UCI engine.

use crate::gui::{Gui, value_after};

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/syzygy");
const WON: &str = "position fen 8/8/8/8/3k4/8/8/R3K3 w - - 0 1";

/// The number of probes of a search, and its last line.
fn search(gui: &mut Gui) -> (u64, String) {
    let (lines, _) = gui.search(&format!("{WON}\ngo depth 6"));
    let last = lines.last().unwrap().clone();
    (value_after(&last, "tbhits").unwrap().parse().unwrap(), last)
}

#[test]
fn syzygy_path_gives_the_search_its_tables() {
    let mut gui = Gui::start();
    assert_eq!(search(&mut gui).0, 0);
    let lines = gui.run_commands(&format!("setoption name SyzygyPath value {TABLES}"));
    assert!(!lines.iter().any(|line| line.contains("syzygy")), "{lines:?}");
    let (hits, last) = search(&mut gui);
    assert!(hits > 0, "{last}");
    gui.run_commands("setoption name SyzygyPath value <empty>");
    assert_eq!(search(&mut gui).0, 0);
}

#[test]
fn a_folder_that_cannot_be_used_is_named_and_the_old_tables_stay() {
    let mut gui = Gui::start();
    gui.run_commands(&format!("setoption name SyzygyPath value {TABLES}"));
    let empty = tempfile::tempdir().unwrap();
    for folder in ["no/such/folder", empty.path().to_str().unwrap()] {
        let lines = gui.run_commands(&format!("setoption name SyzygyPath value {folder}"));
        let is_named = |line: &String| line.starts_with("info string ") && line.contains(folder);
        assert!(lines.iter().any(is_named), "{lines:?}");
        assert!(search(&mut gui).0 > 0, "{folder}");
    }
}

#[test]
fn a_damaged_table_ends_no_search() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        let mut content = std::fs::read(format!("{TABLES}/{name}")).unwrap();
        content[4..].fill(0xff);
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let mut gui = Gui::start();
    gui.run_commands(&format!("setoption name SyzygyPath value {}", folder.path().display()));
    let (_, last) = search(&mut gui);
    assert!(last.starts_with("info depth 6 "), "{last}");
}
