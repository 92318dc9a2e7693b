//! A review in the game's own text.

use super::{GameReview, MoveReview};
use crate::chess::Color;
use crate::chess::pgn::{Line, PgnEval, PgnGame, PgnMove, without_command};
use crate::engine::Score;

/// So many half-moves of a best line are given as a variation.
pub const MAX_VARIATION_PLIES: usize = 12;

/// The game with what its review says: `[%eval …]` from White's view in front of each comment, in
/// place of one that is there; of a judged move the glyph, in place of other assessments of the
/// move, and the best line as a variation. All else stays as it is; annotated again by the same
/// review the game stays the same.
pub fn annotate(game: &PgnGame, review: &GameReview) -> PgnGame {
    let mut annotated = game.clone();
    let mut mover = game.start.turn();
    for (mv, review) in annotated.line.moves.iter_mut().zip(&review.moves) {
        annotate_move(mv, review, mover);
        mover = !mover;
    }
    annotated
}

fn annotate_move(mv: &mut PgnMove, review: &MoveReview, mover: Color) {
    let comment = without_command(mv.comment(), "eval");
    match white_eval(review.score_after, !mover) {
        Some(eval) => mv.set_comment(&format!("[%eval {}] {comment}", eval.to_text())),
        None => mv.set_comment(&comment),
    }
    if let Some(judgement) = review.judgement {
        // 1 to 6 are the assessments of a move, of which one has one.
        mv.retain_nags(|nag| !(1..=6).contains(&nag));
        mv.add_nag(judgement.nag());
        let best =
            Line::from_moves(&review.best_line[..review.best_line.len().min(MAX_VARIATION_PLIES)]);
        if !mv.variations().contains(&best) {
            mv.add_variation(best);
        }
    }
}

/// A score from White's view; nothing where the mate stands on the board.
fn white_eval(score: Score, to_move: Color) -> Option<PgnEval> {
    let score = if to_move.is_white() { score } else { score.flip() };
    match score {
        Score::Mate(0) => None,
        Score::Mate(moves) => Some(PgnEval::Mate(moves)),
        Score::Cp(value) => Some(PgnEval::Cp(value)),
    }
}
