//! Tests over the files of a folder of suites that is not part of the project.
//!
//! The environment variable `KIBITZER_SUITES` names the folder. Without it every suite is listed as
//! ignored, so that nobody takes a short run for a whole one.

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// A test that wants one file of the suites.
pub(crate) struct Suite {
    /// The test's name.
    pub(crate) name: &'static str,
    /// The file's path in the folder of suites.
    pub(crate) file: &'static str,
    /// The test itself; it gets the file's text.
    pub(crate) check: fn(&str) -> Result<(), String>,
}

/// Runs the suites one after the other: each may use every core by itself.
pub(crate) fn run(suites: Vec<Suite>) -> ExitCode {
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
                    Failed::from("KIBITZER_SUITES does not name the folder of the suites")
                })?;
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                (suite.check)(&text).map_err(Failed::from)
            });
            trial.with_ignored_flag(ignored)
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
