//! The tablebase layer and the search with the Syzygy tables of all positions of three and four
//! men. `KIBITZER_SUITES` names the folder of suites; without it every test is reported as ignored.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its figures"
)]

mod bishop_and_knight;
mod files;
#[path = "../support/full_run.rs"]
mod full_run;
mod kept_result;
mod play;
mod probes;
#[path = "../support/random.rs"]
mod random;
mod random_positions;
mod ranking;
mod search;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use kibitzer::tablebase::Tablebase;
use libtest_mimic::{Arguments, Failed, Trial};

/// The tables, and the folder of the suite.
pub(crate) struct Tables {
    pub(crate) tablebase: Arc<Tablebase>,
    folder: PathBuf,
}

impl Tables {
    fn open(suites: &Path) -> Result<Tables, Failed> {
        let folder = suites.join("syzygy");
        let tablebase = Tablebase::open(&[folder.join("3-4-men")], 64 << 20)
            .map_err(|error| error.to_string())?;
        Ok(Tables { tablebase: Arc::new(tablebase), folder })
    }

    /// The text of a file of the suite.
    pub(crate) fn read(&self, name: &str) -> Result<String, Failed> {
        let path = self.folder.join(name);
        Ok(std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// All files of outcomes.
    pub(crate) fn outcome_files(&self) -> std::io::Result<Vec<PathBuf>> {
        let files = std::fs::read_dir(self.folder.join("3-4-men"))?;
        let paths: Vec<PathBuf> =
            files.map(|file| Ok(file?.path())).collect::<Result<_, std::io::Error>>()?;
        Ok(paths
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "rtbw"))
            .collect())
    }

    /// A file of a table.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join("3-4-men").join(name)
    }
}

/// A test with the tables.
type Test = fn(&Tables) -> Result<(), Failed>;

fn main() -> ExitCode {
    let suites = std::env::var_os("KIBITZER_SUITES").map(PathBuf::from);
    let ignored = suites.is_none();
    let tests: &[(&str, Test)] = &[
        ("every_file_is_opened", files::every_file_is_opened),
        ("damaged_files_are_named", files::damaged_files_are_named),
        ("probes_agree_with_the_suite", probes::probes_agree_with_the_suite),
        ("outcomes_agree_with_distances", probes::outcomes_agree_with_distances),
        ("positions_without_a_table_say_why", probes::positions_without_a_table_say_why),
        ("a_main_line_ends_in_checkmate", probes::a_main_line_ends_in_checkmate),
        (
            "outcomes_alone_tell_which_moves_keep_the_result",
            kept_result::outcomes_alone_tell_which_moves_keep_the_result,
        ),
        (
            "the_clock_ends_a_win_unless_the_rule_is_off",
            kept_result::the_clock_ends_a_win_unless_the_rule_is_off,
        ),
        ("the_best_rank_keeps_the_outcome", ranking::the_best_rank_keeps_the_outcome),
        ("the_clock_decides_between_wins", ranking::the_clock_decides_between_wins),
        ("a_repeated_position_forces_progress", ranking::a_repeated_position_forces_progress),
        (
            "a_search_keeps_the_outcome_of_the_tables",
            search::a_search_keeps_the_outcome_of_the_tables,
        ),
        ("a_won_line_ends_in_checkmate", search::a_won_line_ends_in_checkmate),
        ("several_lines_are_sorted_by_outcome", search::several_lines_are_sorted_by_outcome),
        ("a_single_drawing_move_needs_no_search", search::a_single_drawing_move_needs_no_search),
        ("the_tree_is_probed_after_captures", search::the_tree_is_probed_after_captures),
        ("outcomes_alone_keep_a_win", play::outcomes_alone_keep_a_win),
        ("draws_are_never_spoiled", play::draws_are_never_spoiled),
        ("won_positions_are_won", play::won_positions_are_won),
        ("elementary_mates_need_no_tables", play::elementary_mates_need_no_tables),
        (
            "the_way_to_the_mate_is_that_of_the_tables",
            bishop_and_knight::the_way_to_the_mate_is_that_of_the_tables,
        ),
        ("repetitions_of_the_game_count", search::repetitions_of_the_game_count),
    ];
    let trials = tests
        .iter()
        .map(|&(name, test)| {
            let suites = suites.clone();
            let run = move || {
                let suites = suites.ok_or("KIBITZER_SUITES does not name the suite folder")?;
                test(&Tables::open(&suites)?)
            };
            Trial::test(name, run).with_ignored_flag(ignored)
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
