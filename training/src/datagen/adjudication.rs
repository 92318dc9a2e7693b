//! The adjudication of games: by the rules, or by the scores of both sides.

use kibitzer::chess::{Color, Game, Outcome};
use kibitzer::engine::RawScore;
use viriformat::dataformat::WDL;

/// Adjudicates a game that is decided or drawish.
#[derive(Clone, Debug, Default)]
pub struct Adjudication {
    /// Consecutive scores beyond [`WIN_SCORE`] for the same side.
    win_plies: u32,
    winner: Option<Color>,
    /// Consecutive scores within [`DRAW_SCORE`].
    draw_plies: u32,
}

/// A side wins after [`WIN_PLIES`] consecutive scores beyond this, in linear centipawns.
const WIN_SCORE: i32 = 1_000;
const WIN_PLIES: u32 = 5;

/// A game is drawn after [`DRAW_PLIES`] consecutive scores within this, in linear centipawns, from
/// ply [`DRAW_MIN_PLY`] on.
const DRAW_SCORE: i32 = 8;
const DRAW_PLIES: u32 = 12;
const DRAW_MIN_PLY: usize = 80;

/// A game of this many plies is drawn.
const MAX_PLIES: usize = 400;

impl Adjudication {
    /// The result by the rules, before the next move. A claimable draw counts as claimed.
    pub fn by_rule(game: &Game) -> Option<WDL> {
        match game.outcome() {
            Outcome::Checkmate { winner } => Some(win(winner)),
            Outcome::Stalemate | Outcome::Draw(_) => Some(WDL::Draw),
            Outcome::Ongoing => (!game.claims().is_empty()).then_some(WDL::Draw),
        }
    }

    /// The result after the score of the next position, from the view of its side to move.
    pub fn by_score(&mut self, game: &Game, score: RawScore) -> Option<WDL> {
        let turn = game.position().turn();
        let (leader, lead) = match score {
            RawScore::Cp(value) => (if value >= 0 { turn } else { !turn }, value.saturating_abs()),
            RawScore::Mate(moves) => (if moves > 0 { turn } else { !turn }, i32::MAX),
        };
        self.win_plies = match () {
            () if lead < WIN_SCORE => 0,
            () if self.winner == Some(leader) => self.win_plies + 1,
            () => 1,
        };
        self.winner = Some(leader);
        self.draw_plies = if lead <= DRAW_SCORE { self.draw_plies + 1 } else { 0 };
        if self.win_plies >= WIN_PLIES {
            Some(win(leader))
        } else if (self.draw_plies >= DRAW_PLIES && game.moves().len() >= DRAW_MIN_PLY)
            || game.moves().len() >= MAX_PLIES
        {
            Some(WDL::Draw)
        } else {
            None
        }
    }
}

fn win(winner: Color) -> WDL {
    if winner.is_white() { WDL::Win } else { WDL::Loss }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitzer::chess::{Position, parse_move};

    /// Shuffles knights and gives each position the next score. Returns the number of scores used.
    fn ended_after(scores: impl IntoIterator<Item = RawScore>) -> (usize, Option<WDL>) {
        let mut game = Game::new(Position::startpos());
        let mut adjudication = Adjudication::default();
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for (ply, score) in scores.into_iter().enumerate() {
            if let Some(result) = adjudication.by_score(&game, score) {
                return (ply + 1, Some(result));
            }
            game.play(parse_move(game.position(), shuffle[ply % 4]).unwrap());
        }
        (0, None)
    }

    #[test]
    fn five_scores_in_a_row_for_one_side_win() {
        let both_sides_agree = |n: i32| RawScore::Cp(if n % 2 == 0 { 1_200 } else { -1_200 });
        assert_eq!(ended_after((0..9).map(both_sides_agree)), (5, Some(WDL::Win)));
        let mate = |n: i32| RawScore::Mate(if n % 2 == 0 { -3 } else { 3 });
        assert_eq!(ended_after((0..9).map(mate)), (5, Some(WDL::Loss)));
    }

    #[test]
    fn a_score_that_falls_or_changes_sides_restarts_the_count() {
        let each_side_claims_a_win = (0..30).map(|_| RawScore::Cp(1_200));
        assert_eq!(ended_after(each_side_claims_a_win), (0, None));
        let with_interruptions = (0..30).map(|n| {
            RawScore::Cp(if n % 4 == 3 {
                0
            } else if n % 2 == 0 {
                1_200
            } else {
                -1_200
            })
        });
        assert_eq!(ended_after(with_interruptions), (0, None));
    }

    #[test]
    fn a_late_level_game_and_an_overlong_game_are_drawn() {
        assert_eq!(ended_after((0..200).map(|_| RawScore::Cp(0))), (81, Some(WDL::Draw)));
        assert_eq!(ended_after((0..500).map(|_| RawScore::Cp(90))), (401, Some(WDL::Draw)));
    }

    #[test]
    fn a_claimable_draw_ends_the_game() {
        let mut game = Game::new(Position::startpos());
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"] {
            assert_eq!(Adjudication::by_rule(&game), None);
            game.play(parse_move(game.position(), text).unwrap());
        }
        assert_eq!(Adjudication::by_rule(&game), Some(WDL::Draw));
    }
}
