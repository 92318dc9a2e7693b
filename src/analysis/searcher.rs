//! The interface between the service and a searcher.

use std::sync::Arc;

use crate::engine::{Engine, GameSearch, Report, TablebaseOptions, WdlModel};

/// A searcher of best moves: the engine, or a scripted one in tests.
pub trait Searcher: Send + Sync + 'static {
    /// Searches until a limit or the stop flag ends the search; blocks. `on_update`
    /// receives the finished iterations by rising depth. With several threads the returned report
    /// may be deeper than the last of them. All threads of the search have ended on return.
    fn analyse(&self, search: GameSearch<'_>, on_update: &mut dyn FnMut(&Report)) -> Report;

    /// Version, search and evaluation in one text. The cache never reuses an analysis under
    /// another engine id.
    fn engine_id(&self) -> String;

    /// The endgame tablebases that the searches use.
    fn tablebase(&self) -> Option<Arc<TablebaseOptions>> {
        None
    }
}

impl Searcher for Engine {
    fn tablebase(&self) -> Option<Arc<TablebaseOptions>> {
        Engine::tablebase(self)
    }

    fn analyse(&self, search: GameSearch<'_>, on_update: &mut dyn FnMut(&Report)) -> Report {
        // Each request starts with empty history tables. Only the transposition table is shared
        // between requests.
        self.search_game(&mut self.thread_data_set(), search, on_update)
    }

    fn engine_id(&self) -> String {
        let (version, signature, scale) =
            (Engine::VERSION, Engine::SIGNATURE, WdlModel::fingerprint());
        let tables = match self.tablebase() {
            Some(tablebase) => {
                let TablebaseOptions { tables, probe_depth, probe_limit, fifty_move_rule } =
                    &*tablebase;
                format!(
                    " tables {:016x} {probe_depth} {probe_limit} {fifty_move_rule}",
                    tables.fingerprint()
                )
            }
            None => String::new(),
        };
        format!("{version} search {signature} scale {scale:08x} {}{tables}", self.evaluation_name())
    }
}
