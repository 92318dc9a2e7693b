//! The backend of a session: the interface to an engine.

use super::options::{OptionName, Options};
use crate::chess::{Game, Position};
use crate::engine::{Limits, Report, SearchOptions, StopFlag};

/// An engine: the one in this process, or a kibitzer server.
pub trait Backend {
    /// Name for the answer to `uci`.
    fn name(&self) -> String;

    /// `true` when the backend has this option.
    fn supports(&self, option: OptionName) -> bool;

    /// Applies an option that was set, or a button that was pressed. No search is running. Returns
    /// what the user should know about the result.
    ///
    /// # Errors
    ///
    /// The option cannot be applied; the text is the reason. The earlier setting stays, as long as
    /// there is memory for it. Learned data may be lost.
    fn apply(&mut self, option: OptionName, options: &Options) -> Result<Option<String>, String>;

    /// Does what the next search would have to do first. No search is running.
    fn get_ready(&self, options: &Options);

    /// Starts a new game. No search is running.
    fn new_game(&mut self);

    /// Prepares a search, which then runs on the search thread.
    fn prepare(&self, task: SearchTask) -> PreparedSearch;

    /// The static evaluation of a position, as lines for people.
    ///
    /// # Errors
    ///
    /// There is no evaluation; the text is the reason.
    fn evaluate(&self, position: &Position) -> Result<String, String>;
}

/// A search to run.
#[derive(Clone, Debug)]
pub struct SearchTask {
    /// The position, with its history.
    pub game: Game,
    /// Limits that end the search.
    pub limits: Limits,
    /// Threads, number of lines and root moves.
    pub options: SearchOptions,
    /// Ignore the results of earlier searches.
    pub fresh: bool,
}

/// A search that is ready to run. It reports updates and returns the final report. The principal
/// variation of that is empty only when the game is over, or when no result came in time. `None`:
/// the backend is lost, and there is no move.
pub type PreparedSearch =
    Box<dyn FnOnce(&StopFlag, &mut dyn FnMut(Update<'_>)) -> Option<Report> + Send>;

/// An update of a running search.
pub enum Update<'a> {
    /// A new report.
    Progress {
        /// The current result.
        report: &'a Report,
        /// Fill of the transposition table in permille; `None` when it is not known.
        hashfull_permille: Option<u32>,
    },
    /// A note for people.
    Note(String),
}
