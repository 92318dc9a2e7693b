//! The engine as the service sees it.

use crate::chess::Game;
use crate::engine::{Engine, Limits, Report, SearchScope, StopFlag, WdlModel};

/// Something that finds best moves. The engine is one; tests bring scripted ones.
pub trait Searcher: Send + Sync + 'static {
    /// Searches within a scope until a limit or the flag ends it; blocks. `on_update` hears of
    /// finished iterations, in the order of their depths; with several threads what is returned may
    /// be deeper than the last of them. Whatever threads of its own it starts are at their end when
    /// it returns.
    fn analyse(
        &self,
        game: &Game,
        limits: &Limits,
        scope: &SearchScope,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report;

    /// Version, search and evaluation, in one text: an analysis is never reused under another one.
    fn engine_id(&self) -> String;
}

impl Searcher for Engine {
    fn analyse(
        &self,
        game: &Game,
        limits: &Limits,
        scope: &SearchScope,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        // Every question is searched without what others have taught: only the shared table knows
        // of them.
        self.search_game(&mut self.thread_data_set(), game, limits, scope, stop, on_update)
    }

    fn engine_id(&self) -> String {
        let (version, signature, scale) =
            (Engine::VERSION, Engine::SIGNATURE, WdlModel::fingerprint());
        format!("{version} search {signature} scale {scale:08x} {}", self.evaluation_name())
    }
}
