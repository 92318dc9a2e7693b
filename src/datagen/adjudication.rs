//! When a game is over, by the rules or by common sense.

use crate::chess::{Color, Game, Outcome};
use crate::engine::LinearScore;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// One side has won.
    Won(Color),
    /// Nobody has.
    Drawn,
}

/// Ends games that go nowhere.
#[derive(Clone, Debug, Default)]
pub struct Adjudication {
    /// Scores in a row beyond [`WON`] for the same side.
    won: u32,
    winner: Option<Color>,
    /// Scores in a row within [`LEVEL`].
    level: u32,
}

/// Linear centipawns that win when so many scores in a row, of both sides, go beyond them.
const WON: i32 = 1_000;
const WON_PLIES: u32 = 5;

/// Linear centipawns within which a late game is a draw when so many scores in a row stay within
/// them.
const LEVEL: i32 = 8;
const LEVEL_PLIES: u32 = 12;
const LEVEL_FROM: usize = 80;

/// A game of so many plies is a draw.
const LONGEST: usize = 400;

impl Adjudication {
    /// Looks at the game before the next move: the end that the rules give it; a draw that could be
    /// claimed is claimed.
    pub fn by_rule(game: &Game) -> Option<Ending> {
        match game.outcome() {
            Outcome::Checkmate { winner } => Some(Ending::Won(winner)),
            Outcome::Stalemate | Outcome::Draw(_) => Some(Ending::Drawn),
            Outcome::Ongoing => (!game.claims().is_empty()).then_some(Ending::Drawn),
        }
    }

    /// Takes the score of the next position, from the view of its side to move.
    pub fn by_score(&mut self, game: &Game, score: LinearScore) -> Option<Ending> {
        let turn = game.position().turn();
        let (leader, lead) = match score {
            LinearScore::Cp(value) => {
                (if value >= 0 { turn } else { !turn }, value.saturating_abs())
            }
            LinearScore::Mate(moves) => (if moves > 0 { turn } else { !turn }, i32::MAX),
        };
        self.won = match () {
            () if lead < WON => 0,
            () if self.winner == Some(leader) => self.won + 1,
            () => 1,
        };
        self.winner = Some(leader);
        self.level = if lead <= LEVEL { self.level + 1 } else { 0 };
        if self.won >= WON_PLIES {
            Some(Ending::Won(leader))
        } else if (self.level >= LEVEL_PLIES && game.moves().len() >= LEVEL_FROM)
            || game.moves().len() >= LONGEST
        {
            Some(Ending::Drawn)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Position, read_move};

    /// Plays on with knights, and gives each position the next score.
    fn ended_after(scores: impl IntoIterator<Item = LinearScore>) -> (usize, Option<Ending>) {
        let mut game = Game::new(Position::startpos());
        let mut adjudication = Adjudication::default();
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for (ply, score) in scores.into_iter().enumerate() {
            if let Some(ending) = adjudication.by_score(&game, score) {
                return (ply + 1, Some(ending));
            }
            game.play(read_move(game.position(), shuffle[ply % 4]).unwrap());
        }
        (0, None)
    }

    #[test]
    fn five_scores_in_a_row_for_one_side_win() {
        let both = |n: i32| LinearScore::Cp(if n % 2 == 0 { 1_200 } else { -1_200 });
        assert_eq!(ended_after((0..9).map(both)), (5, Some(Ending::Won(Color::White))));
        let mate = |n: i32| LinearScore::Mate(if n % 2 == 0 { -3 } else { 3 });
        assert_eq!(ended_after((0..9).map(mate)), (5, Some(Ending::Won(Color::Black))));
    }

    #[test]
    fn a_score_that_falls_or_changes_sides_begins_anew() {
        let each_thinks_it_wins = (0..30).map(|_| LinearScore::Cp(1_200));
        assert_eq!(ended_after(each_thinks_it_wins), (0, None));
        let now_and_then = (0..30).map(|n| {
            LinearScore::Cp(if n % 4 == 3 {
                0
            } else if n % 2 == 0 {
                1_200
            } else {
                -1_200
            })
        });
        assert_eq!(ended_after(now_and_then), (0, None));
    }

    #[test]
    fn a_late_game_that_stays_level_is_drawn_and_so_is_an_endless_one() {
        assert_eq!(ended_after((0..200).map(|_| LinearScore::Cp(0))), (81, Some(Ending::Drawn)));
        assert_eq!(ended_after((0..500).map(|_| LinearScore::Cp(90))), (401, Some(Ending::Drawn)));
    }

    #[test]
    fn a_draw_that_could_be_claimed_is_one() {
        let mut game = Game::new(Position::startpos());
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"] {
            assert_eq!(Adjudication::by_rule(&game), None);
            game.play(read_move(game.position(), text).unwrap());
        }
        assert_eq!(Adjudication::by_rule(&game), Some(Ending::Drawn));
    }
}
