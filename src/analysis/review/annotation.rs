//! Annotation of a PGN game with its review.

use super::{GameReview, MoveReview};
use crate::chess::Color;
use crate::chess::pgn::{Line, PgnEval, PgnGame, PgnMove, without_command};
use crate::engine::Score;

/// Maximum length of a best line that is added as a variation, in half-moves.
pub const MAX_VARIATION_PLIES: usize = 12;

/// Returns the game with its review as annotations.
///
/// - Every comment begins with `[%eval …]` from White's view. It replaces an existing one.
/// - A judged move gets the glyph, which replaces other assessments of the move, and the best line
///   as a variation.
///
/// Everything else stays unchanged. A second annotation with the same review changes nothing.
pub fn annotate(game: &PgnGame, review: &GameReview) -> PgnGame {
    let mut annotated = game.clone();
    let mut mover = game.start.turn();
    for (mv, move_review) in annotated.line.moves.iter_mut().zip(&review.moves) {
        annotate_move(mv, move_review, mover);
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
    if let Some(judgement) = review.assessment.judgement {
        // NAGs 1 to 6 assess the move, and a move has at most one assessment.
        mv.retain_nags(|nag| !(1..=6).contains(&nag));
        mv.add_nag(judgement.nag());
        let best =
            Line::from_moves(&review.best_line[..review.best_line.len().min(MAX_VARIATION_PLIES)]);
        if !mv.variations().contains(&best) {
            mv.add_variation(best);
        }
    }
}

/// The score from White's view; `None` after checkmate.
fn white_eval(score: Score, to_move: Color) -> Option<PgnEval> {
    let score = if to_move.is_white() { score } else { score.flip() };
    match score {
        Score::Mate(0) => None,
        Score::Mate(moves) => Some(PgnEval::Mate(moves)),
        Score::Cp(value) => Some(PgnEval::Cp(value)),
    }
}
