//! The engine as the rest of the service sees it: one shared table, any number of searches at once.

use std::sync::Arc;
use std::thread;

use super::check_info::CheckInfo;
use super::history::{HistoryKey, HistoryTables, NO_CONTINUATION};
use super::iterative_deepening::{DeepeningGoal, MAX_DEPTH};
use super::keys::tt_key;
use super::move_picker::{MovePicker, OrderingContext};
use super::nnue_evaluator::NnueEvaluator;
use super::repetition::LOW_HALFMOVE_CLOCK;
use super::root_move::RootMove;
use super::scheduler::request_time_slices;
use super::score::{MAX_STATIC_EVAL, UNITS_PER_PAWN};
use super::search::SearchWorker;
use super::search_budget::{SearchBudget, ThreadGroup};
use super::thread_data::ThreadData;
use super::thread_data_pool::ThreadDataPool;
use super::threats::Threats;
use super::time_management::TimeManager;
use super::tt::{TranspositionTable, TtAllocError, TtView};
use super::wdl::{ReportedScore, WdlModel};
use super::{Limits, Report, SearchScope, StaticEvaluation, StopFlag, StopReason};
use crate::chess::{Game, Move, Outcome, Position};
use crate::nnue::{Network, SimdLevel};

/// How an [`Engine`] is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The size of the shared table in MiB; at least one.
    pub hash_mb: usize,
    /// Whose searches share the table.
    pub sharing: TtSharing,
    /// The processor instructions that the network is computed with; where this processor lacks
    /// them, its best ones.
    pub simd_level: SimdLevel,
}

/// Whose searches share a table, and so how far they trust it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TtSharing {
    /// Anybody's, at the same time and with any history. With a history of its own, or a half-move
    /// clock above 20, the table ends no search within the first two plies after the root; and a
    /// value that leans on the path to its position is for the one search that walks this path.
    Shared,
    /// A single player's, one after another: each continues the last.
    Exclusive,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { hash_mb: 64, sharing: TtSharing::Shared, simd_level: SimdLevel::best() }
    }
}

/// So many plies after the root are guarded.
const DRAW_GUARD_PLIES: usize = 2;

/// The search engine. It holds the table that all its searches share; every method may be called
/// from many threads at once.
pub struct Engine {
    tt: TranspositionTable,
    options: EngineOptions,
    evaluation_name: String,
    thread_data_pool: Arc<ThreadDataPool>,
}

/// What a player keeps in mind from move to move: how moves have done so far, for each thread; and
/// the room in which the network's sums are kept.
pub struct ThreadDataSet {
    threads: Vec<ThreadData>,
    /// Where they come from and go to.
    pool: Arc<ThreadDataPool>,
}

impl ThreadDataSet {
    fn new(pool: &Arc<ThreadDataPool>) -> ThreadDataSet {
        ThreadDataSet { threads: Vec::new(), pool: Arc::clone(pool) }
    }

    /// Forgets everything, and gives its room back to the system.
    pub fn clear(&mut self) {
        self.threads.clear();
    }

    /// What so many threads of an engine with this shelf search with. What comes of another engine
    /// judges by another network and is of no use.
    fn acquire(&mut self, pool: &Arc<ThreadDataPool>, threads: usize) -> &mut [ThreadData] {
        if !Arc::ptr_eq(&self.pool, pool) {
            *self = ThreadDataSet::new(pool);
        }
        while self.threads.len() < threads {
            self.threads.push(self.pool.acquire());
        }
        &mut self.threads[..threads]
    }
}

impl Drop for ThreadDataSet {
    fn drop(&mut self) {
        // What a panic has left in the middle of a change is nobody's any more.
        if thread::panicking() {
            self.clear();
        }
        self.threads.drain(..).for_each(|data| self.pool.release(data));
    }
}

/// The stack that a thread needs to search on, in bytes: a search is some hundred plies deep at
/// most, with a move list a ply. Only what is used takes memory.
pub const STACK_BYTES: usize = 8 << 20;

/// The root's moves within a scope, in the order of a first look. A scope without any legal move is
/// no scope.
fn ordered_root_moves(
    root: &Position,
    tt: &TtView<'_>,
    history: &HistoryTables,
    scope: &SearchScope,
) -> Vec<RootMove> {
    let threats = Threats::new(root);
    let history_key = HistoryKey::new(root, threats.all, [NO_CONTINUATION; 4], 0);
    let check_info = CheckInfo::new(root);
    let ordering = OrderingContext {
        position: root,
        history,
        history_key: &history_key,
        threats: &threats,
        check_info: &check_info,
    };
    let mut picker =
        MovePicker::all(root, tt.probe(tt_key(root)).map_or(Move::NULL, |entry| entry.mv));
    let all: Vec<Move> = std::iter::from_fn(|| picker.next(ordering, false)).collect();
    let allowed: Vec<Move> =
        all.iter().copied().filter(|mv| scope.search_moves.contains(mv)).collect();
    let chosen = if allowed.is_empty() { all } else { allowed };
    chosen.into_iter().map(RootMove::new).collect()
}

impl Engine {
    /// The version of the engine, as people are told it.
    pub const VERSION: &'static str = "0.1.0";

    /// What tells one search from another within a version: the nodes of [`Bench`](super::Bench),
    /// which every change of search or evaluation changes. tests/signature.rs counts them.
    pub const SIGNATURE: &'static str = include_str!("signature.txt").trim_ascii();

    /// An engine with a shared table of so many MiB (at least one). The memory is taken and written
    /// to at once; where there is none the process ends, as for any collection
    /// ([`Engine::with_network`] gives an error).
    pub fn new(hash_mb: usize) -> Engine {
        Engine::with_options(EngineOptions { hash_mb, ..EngineOptions::default() })
    }

    /// The engine of a single player, with a table of so many MiB (at least one).
    ///
    /// # Errors
    ///
    /// When the system does not give the memory.
    pub fn for_player(hash_mb: usize, network: Arc<Network>) -> Result<Engine, TtAllocError> {
        Engine::with_network(
            EngineOptions { hash_mb, sharing: TtSharing::Exclusive, ..EngineOptions::default() },
            network,
        )
    }

    /// An engine set up in detail, with memory as [`Engine::new`].
    pub fn with_options(options: EngineOptions) -> Engine {
        Engine::with_network(options, Network::embedded()).unwrap_or_else(|error| error.abort())
    }

    /// An engine that judges by another network than the one that is part of the program.
    ///
    /// # Errors
    ///
    /// When the system does not give the memory of the table.
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
            thread_data_pool: Arc::new(ThreadDataPool::new(network, options.simd_level)),
        })
    }

    /// Searches the game's position until a limit is reached or the flag says stop. Every iteration
    /// that the first thread has finished with a line is told to `on_update`; the last state is
    /// returned, which may be another thread's and deeper.
    ///
    /// A game that is over gives an empty line and [`StopReason::Terminal`]; one whose draw may
    /// merely be claimed is searched. Everywhere else the line has at least one move, also when the
    /// search is stopped before its first iteration.
    pub fn analyse(
        &self,
        game: &Game,
        limits: &Limits,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        self.search_game(
            &mut self.thread_data_set(),
            game,
            limits,
            &SearchScope::default(),
            stop,
            on_update,
        )
    }

    /// What a player keeps in mind from move to move of a game; empty at first.
    pub fn thread_data_set(&self) -> ThreadDataSet {
        ThreadDataSet::new(&self.thread_data_pool)
    }

    /// Searches as [`Engine::analyse`] does, within a scope, with and for the memory of a player.
    /// Several threads search the same and share the table, nothing else: Chess Programming Wiki,
    /// "Lazy SMP". Another engine's memory is emptied first.
    pub fn search_game(
        &self,
        thread_data: &mut ThreadDataSet,
        game: &Game,
        limits: &Limits,
        scope: &SearchScope,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let time_manager =
            limits.clock.map(|clock| TimeManager::new(&clock, game.position().fullmove_number()));
        let hard_limit = [limits.movetime, time_manager.map(|pace| pace.hard_limit())]
            .into_iter()
            .flatten()
            .min();
        let threads = if limits.mate.is_some() { 1 } else { scope.threads.max(1) };
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
        data[0].history.prepare_for_search();
        let goal = DeepeningGoal::new(limits, scope.multipv.max(1), time_manager);
        let tt = self.tt.begin_search(self.options.sharing);
        let root = game.position();
        let root_moves = ordered_root_moves(root, &tt, &data[0].history, scope);
        let mut workers = data.iter_mut().enumerate().map(|(index, data)| {
            let budget = budget.for_thread(index);
            self.new_worker(&tt, data, budget, game, root_moves.clone())
        });
        let Some(mut main_worker) = workers.next() else {
            return terminal_report(ReportedScore::DRAWN, &budget);
        };
        thread::scope(|scope| {
            // Also when the first thread panics: its scope waits for the helpers, which wait for
            // nothing else.
            let stop_on_drop = thread_group.stop_on_drop();
            let helpers: Vec<_> = workers
                .filter_map(|mut helper| {
                    let builder = thread::Builder::new().stack_size(STACK_BYTES);
                    // A machine that gives no more threads gets along with fewer.
                    builder
                        .spawn_scoped(scope, move || {
                            request_time_slices(threads);
                            helper.history.prepare_for_search();
                            helper.iterative_deepening(root, goal.for_helper(), &mut |_| ())
                        })
                        .ok()
                })
                .collect();
            let mut helpers = Some(helpers);
            let mut join_helpers = || {
                stop_on_drop.stop_helpers();
                let helpers = helpers.take().unwrap_or_default();
                // A helper's panic is a fault that the process's panic hook tells of; the others
                // have an answer all the same.
                helpers.into_iter().filter_map(|helper| helper.join().ok()).collect()
            };
            request_time_slices(threads);
            main_worker.run(root, limits, goal, &mut join_helpers, on_update)
        })
    }

    fn new_worker<'a>(
        &self,
        tt: &'a TtView<'a>,
        ThreadData { history, evaluator }: &'a mut ThreadData,
        budget: SearchBudget<'a>,
        game: &Game,
        root_moves: Vec<RootMove>,
    ) -> SearchWorker<'a, NnueEvaluator> {
        let root = game.position();
        let mut worker = SearchWorker::new(
            tt,
            evaluator,
            history,
            budget,
            root,
            game.earlier_keys(),
            root_moves,
        );
        let shared = self.options.sharing == TtSharing::Shared;
        if shared
            && (worker.position_history.has_game_history()
                || root.halfmove_clock() > LOW_HALFMOVE_CLOCK)
        {
            worker.draw_guard_plies = DRAW_GUARD_PLIES;
        }
        worker
    }

    /// Judges a position as it stands, without a search: centipawns, of which 100 win half of the
    /// games, from the view of the side to move.
    pub fn evaluate(&self, position: &Position) -> i32 {
        const LIMIT: i32 = MAX_STATIC_EVAL * 100 / UNITS_PER_PAWN;
        WdlModel::for_position(position)
            .centipawns(f64::from(self.network().evaluate(position).clamp(-LIMIT, LIMIT)))
    }

    /// The same with what each piece adds to it.
    pub fn evaluate_pieces(&self, position: &Position) -> StaticEvaluation {
        StaticEvaluation::new(position, &self.network().contributions(position))
    }

    /// Empties the shared table.
    pub fn clear_tt(&self) {
        self.tt.clear();
    }

    /// How full the shared table is, in entries per thousand (from a sample).
    pub fn hash_permille(&self) -> u32 {
        self.tt.hash_permille()
    }

    /// The size of the shared table in MiB.
    pub fn hash_mb(&self) -> usize {
        self.options.hash_mb.max(1)
    }

    /// What judges quiet positions: the network's id, and its architecture in brackets.
    pub fn evaluation_name(&self) -> &str {
        &self.evaluation_name
    }

    /// The network that judges quiet positions.
    pub fn network(&self) -> &Arc<Network> {
        self.thread_data_pool.network()
    }

    /// The processor instructions that the network is computed with, by name.
    pub fn simd_name() -> &'static str {
        SimdLevel::best().name()
    }

    /// The greatest depth that a search reaches.
    pub const fn max_depth() -> u8 {
        MAX_DEPTH
    }
}

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
        alternatives: Vec::new(),
    }
}

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
