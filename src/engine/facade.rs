//! The engine as the rest of the service sees it: one shared table, any number of searches at once.

use std::sync::Arc;
use std::thread;

use super::checks::Checks;
use super::clock::{Budget, Crew};
use super::history::{History, NO_ROW, Setting};
use super::keys::table_key;
use super::network::NetworkEvaluator;
use super::pace::Pace;
use super::path::LOW_CLOCK;
use super::picker::{Guide, Picker};
use super::root::{Goal, MAX_DEPTH};
use super::root_move::RootMove;
use super::score::{EVALUATION_LIMIT, PAWN};
use super::search::Search;
use super::shelf::Shelf;
use super::slice::take_slices;
use super::thread_data::ThreadData;
use super::threats::Threats;
use super::tt::{Generation, NoMemory, Table};
use super::wdl::{Verdict, WinModel};
use super::{Limits, Report, Scope, StaticEvaluation, StopFlag, StopReason};
use crate::chess::{Game, Move, Outcome, Position};
use crate::nnue::{Level, Network};

/// How an [`Engine`] is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The size of the shared table in MiB; at least one.
    pub hash_mb: usize,
    /// Whose searches share the table.
    pub sharing: Sharing,
    /// The processor instructions that the network is computed with; where this processor lacks
    /// them, its best ones.
    pub level: Level,
}

/// Whose searches share a table, and so how far they trust it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Anybody's, at the same time and with any history. With a history of its own, or a half-move
    /// clock above 20, the table ends no search within the first two plies after the root; and a
    /// value that leans on the path to its position is for the one search that walks this path.
    Public,
    /// A single player's, one after another: each continues the last.
    Player,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions { hash_mb: 64, sharing: Sharing::Public, level: Level::best() }
    }
}

/// So many plies after the root are guarded.
const GUARDED_PLIES: usize = 2;

/// The search engine. It holds the table that all its searches share; every method may be called
/// from many threads at once.
pub struct Engine {
    table: Table,
    options: EngineOptions,
    evaluation: String,
    shelf: Arc<Shelf>,
}

/// What a player keeps in mind from move to move: how moves have done so far, for each thread; and
/// the room in which the network's sums are kept.
pub struct Memory {
    threads: Vec<ThreadData>,
    /// Where they come from and go to.
    shelf: Arc<Shelf>,
}

impl Memory {
    fn of(shelf: &Arc<Shelf>) -> Memory {
        Memory { threads: Vec::new(), shelf: Arc::clone(shelf) }
    }

    /// Forgets everything, and gives its room back to the system.
    pub fn forget(&mut self) {
        self.threads.clear();
    }

    /// What so many threads of an engine with this shelf search with. What comes of another engine
    /// judges by another network and is of no use.
    fn provide(&mut self, shelf: &Arc<Shelf>, threads: usize) -> &mut [ThreadData] {
        if !Arc::ptr_eq(&self.shelf, shelf) {
            *self = Memory::of(shelf);
        }
        while self.threads.len() < threads {
            self.threads.push(self.shelf.take());
        }
        &mut self.threads[..threads]
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // What a panic has left in the middle of a change is nobody's any more.
        if thread::panicking() {
            self.forget();
        }
        self.threads.drain(..).for_each(|data| self.shelf.put_back(data));
    }
}

/// The stack that a thread needs to search on, in bytes: a search is some hundred plies deep at
/// most, with a move list a ply. Only what is used takes memory.
pub const STACK_BYTES: usize = 8 << 20;

/// The root's moves within a scope, in the order of a first look. A scope without any legal move is
/// no scope.
fn root_moves(
    root: &Position,
    table: &Generation<'_>,
    history: &History,
    scope: &Scope,
) -> Vec<RootMove> {
    let threats = Threats::of(root);
    let setting = Setting::new(root, threats.all, [NO_ROW; 4], 0);
    let checks = Checks::of(root);
    let guide =
        Guide { position: root, history, setting: &setting, threats: &threats, checks: &checks };
    let mut picker =
        Picker::all(root, table.probe(table_key(root)).map_or(Move::NULL, |entry| entry.mv));
    let all: Vec<Move> = std::iter::from_fn(|| picker.next(guide, false)).collect();
    let within: Vec<Move> = all.iter().copied().filter(|mv| scope.moves.contains(mv)).collect();
    let chosen = if within.is_empty() { all } else { within };
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
    pub fn of_player(hash_mb: usize, network: Arc<Network>) -> Result<Engine, NoMemory> {
        Engine::with_network(
            EngineOptions { hash_mb, sharing: Sharing::Player, ..EngineOptions::default() },
            network,
        )
    }

    /// An engine set up in detail, with memory as [`Engine::new`].
    pub fn with_options(options: EngineOptions) -> Engine {
        Engine::with_network(options, Network::embedded()).unwrap_or_else(|error| error.give_up())
    }

    /// An engine that judges by another network than the one that is part of the program.
    ///
    /// # Errors
    ///
    /// When the system does not give the memory of the table.
    pub fn with_network(options: EngineOptions, network: Arc<Network>) -> Result<Engine, NoMemory> {
        let table = Table::new(options.hash_mb)?;
        let evaluation = format!("{} ({})", network.id(), network.architecture());
        Ok(Engine {
            table,
            options,
            evaluation,
            shelf: Arc::new(Shelf::new(network, options.level)),
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
        self.continue_game(&mut self.memory(), game, limits, &Scope::default(), stop, on_update)
    }

    /// What a player keeps in mind from move to move of a game; empty at first.
    pub fn memory(&self) -> Memory {
        Memory::of(&self.shelf)
    }

    /// Searches as [`Engine::analyse`] does, within a scope, with and for the memory of a player.
    /// Several threads search the same and share the table, nothing else: Chess Programming Wiki,
    /// "Lazy SMP". Another engine's memory is emptied first.
    pub fn continue_game(
        &self,
        memory: &mut Memory,
        game: &Game,
        limits: &Limits,
        scope: &Scope,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let pace = limits.clock.map(|clock| Pace::of(&clock, game.position().fullmove_number()));
        let hard = [limits.movetime, pace.map(|pace| pace.hard())].into_iter().flatten().min();
        let threads = if limits.mate.is_some() { 1 } else { scope.threads.max(1) };
        let crew = Crew::new(threads);
        let budget = Budget::start(limits, hard, stop, &crew);
        match game.outcome() {
            Outcome::Ongoing => {}
            Outcome::Checkmate { .. } => return terminal(Verdict::MATED, &budget),
            Outcome::Stalemate | Outcome::Draw(_) => return terminal(Verdict::DRAWN, &budget),
        }
        let data = memory.provide(&self.shelf, threads);
        data[0].history.freshen();
        let goal = Goal::of(limits, scope.multipv.max(1), pace);
        let table = self.table.begin(self.options.sharing);
        let root = game.position();
        let root_moves = root_moves(root, &table, &data[0].history, scope);
        let mut searches = data.iter_mut().enumerate().map(|(index, data)| {
            let budget = budget.of(index);
            self.search(&table, data, budget, game, root_moves.clone())
        });
        let Some(mut first) = searches.next() else { return terminal(Verdict::DRAWN, &budget) };
        thread::scope(|scope| {
            // Also when the first thread panics: its scope waits for the helpers, which wait for
            // nothing else.
            let dismissal = crew.dismissal();
            let helpers: Vec<_> = searches
                .filter_map(|mut helper| {
                    let builder = thread::Builder::new().stack_size(STACK_BYTES);
                    // A machine that gives no more threads gets along with fewer.
                    builder
                        .spawn_scoped(scope, move || {
                            take_slices(threads);
                            helper.history.freshen();
                            helper.deepen(root, goal.of_helper(), &mut |_| ())
                        })
                        .ok()
                })
                .collect();
            let mut helpers = Some(helpers);
            let mut join = || {
                dismissal.give();
                let helpers = helpers.take().unwrap_or_default();
                // A helper's panic is a fault that the process's panic hook tells of; the others
                // have an answer all the same.
                helpers.into_iter().filter_map(|helper| helper.join().ok()).collect()
            };
            take_slices(threads);
            first.run(root, limits, goal, &mut join, on_update)
        })
    }

    fn search<'a>(
        &self,
        table: &'a Generation<'a>,
        ThreadData { history, evaluator }: &'a mut ThreadData,
        budget: Budget<'a>,
        game: &Game,
        root_moves: Vec<RootMove>,
    ) -> Search<'a, NetworkEvaluator> {
        let root = game.position();
        let mut search =
            Search::new(table, evaluator, history, budget, root, game.earlier_keys(), root_moves);
        let public = self.options.sharing == Sharing::Public;
        if public && (search.path.has_history() || root.halfmove_clock() > LOW_CLOCK) {
            search.guarded_plies = GUARDED_PLIES;
        }
        search
    }

    /// Judges a position as it stands, without a search: centipawns, of which 100 win half of the
    /// games, from the view of the side to move.
    pub fn evaluate(&self, position: &Position) -> i32 {
        const LIMIT: i32 = EVALUATION_LIMIT * 100 / PAWN;
        WinModel::of(position)
            .centipawns(f64::from(self.network().evaluate(position).clamp(-LIMIT, LIMIT)))
    }

    /// The same with what each piece adds to it.
    pub fn evaluate_pieces(&self, position: &Position) -> StaticEvaluation {
        StaticEvaluation::new(position, &self.network().contributions(position))
    }

    /// Empties the shared table.
    pub fn clear(&self) {
        self.table.clear();
    }

    /// How full the shared table is, in entries per thousand (from a sample).
    pub fn hash_permille(&self) -> u32 {
        self.table.permille()
    }

    /// The size of the shared table in MiB.
    pub fn hash_mb(&self) -> usize {
        self.options.hash_mb.max(1)
    }

    /// What judges quiet positions: the network's id, and its architecture in brackets.
    pub fn evaluation_name(&self) -> &str {
        &self.evaluation
    }

    /// The network that judges quiet positions.
    pub fn network(&self) -> &Arc<Network> {
        self.shelf.network()
    }

    /// The processor instructions that the network is computed with, by name.
    pub fn simd() -> &'static str {
        Level::best().name()
    }

    /// The greatest depth that a search reaches.
    pub const fn max_depth() -> u8 {
        MAX_DEPTH
    }
}

fn terminal(Verdict { score, wdl, linear }: Verdict, budget: &Budget<'_>) -> Report {
    Report {
        score,
        wdl,
        linear: Some(linear),
        pv: Vec::new(),
        depth: 0,
        seldepth: 0,
        nodes: 0,
        elapsed: budget.elapsed(),
        reason: StopReason::Terminal,
        context_free: true,
        alternatives: Vec::new(),
    }
}

#[cfg(test)]
mod planting;
#[cfg(test)]
mod tests;
