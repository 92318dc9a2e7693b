//! What is asked.

use super::queue::PriorityClass;
use super::session::{Client, Session};
use crate::chess::{Game, MAX_HALFMOVE_CLOCK, Position};
use crate::engine::{Limits, SearchScope};

/// A best-move question.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
    /// The position and how it came about: repetition and the 50-move rule count from here.
    pub game: Game,
    /// When to stop, within the service's caps; without any limit when the service says.
    pub limits: Limits,
    /// With how many threads, and how wide to look. Each thread takes a worker: more threads than
    /// workers are not to be had.
    pub scope: SearchScope,
    /// Do not answer from memory. The new answer is remembered all the same.
    pub fresh: bool,
    /// Who asks: those who ask for little do not wait for those who ask for much.
    pub client: Client,
    /// How soon the answer is wanted.
    pub class: PriorityClass,
    /// The session that it belongs to: an older question of the session ends.
    pub session: Option<Session>,
}

impl AnalysisRequest {
    /// The most memory that one takes while it waits: the positions since the last move that cannot
    /// be reversed (the rules end a game before there are more), in lists that have grown by
    /// doubling, and as much again as the rest of the request's way takes at most.
    pub(super) const MAX_BYTES: usize = (MAX_HALFMOVE_CLOCK as usize).next_power_of_two()
        * (size_of::<Position>() + 32)
        + (16 << 10);

    /// The same question with the least history that it needs: the positions that can still come
    /// back. So a request that waits holds little, however long its game was.
    pub(super) fn trim_history(mut self) -> AnalysisRequest {
        self.game = reversible_tail(&self.game);
        self
    }
}

/// The current position of a game behind those that can still come back, and behind nothing else.
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
    use crate::analysis::tests::{depth, game_of, request};

    #[test]
    fn only_positions_that_can_recur_are_kept() {
        let game = game_of("e2e4 e7e5 g1f3 b8c6 f3g1 c6b8 g1f3 b8c6");
        let trimmed = request(game.clone(), depth(1)).trim_history().game;
        assert_eq!(trimmed.position(), game.position());
        assert_eq!(trimmed.moves(), &game.moves()[2..]);
        assert_eq!(trimmed.reversible_key_counts(), game.reversible_key_counts());
        assert_eq!(trimmed.occurrences(), game.occurrences());
    }

    #[test]
    fn a_pawn_move_clears_the_history() {
        let trimmed = request(game_of("g1f3 b8c6 e2e4"), depth(1)).trim_history().game;
        assert!(trimmed.moves().is_empty());
        assert_eq!(trimmed.position(), game_of("g1f3 b8c6 e2e4").position());
    }
}
