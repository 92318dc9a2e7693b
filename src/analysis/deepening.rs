//! The search of positions that nobody has asked for yet.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::Searcher;
use super::address::Address;
use super::dictionary::Dictionary;
use super::idle::Wish;
use super::tally::Tally;
use crate::engine::{Limits, Scope, StopFlag};

/// No wish takes longer, whatever its question may.
const LONGEST: Duration = Duration::from_secs(10);

/// Follows wishes on worker threads.
pub(super) struct Deepener {
    pub(super) searcher: Arc<dyn Searcher>,
    /// Whoever is at idle work does not keep the dictionary, and the file that it is in, from being
    /// closed.
    pub(super) dictionary: Weak<Dictionary>,
    pub(super) maker: Arc<str>,
    pub(super) tally: Tally,
}

impl Deepener {
    /// Searches the position of a wish as its question was searched, and remembers what it finds.
    /// What is known well enough, and where the game is over, takes no time.
    pub(super) fn follow(&self, wish: &Wish, stop: &StopFlag) {
        let game = wish.game();
        if game.outcome().is_over() {
            return;
        }
        let limits =
            Limits { movetime: wish.limits.movetime.map(|time| time.min(LONGEST)), ..wish.limits };
        let lines = wish.lines.min(game.position().legal_moves().len());
        let address = Address::of(&game);
        let known = self
            .dictionary
            .upgrade()
            .map(|dictionary| dictionary.look_up(&address, &limits, lines, &self.maker));
        if known.is_none_or(|known| known.enough.is_some()) {
            return;
        }
        let bounded = Limits { movetime: Some(limits.movetime.unwrap_or(LONGEST)), ..limits };
        let scope = Scope { multipv: lines, ..Scope::default() };
        let report = self.searcher.analyse(&game, &bounded, &scope, stop, &mut |_| ());
        self.tally.count_idle(report.nodes);
        tracing::debug!(depth = report.depth, nodes = report.nodes, reason = ?report.reason, "idle search ended");
        if let Some(dictionary) = self.dictionary.upgrade() {
            dictionary.store_idle(&address, &limits, &Arc::new(report), &self.maker);
        }
    }
}
