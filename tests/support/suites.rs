//! Tests over suite files, which are not part of the repository.
//!
//! The environment variable `KIBITZER_SUITES` names their folder. Without it every suite is
//! reported as ignored, so that a partial run is visible.

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// A test of one suite file.
pub(crate) struct Suite {
    /// The test's name.
    pub(crate) name: &'static str,
    /// The file's path in the suite folder.
    pub(crate) file: &'static str,
    /// The test function, which gets the file's text.
    pub(crate) check: fn(&str) -> Result<(), String>,
}

/// Runs the suites and the other trials one after another, because each may use all cores.
pub(crate) fn run(suites: Vec<Suite>, other_trials: Vec<Trial>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let folder = std::env::var_os("KIBITZER_SUITES").map(PathBuf::from);
    let trials = suites
        .into_iter()
        .map(|suite| {
            let path = folder.as_ref().map(|folder| folder.join(suite.file));
            let ignored = path.is_none();
            let trial = Trial::test(suite.name, move || {
                let path = path.ok_or_else(|| {
                    Failed::from("KIBITZER_SUITES does not name the suite folder")
                })?;
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                (suite.check)(&text).map_err(Failed::from)
            });
            trial.with_ignored_flag(ignored)
        })
        .chain(other_trials)
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
