//! The analysis request: what to search, how far, and for which client.

use super::session::{Client, Session};
use crate::chess::{Game, MAX_HALFMOVE_CLOCK, Position};
use crate::engine::{Limits, SearchOptions, StrengthLimit};

/// How urgent a request is. Interactive requests take priority over batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PriorityClass {
    /// A client waits for this single answer.
    Interactive,
    /// The request is one of many in a batch or a review job.
    Batch,
}

/// A request to analyse a position.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
    /// The position and its history, from which repetition and the 50-move rule count.
    pub game: Game,
    /// When to stop, within the service's caps. Without any limit the service sets one.
    pub limits: Limits,
    /// Threads, number of lines and root moves. Each thread takes a worker, so the workers bound
    /// the threads.
    pub options: SearchOptions,
    /// Search even if the cache could answer. The new result is cached all the same.
    pub fresh: bool,
    /// The client, for fairness: a client with few requests does not wait behind one with many.
    pub client: Client,
    /// How urgent the answer is.
    pub class: PriorityClass,
    /// The session of the request. It replaces an older request of the same session.
    pub session: Option<Session>,
    /// Play like a weaker player. See [`AnalysisRequest::with_strength`].
    pub strength: Option<StrengthLimit>,
}

impl AnalysisRequest {
    /// Limits the strength of the best move. Such a request shares nothing: it has a search and a
    /// transposition table of its own, and neither reads nor writes the evaluation cache. The
    /// knowledge of stronger searches would make it stronger.
    #[must_use]
    pub fn with_strength(mut self, strength: StrengthLimit) -> AnalysisRequest {
        strength.apply_to(&mut self.limits, &mut self.options);
        self.options.private_table = true;
        self.strength = Some(strength);
        self
    }

    /// The most memory of a waiting request, in bytes. It keeps the positions since the last
    /// irreversible move, whose number the rules bound, in lists that grow by doubling; the last
    /// term covers the rest of the request's path.
    pub(super) const MAX_BYTES: usize = (MAX_HALFMOVE_CLOCK as usize).next_power_of_two()
        * (size_of::<Position>() + 32)
        + (16 << 10);
}

/// The current position of a game with the earlier positions that can recur, and no others. So a
/// waiting request needs little memory, however long its game is.
pub(super) fn reversible_tail(game: &Game) -> Game {
    let moves = game.moves();
    let reversible: usize =
        game.reversible_key_counts().iter().map(|&(_, count)| usize::from(count)).sum();
    let first = moves.len().saturating_sub(reversible);
    let mut tail = Game::new(game.position_before(first).unwrap_or(game.position()).clone());
    moves[first..].iter().for_each(|&mv| tail.play(mv));
    tail
}

#[cfg(test)]
mod tests {
    use super::reversible_tail;
    use crate::analysis::tests::game_of;

    #[test]
    fn only_positions_that_can_recur_are_kept() {
        let game = game_of("e2e4 e7e5 g1f3 b8c6 f3g1 c6b8 g1f3 b8c6");
        let trimmed = reversible_tail(&game);
        assert_eq!(trimmed.position(), game.position());
        assert_eq!(trimmed.moves(), &game.moves()[2..]);
        assert_eq!(trimmed.reversible_key_counts(), game.reversible_key_counts());
        assert_eq!(trimmed.occurrences(), game.occurrences());
    }

    #[test]
    fn a_pawn_move_clears_the_history() {
        let game = game_of("g1f3 b8c6 e2e4");
        let trimmed = reversible_tail(&game);
        assert!(trimmed.moves().is_empty());
        assert_eq!(trimmed.position(), game.position());
    }
}
