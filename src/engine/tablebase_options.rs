//! The use of endgame tablebases by searches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::chess::{Move, Position};
use crate::tablebase::{MAX_MEN, RootOutcome, RootRanking, Tablebase, Wdl};

/// The tables of an engine, and when its searches use them.
#[derive(Clone)]
pub struct TablebaseOptions {
    /// The tables.
    pub tables: Arc<Tablebase>,
    /// The depth from which a position with as many men as the limit is probed in the tree, in
    /// plies. Positions with fewer men are probed at every depth.
    pub probe_depth: u8,
    /// The most men of a position that is probed.
    pub probe_limit: u32,
    /// Whether the 50-move rule counts. Otherwise cursed wins count as wins.
    pub fifty_move_rule: bool,
}

impl TablebaseOptions {
    /// The default probe depth, in plies.
    pub const DEFAULT_PROBE_DEPTH: u8 = 1;

    /// The default use of tables.
    pub fn new(tables: Arc<Tablebase>) -> TablebaseOptions {
        TablebaseOptions {
            tables,
            probe_depth: TablebaseOptions::DEFAULT_PROBE_DEPTH,
            probe_limit: MAX_MEN,
            fifty_move_rule: true,
        }
    }

    /// The most men of a position that is probed and may have a table.
    pub fn men(&self) -> u32 {
        self.probe_limit.min(self.tables.men())
    }

    /// `true` if the tables may know a position.
    #[inline]
    pub fn may_know(&self, position: &Position) -> bool {
        position.occupied().count() <= self.men() && position.castling_rights().is_empty()
    }

    /// Whether a legal move keeps the outcome of its position, see [`Tablebase::keeps_result`].
    /// Reads from disk.
    pub fn keeps_result(&self, position: &Position, mv: Move) -> bool {
        self.may_know(position) && self.tables.keeps_result(position, mv, self.fifty_move_rule)
    }
}

/// The use of tables by one search, shared by its threads.
#[derive(Clone, Copy)]
pub(super) struct SearchTablebase<'a> {
    pub(super) options: &'a TablebaseOptions,
    hits: &'a AtomicU64,
    /// Whether nodes of the tree are probed.
    probes_tree: bool,
    /// Whether the tables ranked the root moves.
    pub(super) ranked_root: bool,
    /// Whether the ranks depend on the game's half-move clock or repetitions.
    pub(super) depends_on_history: bool,
}

impl<'a> SearchTablebase<'a> {
    /// The use of tables by a search whose root is not ranked. `hits` counts its probes.
    pub(super) const fn new(options: &'a TablebaseOptions, hits: &'a AtomicU64) -> Self {
        let (ranked_root, depends_on_history) = (false, false);
        SearchTablebase { options, hits, probes_tree: true, ranked_root, depends_on_history }
    }

    /// The use of tables after they ranked the root's moves. As in Stockfish, the tree is probed no
    /// more, unless a win has to be found without distances: every line would end at the first
    /// capture.
    pub(super) fn with_ranked_root(self, ranking: &RootRanking) -> Self {
        let is_won = ranking.moves.first().is_some_and(|best| best.outcome > RootOutcome::Draw);
        SearchTablebase {
            probes_tree: !ranking.by_dtz && is_won,
            ranked_root: true,
            depends_on_history: ranking.depends_on_history,
            ..self
        }
    }

    /// The outcome of a node of the tree. `None` where the tables do not know it, or where this
    /// depth does not pay for the probe.
    #[inline]
    pub(super) fn probe(&self, position: &Position, depth: i32) -> Option<Wdl> {
        // The outcome of tables holds right after a capture or pawn move.
        if !self.probes_tree || position.halfmove_clock() > 0 || !self.options.may_know(position) {
            return None;
        }
        let has_fewer_men = position.occupied().count() < self.options.men();
        if !has_fewer_men && depth < i32::from(self.options.probe_depth) {
            return None;
        }
        let wdl = self.options.tables.probe_wdl(position).ok()?;
        self.count_hits(1);
        Some(wdl)
    }

    /// Counts probes with a result.
    pub(super) fn count_hits(&self, hits: usize) {
        self.hits.fetch_add(hits as u64, Ordering::Relaxed);
    }

    /// The probes with a result so far.
    pub(super) fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }
}
