//! What a session drives.

use super::options::{OptionName, Options};
use crate::chess::{Game, Position};
use crate::engine::{Limits, Report, SearchScope, StopFlag};

/// Who thinks: the engine in this process, or a kibitzer somewhere else.
pub trait Backend {
    /// What calls itself by this name.
    fn name(&self) -> String;

    /// Whether an option has a meaning here.
    fn supports(&self, option: OptionName) -> bool;

    /// Acts on an option that was set, or on a button that was pressed. No search is running.
    ///
    /// # Errors
    ///
    /// When it cannot be done, with the reason. What was set before holds, as long as there still
    /// is memory for it; what was learned may be lost.
    fn apply(&mut self, option: OptionName, options: &Options) -> Result<(), String>;

    /// What comes next belongs to another game. No search is running.
    fn new_game(&mut self);

    /// Prepares a search, to be run on a thread of its own.
    fn prepare(&self, task: SearchTask) -> PreparedSearch;

    /// Judges a position without a search: lines for people.
    ///
    /// # Errors
    ///
    /// When it cannot be judged, with the reason.
    fn evaluate(&self, position: &Position) -> Result<String, String>;
}

/// What is to be searched.
#[derive(Clone, Debug)]
pub struct SearchTask {
    /// The position, and how it came about.
    pub game: Game,
    /// When to end.
    pub limits: Limits,
    /// How wide to look, and with how many threads.
    pub scope: SearchScope,
    /// Without the memory of earlier searches.
    pub fresh: bool,
}

/// A search that was prepared. It tells what it finds, and returns its last state; the line of that
/// is empty only when the rules have ended the game, or nothing could be found out.
pub type PreparedSearch = Box<dyn FnOnce(&StopFlag, &mut dyn FnMut(Update<'_>)) -> Report + Send>;

/// What a search tells along the way.
pub enum Update<'a> {
    /// A state.
    Progress {
        /// What was found.
        report: &'a Report,
        /// How full the table is, in entries per thousand; `None` where that is not known.
        hash_permille: Option<u32>,
    },
    /// Something for people to read.
    Note(String),
}
