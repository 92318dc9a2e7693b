//! The local backend: the engine in this process.

use std::sync::{Arc, Mutex};

use super::backend::{Backend, PreparedSearch, SearchTask, Update};
use super::display::format_evaluation;
use super::options::{OptionName, Options};
use crate::chess::Position;
use crate::engine::{Engine, GameSearch, Network, TablebaseOptions, ThreadDataSet, TtAllocError};
use crate::tablebase::{OpenError, Tablebase};

/// Open files besides tables.
const OTHER_FILES: u64 = 64;

/// Bytes of table files that are kept in memory.
const TABLES_IN_MEMORY: u64 = 64 << 20;

/// A backend with its own engine. Learned data lasts from move to move until a new game starts.
pub struct LocalBackend {
    engine: Arc<Engine>,
    thread_data: Arc<Mutex<ThreadDataSet>>,
}

impl LocalBackend {
    /// A backend with the transposition table size of the options.
    ///
    /// # Errors
    ///
    /// There is not enough memory for the table.
    pub fn new(options: &Options) -> Result<LocalBackend, TtAllocError> {
        let engine = Engine::for_player(options.hash_mb, Network::embedded())?;
        let thread_data = engine.thread_data_set();
        Ok(LocalBackend {
            engine: Arc::new(engine),
            thread_data: Arc::new(Mutex::new(thread_data)),
        })
    }

    /// Replaces the engine. When there is no memory for the new table, an engine like the old one
    /// is created.
    fn replace_engine_or_restore(
        &mut self,
        hash_mb: usize,
        network: Arc<Network>,
    ) -> Result<(), TtAllocError> {
        let (old_mb, old_network) = (self.engine.hash_mb(), Arc::clone(self.engine.network()));
        // Frees the old table first: there may not be memory for both.
        self.replace_engine(1, &old_network)?;
        self.replace_engine(hash_mb, &network).inspect_err(|_| {
            // If another process has taken the memory meanwhile, the smallest table stays.
            let _ = self.replace_engine(old_mb, &old_network);
        })
    }

    fn replace_engine(
        &mut self,
        hash_mb: usize,
        network: &Arc<Network>,
    ) -> Result<(), TtAllocError> {
        let engine = Engine::for_player(hash_mb, Arc::clone(network))?;
        engine.set_tablebase(self.engine.tablebase().map(|tablebase| (*tablebase).clone()));
        self.engine = Arc::new(engine);
        self.reset_thread_data();
        Ok(())
    }

    /// Opens the tables of `SyzygyPath`. On an error the old ones stay.
    fn open_tablebase(&self, options: &Options) -> Result<(), OpenError> {
        let tables = match options.syzygy_path[..] {
            [] => None,
            _ => Some(Arc::new(Tablebase::open(&options.syzygy_path, TABLES_IN_MEMORY)?)),
        };
        if let Some(tables) = &tables {
            // As far as the system lets it: a table that cannot be opened counts as missing.
            let _ = rlimit::increase_nofile_limit(tables.files() as u64 + OTHER_FILES);
        }
        self.use_tablebase(options, tables);
        Ok(())
    }

    fn use_tablebase(&self, options: &Options, tables: Option<Arc<Tablebase>>) {
        // Entries hold for the old tables.
        self.engine.clear_tt();
        self.engine.set_tablebase(tables.map(|tables| TablebaseOptions {
            tables,
            probe_depth: options.syzygy_probe_depth,
            probe_limit: options.syzygy_probe_limit,
            fifty_move_rule: options.syzygy_50_move_rule,
        }));
    }

    fn reset_thread_data(&mut self) {
        self.thread_data = Arc::new(Mutex::new(self.engine.thread_data_set()));
    }
}

impl Backend for LocalBackend {
    fn name(&self) -> String {
        format!("kibitzer {}", Engine::VERSION)
    }

    fn supports(&self, _: OptionName) -> bool {
        true
    }

    fn apply(&mut self, option: OptionName, options: &Options) -> Result<Option<String>, String> {
        match option {
            OptionName::Hash if self.engine.hash_mb() != options.hash_mb => {
                let network = Arc::clone(self.engine.network());
                self.replace_engine_or_restore(options.hash_mb, network)
                    .map_err(|error| format!("Hash: {error}"))?;
            }
            OptionName::EvalFile => {
                let network = match &options.eval_file {
                    Some(file) => Arc::new(Network::read(file).map_err(|error| error.to_string())?),
                    None => Network::embedded(),
                };
                self.replace_engine_or_restore(options.hash_mb, network)
                    .map_err(|error| format!("EvalFile: {error}"))?;
            }
            OptionName::SyzygyPath => {
                self.open_tablebase(options).map_err(|error| format!("SyzygyPath: {error}"))?;
                return Ok(self.engine.tablebase().map(|tablebase| found_text(&tablebase.tables)));
            }
            OptionName::SyzygyProbeDepth
            | OptionName::Syzygy50MoveRule
            | OptionName::SyzygyProbeLimit => {
                let tables = self.engine.tablebase().map(|tablebase| Arc::clone(&tablebase.tables));
                self.use_tablebase(options, tables);
            }
            OptionName::ClearHash => self.engine.clear_tt(),
            _ => {}
        }
        Ok(None)
    }

    fn get_ready(&self, options: &Options) {
        if options.analyse_mode {
            // A fresh search takes data from the engine's pool, to which these return.
            self.engine.prepare_threads(&mut self.engine.thread_data_set(), options.threads);
        } else if let Ok(mut thread_data) = self.thread_data.lock() {
            self.engine.prepare_threads(&mut thread_data, options.threads);
        }
    }

    fn new_game(&mut self) {
        self.engine.clear_tt();
        self.reset_thread_data();
    }

    fn prepare(&self, task: SearchTask) -> PreparedSearch {
        let engine = Arc::clone(&self.engine);
        let thread_data = Arc::clone(&self.thread_data);
        Box::new(move |stop, on_update| {
            let SearchTask { game, limits, options, fresh } = &task;
            let mut on_report = |report: &_| {
                on_update(Update::Progress {
                    report,
                    hashfull_permille: Some(engine.hashfull_permille()),
                })
            };
            let search = GameSearch { game, limits, options, stop };
            if *fresh {
                let mut thread_data = engine.thread_data_set();
                return Some(engine.search_game(&mut thread_data, search, &mut on_report));
            }
            let mut guard = thread_data.lock().unwrap_or_else(|poisoned| {
                // A search panicked while it changed the data.
                thread_data.clear_poison();
                let mut guard = poisoned.into_inner();
                guard.clear();
                guard
            });
            Some(engine.search_game(&mut guard, search, &mut on_report))
        })
    }

    fn evaluate(&self, position: &Position) -> Result<String, String> {
        Ok(format_evaluation(
            position,
            &self.engine.evaluate_pieces(position),
            self.engine.evaluation_name(),
        ))
    }
}

/// What `SyzygyPath` found, in Stockfish's words.
fn found_text(tables: &Tablebase) -> String {
    format!(
        "Found {} WDL and {} DTZ tablebase files (up to {}-man).",
        tables.wdl_files(),
        tables.dtz_files(),
        tables.men()
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::chess::Game;
    use crate::engine::{Limits, Report, SearchOptions, StopFlag};
    use crate::nnue::tests::random_network::{LayeredRanges, Ranges, layered_file, network_file};

    #[test]
    fn a_failed_replacement_keeps_the_old_network_and_table() {
        let mut local = LocalBackend::new(&Options { hash_mb: 2, ..Options::default() }).unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nnue/kibitzer.nnue");
        let (old, other) =
            (Arc::clone(local.engine.network()), Arc::new(Network::read(&file).unwrap()));
        let failed = local.replace_engine_or_restore(usize::MAX, Arc::clone(&other)).unwrap_err();
        assert_eq!(failed, TtAllocError { mb: usize::MAX });
        assert!(Arc::ptr_eq(local.engine.network(), &old));
        assert_eq!(local.engine.hash_mb(), 2);
        local.replace_engine_or_restore(1, Arc::clone(&other)).unwrap();
        assert!(Arc::ptr_eq(local.engine.network(), &other));
    }

    #[test]
    fn a_ready_backend_has_the_memory_of_every_thread() {
        let options = Options { hash_mb: 1, threads: 3, ..Options::default() };
        let mut local = LocalBackend::new(&options).unwrap();
        let mut threads = |options: &Options| {
            local.new_game();
            local.get_ready(options);
            local.thread_data.lock().unwrap().len()
        };
        assert_eq!(threads(&options), 3);
        // Fresh searches do not use the data of the game.
        assert_eq!(threads(&Options { analyse_mode: true, ..options }), 0);
    }

    #[test]
    fn a_search_with_a_network_of_either_form_is_deterministic() {
        let folder = tempfile::tempdir().unwrap();
        for (form, content) in [
            ("(8x768 -> 512x2 -> 1x8)", network_file(31, Ranges::USUAL)),
            ("(8x768 -> 1024x2 -> 16 -> 32 -> 1x8)", layered_file(31, LayeredRanges::USUAL)),
        ] {
            let file = folder.path().join("random.nnue");
            std::fs::write(&file, content).unwrap();
            let options = Options { hash_mb: 2, eval_file: Some(file), ..Options::default() };
            let mut local = LocalBackend::new(&options).unwrap();
            local.apply(OptionName::EvalFile, &options).unwrap();
            let name = local.engine.evaluation_name();
            assert!(name.ends_with(form), "{name}");
            let evaluation = local.evaluate(&Position::startpos()).unwrap();
            assert!(evaluation.contains(name), "{evaluation}");
            let [first, second] = [(); 2].map(|()| {
                local.engine.clear_tt();
                let search = local.prepare(SearchTask {
                    game: Game::new(Position::startpos()),
                    limits: Limits { depth: Some(7), ..Limits::default() },
                    options: SearchOptions::default(),
                    fresh: true,
                });
                search(&StopFlag::default(), &mut |_| ()).unwrap()
            });
            assert_eq!(first.depth, 7, "{form}");
            let result = |report: &Report| (report.nodes, report.score, report.pv.clone());
            assert_eq!(result(&first), result(&second), "{form}");
        }
    }
}
