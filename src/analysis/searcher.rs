//! The engine as the service sees it.

use crate::chess::Game;
use crate::engine::{Engine, Limits, Report, StopFlag};

/// Something that finds best moves. The engine is one; tests bring scripted ones.
pub trait Searcher: Send + Sync + 'static {
    /// Searches until a limit or the flag ends it; blocks. `on_update` hears of every finished iteration.
    fn analyse(&self, game: &Game, limits: &Limits, stop: &StopFlag, on_update: &mut dyn FnMut(&Report)) -> Report;

    /// Version and evaluation, in one text: an analysis is never reused under another one.
    fn identity(&self) -> String;
}

impl Searcher for Engine {
    fn analyse(&self, game: &Game, limits: &Limits, stop: &StopFlag, on_update: &mut dyn FnMut(&Report)) -> Report {
        Engine::analyse(self, game, limits, stop, on_update)
    }

    fn identity(&self) -> String {
        format!("{} {}", Engine::VERSION, self.evaluation_name())
    }
}
