//! The engine: one shared transposition table, and any number of searches at once.

use std::num::NonZero;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::thread::{self, Scope, ScopedJoinHandle, available_parallelism};

use super::evaluator::NnueEvaluator;
use super::limits::{Limits, SearchOptions, StopFlag};
use super::report::{Report, StaticEvaluation, StopReason};
use super::search::{
    DeepeningGoal, MAX_DEPTH, SearchRoot, SearchWorker, ordered_root_moves, rank_root_moves,
};
use super::smp::{
    STACK_BYTES, ThreadData, ThreadDataPool, ThreadDataSet, ThreadGroup, ThreadResult,
};
use super::static_evaluator::StaticEvaluator;
use super::tablebase_options::{SearchTablebase, TablebaseOptions};
use super::time::{SearchBudget, TimeManager};
use super::tt::{LOW_HALFMOVE_CLOCK, TranspositionTable, TtAllocError, TtSharing, TtView};
use super::wdl::ReportedScore;
use crate::chess::{Game, Outcome, Position};
use crate::nnue::{Network, SimdLevel};
use crate::time_slices::{TimeSlices, request_time_slices};

/// The options of an [`Engine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The size of the shared table in MiB; at least one.
    pub hash_mb: usize,
    /// The searches that share the table.
    pub sharing: TtSharing,
    /// The processor instructions that evaluate the network. Where the processor lacks them, the
    /// engine uses its best ones.
    pub simd_level: SimdLevel,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { hash_mb: 64, sharing: TtSharing::Shared, simd_level: SimdLevel::best() }
    }
}

/// A search of a game's position.
#[derive(Clone, Copy, Debug)]
pub struct GameSearch<'a> {
    /// The game. Its earlier positions decide about repetitions.
    pub game: &'a Game,
    /// The limits, of which the first that is reached ends the search.
    pub limits: &'a Limits,
    /// Threads, lines and root moves.
    pub options: &'a SearchOptions,
    /// The flag that stops the search from another thread.
    pub stop: &'a StopFlag,
}

/// The number of plies after the root in which a search guards against graph history interaction:
/// see [`SearchWorker::ghi_guard_plies`].
const GHI_GUARD_PLIES: usize = 2;

/// The size of the table of a search that does not use the shared one, in MiB. Only searches with
/// few nodes need it.
const PRIVATE_TABLE_MB: usize = 1;

/// The search engine. It holds the table that all its searches share. Every method may be called
/// from many threads at once.
///
/// # Examples
///
/// A search reports every completed iteration and returns the final report:
///
/// ```
/// use kibitzer::chess::{Game, Position};
/// use kibitzer::engine::{Engine, Limits, Score, StopFlag, StopReason};
///
/// let engine = Engine::new(1);
/// let game = Game::new(Position::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")?);
/// let limits = Limits { depth: Some(4), ..Limits::default() };
/// let mut depths = Vec::new();
/// let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |update| {
///     depths.push(update.depth);
/// });
/// assert_eq!(depths, [1, 2, 3, 4]);
/// assert_eq!((report.score, report.reason), (Score::Mate(1), StopReason::Depth));
/// assert_eq!(report.pv.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    tt: TranspositionTable,
    options: EngineOptions,
    evaluation_name: String,
    tablebase: RwLock<Option<Arc<TablebaseOptions>>>,
    thread_data_pool: Arc<ThreadDataPool>,
}

impl Engine {
    /// The version of the engine.
    pub const VERSION: &'static str = "0.1.0";

    /// The signature of the search within a version: the node count of [`Bench`](super::Bench). A
    /// change that affects only the speed keeps it. tests/signature.rs checks it.
    pub const SIGNATURE: &'static str = include_str!("signature.txt").trim_ascii();

    /// An engine with a shared table of `hash_mb` MiB (at least one). It allocates and writes the
    /// memory at once. If the allocation fails, the process aborts, as with a failed `Vec`
    /// allocation ([`Engine::with_network`] returns an error).
    pub fn new(hash_mb: usize) -> Engine {
        Engine::with_options(EngineOptions { hash_mb, ..EngineOptions::default() })
    }

    /// The engine of a single player, with a table of `hash_mb` MiB (at least one).
    ///
    /// # Errors
    ///
    /// [`TtAllocError`] when the operating system does not provide the memory of the table.
    pub fn for_player(hash_mb: usize, network: Arc<Network>) -> Result<Engine, TtAllocError> {
        Engine::with_network(
            EngineOptions { hash_mb, sharing: TtSharing::Exclusive, ..EngineOptions::default() },
            network,
        )
    }

    /// An engine with options. It allocates memory as [`Engine::new`] does.
    pub fn with_options(options: EngineOptions) -> Engine {
        Engine::with_network(options, Network::embedded()).unwrap_or_else(|error| error.abort())
    }

    /// An engine with options and a network of its own instead of the embedded one.
    ///
    /// # Errors
    ///
    /// [`TtAllocError`] when the operating system does not provide the memory of the table.
    pub fn with_network(
        options: EngineOptions,
        network: Arc<Network>,
    ) -> Result<Engine, TtAllocError> {
        let tt = TranspositionTable::new(options.hash_mb)?;
        let evaluation_name = format!("{} ({})", network.id(), network.architecture());
        Ok(Engine {
            tt,
            options,
            evaluation_name,
            tablebase: RwLock::default(),
            thread_data_pool: Arc::new(ThreadDataPool::new(network, options.simd_level)),
        })
    }

    /// Sets the endgame tablebases, or removes them. A running search keeps those of its start.
    pub fn set_tablebase(&self, tablebase: Option<TablebaseOptions>) {
        *self.tablebase.write().unwrap_or_else(PoisonError::into_inner) = tablebase.map(Arc::new);
    }

    /// The endgame tablebases.
    pub fn tablebase(&self) -> Option<Arc<TablebaseOptions>> {
        self.tablebase.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Searches the game's position until a limit is reached or the flag is set. It calls
    /// `on_update` after every iteration that the main thread completes, and returns the final
    /// report. The final report may come from another thread and be deeper.
    ///
    /// A game that is over gives an empty line and [`StopReason::Terminal`]. A game whose draw may
    /// only be claimed is searched. In every other case the line has at least one move, even when a
    /// node limit ends the search within its first iteration. Time limits and the stop flag apply
    /// only later: see [`Limits`].
    pub fn analyse(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let options = &SearchOptions::default();
        let search = GameSearch { game, limits, options, stop };
        self.search_game(&mut self.thread_data_set(), search, on_update)
    }

    /// New thread data, which a player keeps from move to move of a game.
    pub fn thread_data_set(&self) -> ThreadDataSet {
        ThreadDataSet::new(&self.thread_data_pool)
    }

    /// Allocates the data of so many threads, so that the next search does not have to.
    pub fn prepare_threads(&self, thread_data: &mut ThreadDataSet, threads: usize) {
        thread_data.acquire(&self.thread_data_pool, threads.max(1));
    }

    /// Searches as [`Engine::analyse`] does, with options and the data of a player's threads. Data
    /// of another engine are released first.
    ///
    /// The threads search the same root and share only the table: Chess Programming Wiki, "Lazy
    /// SMP".
    pub fn search_game(
        &self,
        thread_data: &mut ThreadDataSet,
        search: GameSearch<'_>,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let GameSearch { game, limits, options, stop } = search;
        let time_manager =
            limits.clock.map(|clock| TimeManager::new(&clock, game.position().fullmove_number()));
        let hard_limit = [limits.movetime, time_manager.map(|manager| manager.hard_limit())]
            .into_iter()
            .flatten()
            .min();
        let threads = if limits.mate.is_some() { 1 } else { options.threads.max(1) };
        let thread_group = ThreadGroup::new(threads);
        let budget = SearchBudget::start(limits, hard_limit, stop, &thread_group);
        match game.outcome() {
            Outcome::Ongoing => {}
            Outcome::Checkmate { .. } => return terminal_report(ReportedScore::MATED, &budget),
            Outcome::Stalemate | Outcome::Draw(_) => {
                return terminal_report(ReportedScore::DRAWN, &budget);
            }
        }
        let data = thread_data.acquire(&self.thread_data_pool, threads);
        let goal = DeepeningGoal::new(limits, options.multipv.max(1), time_manager);
        let search = LazySmpSearch { search, goal, thread_group: &thread_group };
        self.search_on_threads(&search, data, &budget, on_update)
    }

    /// Runs a search with one thread for each element of `data`. This thread is the main thread.
    fn search_on_threads(
        &self,
        search: &LazySmpSearch<'_>,
        data: &mut [ThreadData],
        budget: &SearchBudget<'_>,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let LazySmpSearch { search, goal, thread_group } = *search;
        let GameSearch { game, limits, options, .. } = search;
        let threads = data.len();
        let root = game.position();
        data[0].history.prepare_for_search();
        // Without memory for a private table, the search uses the shared one.
        let private_table =
            options.private_table.then(|| TranspositionTable::new(PRIVATE_TABLE_MB).ok()).flatten();
        let tt = private_table.as_ref().unwrap_or(&self.tt).begin_search(self.options.sharing);
        let mut root_moves = ordered_root_moves(root, &tt, &data[0].history, options);
        let tablebase_hits = AtomicU64::new(0);
        let uses_tablebase = options.use_tablebase && limits.mate.is_none();
        let tablebase = self.tablebase().filter(|_| uses_tablebase);
        let tables = tablebase.as_deref().map(|options| {
            let tables = SearchTablebase::new(options, &tablebase_hits);
            let ranking = rank_root_moves(&mut root_moves, game, tables);
            ranking.map_or(tables, |ranking| tables.with_ranked_root(&ranking))
        });
        let mut workers = data.iter_mut().enumerate().map(|(index, data)| {
            let budget = budget.for_thread(index);
            self.new_worker(&tt, data, budget, SearchRoot::new(game, root_moves.clone(), tables))
        });
        let Some(mut main_worker) = workers.next() else {
            return terminal_report(ReportedScore::DRAWN, budget);
        };
        thread::scope(|scope| {
            // The scope waits for the helpers, which wait for this guard alone, also when the main
            // thread panics.
            let stop_on_drop = thread_group.stop_on_drop(budget.stop_flag());
            // Without a new thread the search continues with fewer.
            let helpers: Vec<_> = workers
                .filter_map(|helper| spawn_helper(scope, helper, root, goal.for_helper(), threads))
                .collect();
            let mut helpers = Some(helpers);
            let mut join_helpers = || {
                stop_on_drop.stop_helpers();
                let helpers = helpers.take().unwrap_or_default();
                // The panic hook logs a helper's panic; the other threads still have a result.
                helpers.into_iter().filter_map(|helper| helper.join().ok()).collect()
            };
            request_search_slices(threads);
            main_worker.run(root, limits, goal, &mut join_helpers, on_update)
        })
    }

    fn new_worker<'a>(
        &self,
        tt: &'a TtView<'a>,
        ThreadData { history, evaluator }: &'a mut ThreadData,
        budget: SearchBudget<'a>,
        root: SearchRoot<'a>,
    ) -> SearchWorker<'a, NnueEvaluator> {
        let position = root.position;
        let mut worker = SearchWorker::new(tt, evaluator, history, budget, root);
        let is_shared = self.options.sharing == TtSharing::Shared;
        if is_shared
            && (worker.position_history.has_game_history()
                || position.halfmove_clock() > LOW_HALFMOVE_CLOCK)
        {
            worker.ghi_guard_plies = GHI_GUARD_PLIES;
        }
        worker
    }

    /// An evaluator of positions without a search.
    pub fn static_evaluator(&self) -> StaticEvaluator<'_> {
        StaticEvaluator::new(self.network())
    }

    /// The static evaluation of a position, with the contribution of each piece.
    pub fn evaluate_pieces(&self, position: &Position) -> StaticEvaluation {
        StaticEvaluation::new(position, &self.network().contributions(position))
    }

    /// Empties the shared table.
    pub fn clear_tt(&self) {
        self.tt.clear();
    }

    /// The share of used entries of the shared table, per mille, from a sample.
    pub fn hashfull_permille(&self) -> u32 {
        self.tt.hashfull_permille()
    }

    /// The size of the shared table in MiB.
    pub fn hash_mb(&self) -> usize {
        self.options.hash_mb.max(1)
    }

    /// The name of the static evaluation: the network's id, and its architecture in brackets.
    pub fn evaluation_name(&self) -> &str {
        &self.evaluation_name
    }

    /// The network of the static evaluation.
    pub fn network(&self) -> &Arc<Network> {
        self.thread_data_pool.network()
    }

    /// The name of the processor instructions that evaluate the network.
    pub fn simd_name() -> &'static str {
        SimdLevel::best().name()
    }

    /// The largest depth of a search.
    pub const fn max_depth() -> u8 {
        MAX_DEPTH
    }
}

/// A search on several threads.
struct LazySmpSearch<'a> {
    search: GameSearch<'a>,
    goal: DeepeningGoal,
    thread_group: &'a ThreadGroup,
}

/// Requests long time slices for a thread of a search with so many threads, if there is a core for
/// each of them. Otherwise long slices would let them wait for each other.
fn request_search_slices(threads: usize) {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| available_parallelism().map_or(1, NonZero::get));
    request_time_slices(if threads <= cores { TimeSlices::Long } else { TimeSlices::Default });
}

/// Starts a helper thread; `None` when the operating system provides none.
fn spawn_helper<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    mut helper: SearchWorker<'scope, NnueEvaluator>,
    root: &'scope Position,
    goal: DeepeningGoal,
    threads: usize,
) -> Option<ScopedJoinHandle<'scope, ThreadResult>> {
    let builder = thread::Builder::new().stack_size(STACK_BYTES);
    builder
        .spawn_scoped(scope, move || {
            request_search_slices(threads);
            helper.history.prepare_for_search();
            helper.iterative_deepening(root, goal, &mut |_| ())
        })
        .ok()
}

/// The report of a game that is over.
fn terminal_report(
    ReportedScore { score, wdl, raw_score }: ReportedScore,
    budget: &SearchBudget<'_>,
) -> Report {
    Report {
        score,
        wdl,
        raw_score: Some(raw_score),
        pv: Vec::new(),
        depth: 0,
        seldepth: 0,
        nodes: 0,
        elapsed: budget.elapsed(),
        reason: StopReason::Terminal,
        history_independent: true,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
