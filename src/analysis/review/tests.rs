//! Tests of reviews and annotations.

use super::win_chance::{move_accuracy, player_accuracy, volatility_weights};
use super::*;
use crate::chess::pgn::{PgnGame, PgnReader, write};
use crate::chess::{Color, Game, Move, Position, parse_move};
use crate::engine::Score::{Cp, Mate};
use crate::engine::{Score, WdlModel};
use crate::store::jobs::PositionEval;

fn moves(texts: &str) -> Vec<Move> {
    let mut game = Game::new(Position::startpos());
    texts.split_whitespace().for_each(|text| game.play(parse_move(game.position(), text).unwrap()));
    game.moves().to_vec()
}

/// The review of 1. e4 when 1. d4 was best. Each score is from the view of the side to move.
fn review(before: Score, after: Score) -> MoveReview {
    MoveReview::new(1, moves("e4")[0], &PositionEval { score: before, pv: moves("d4 d5") }, after)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn win_chances_match_lichess() {
    // 50 + 50 · (2 / (1 + exp(−0.00368208 · cp)) − 1), by hand.
    for (score, percent) in [
        (Cp(0), 50.0),
        (Cp(100), 59.102_597),
        (Cp(-100), 40.897_403),
        (Cp(300), 75.112_550),
        (Cp(1000), 97.544_741),
        (Cp(5000), 97.544_741),
        (Mate(9), 97.544_741),
        (Mate(-1), 2.455_259),
        (Mate(0), 2.455_259),
    ] {
        let chance = WinChance::of(score).percent();
        assert!((chance - percent).abs() < 1e-4, "{score:?}: {chance}");
    }
}

#[test]
fn the_win_chances_of_a_move_are_from_the_movers_view() {
    let blunder = review(Cp(100), Cp(200));
    assert!(close(blunder.win_chance_before().percent(), WinChance::of(Cp(100)).percent()));
    assert!(close(blunder.win_chance_after().percent(), WinChance::of(Cp(-200)).percent()));
    let loss = blunder.win_chance_before().percent() - blunder.win_chance_after().percent();
    assert!(close(blunder.assessment.win_chance_loss, loss));
    let checkmate = review(Cp(0), Mate(0));
    assert!(close(checkmate.win_chance_after().percent(), WinChance::of(Mate(1)).percent()));
}

#[test]
fn a_hundred_centipawns_win_half_of_the_games_at_any_material() {
    // The formulas expect this unit. If it changes, check them again.
    for material in [WdlModel::MIN_MATERIAL, 30, 50, WdlModel::FULL_MATERIAL] {
        let model = WdlModel::for_material(material);
        let half = (1..1000).find(|&linear| model.wdl(f64::from(linear)).win >= 500).unwrap();
        assert!((model.centipawns(f64::from(half)) - 100).abs() <= 2, "material {material}");
    }
}

#[test]
fn thresholds_are_5_10_and_15_percent() {
    let judged = |after| review(Cp(0), Cp(after)).assessment.judgement;
    // From a score of 0 the thresholds are 54.5, 110.1 and 168.2 centipawns.
    assert_eq!(judged(54), None);
    assert_eq!(judged(55), Some(Judgement::Inaccuracy));
    assert_eq!(judged(110), Some(Judgement::Inaccuracy));
    assert_eq!(judged(111), Some(Judgement::Mistake));
    assert_eq!(judged(168), Some(Judgement::Mistake));
    assert_eq!(judged(169), Some(Judgement::Blunder));
    assert_eq!(judged(-500), None, "a gain is not judged");
    assert_eq!(
        review(Cp(900), Cp(-600)).assessment.judgement,
        Some(Judgement::Inaccuracy),
        "a move that keeps a won game won is at most an inaccuracy"
    );
}

#[test]
fn a_lost_or_allowed_mate_is_judged_by_the_score_without_it() {
    for (before, after, judgement) in [
        (Cp(0), Mate(3), Some(Judgement::Blunder)),
        (Cp(-701), Mate(3), Some(Judgement::Mistake)),
        (Cp(-1000), Mate(3), Some(Judgement::Inaccuracy)),
        (Mate(2), Cp(0), Some(Judgement::Blunder)),
        (Mate(2), Cp(-701), Some(Judgement::Mistake)),
        (Mate(2), Cp(-1000), Some(Judgement::Inaccuracy)),
        (Mate(2), Mate(5), Some(Judgement::Blunder)),
        (Mate(2), Mate(-7), None),
        (Mate(1), Mate(0), None),
        (Mate(-3), Mate(1), None),
        (Mate(-3), Cp(0), None),
        (Cp(0), Mate(0), None),
    ] {
        assert_eq!(review(before, after).assessment.judgement, judgement, "{before:?} {after:?}");
    }
}

#[test]
fn the_loss_of_a_move_is_never_negative() {
    let losing = review(Cp(100), Cp(100));
    assert!(close(
        losing.assessment.win_chance_loss,
        2.0 * (WinChance::of(Cp(100)).percent() - 50.0)
    ));
    assert_eq!(losing.assessment.centipawn_loss, 200);
    assert_eq!(losing.best_move(), Some(moves("d4")[0]));
    let gaining = review(Cp(100), Cp(-150));
    assert_eq!(
        (
            gaining.assessment.win_chance_loss,
            gaining.assessment.centipawn_loss,
            gaining.assessment.accuracy
        ),
        (0.0, 0, 100.0)
    );
    assert_eq!(review(Mate(4), Mate(1)).assessment.centipawn_loss, 2000);
    assert_eq!(
        review(Mate(1), Mate(0)).assessment.centipawn_loss,
        0,
        "delivering checkmate does not lose a mate"
    );
    assert_eq!(review(Cp(i32::MAX), Cp(i32::MIN)).assessment.centipawn_loss, 0);
}

#[test]
fn the_best_move_loses_nothing() {
    let before = PositionEval { score: Cp(50), pv: moves("e4 e5") };
    let review = MoveReview::new(1, moves("e4")[0], &before, Cp(300));
    assert_eq!(
        (
            review.assessment.win_chance_loss,
            review.assessment.judgement,
            review.assessment.accuracy
        ),
        (0.0, None, 100.0)
    );
}

#[test]
fn a_move_is_assessed_from_the_movers_view_as_in_a_review() {
    let scores = [Cp(0), Cp(120), Cp(-800), Cp(1_500), Mate(2), Mate(-3)];
    for before in scores {
        for after in scores.into_iter().chain([Mate(0)]) {
            let reviewed = review(before, after.flip()).assessment;
            assert_eq!(MoveAssessment::new(before, after, false), reviewed, "{before:?} {after:?}");
        }
    }
    let best = MoveAssessment::new(Cp(50), Cp(i32::MIN), true);
    assert_eq!((best.win_chance_loss, best.judgement, best.accuracy), (0.0, None, 100.0));
    assert_eq!(MoveAssessment::new(Cp(0), Cp(i32::MIN), false).centipawn_loss, 1_000);
}

#[test]
fn accuracy_falls_with_the_loss() {
    assert_eq!(move_accuracy(0.0), 100.0);
    assert!(close(
        move_accuracy(10.0),
        103.166_810_071_164_9 * (-0.435_441_538_675_395_1_f64).exp() - 2.166_924_740_191_411
    ));
    assert_eq!(move_accuracy(100.0), 0.0);
    assert!((1..200).all(
        |loss| move_accuracy(f64::from(loss) / 2.0) <= move_accuracy(f64::from(loss - 1) / 2.0)
    ));
}

#[test]
fn weights_are_the_volatility_around_each_move() {
    assert!(volatility_weights(&[]).is_empty() && volatility_weights(&[50.0]).is_empty());
    assert_eq!(
        volatility_weights(&[50.0, 50.0, 60.0, 0.0]),
        [0.5, 5.0, 12.0],
        "each window has two positions, and the weights are clamped"
    );
    // 40 moves have windows of four positions; the first window counts for the first three moves.
    let chances: Vec<f64> =
        (0..41).map(|n| if n < 4 { 10.0 * f64::from(n % 2) } else { 50.0 }).collect();
    let weights = volatility_weights(&chances);
    assert_eq!(weights.len(), 40);
    assert_eq!(weights[..3], [5.0, 5.0, 5.0]);
    assert_eq!(weights[6..], [0.5; 34]);
}

#[test]
fn player_accuracy_is_the_mean_of_the_weighted_and_harmonic_means() {
    assert_eq!(player_accuracy(&[]), None);
    assert!(close(
        player_accuracy(&[(100.0, 1.0), (50.0, 3.0)]).unwrap(),
        (62.5 + 2.0 / 0.03) / 2.0
    ));
    assert!(
        close(player_accuracy(&[(0.0, 1.0)]).unwrap(), 0.5),
        "the harmonic mean uses accuracies of at least 1"
    );
}

/// A game of four half-moves in which Black blunders with the second move.
fn reviewed() -> (PgnGame, GameReview) {
    let text = "1. e4 {[%eval 9.99] [%clk 0:01:00]} e5 2. Nf3 $1 Nf6 $5 {oh} (2... d6) *";
    let game = PgnReader::new(text).next().unwrap().unwrap();
    let played = moves("e4 e5 Nf3 Nf6");
    let scores = [Cp(30), Cp(-30), Cp(30), Cp(-30), Cp(350)];
    let best = ["e4 e5", "e4 e5", "e4 e5 Nf3 Nc6", "e4 e5 Nf3 Nc6"].map(moves);
    let mut reviews = Vec::new();
    for (ply, mv) in played.into_iter().enumerate() {
        let before = PositionEval { score: scores[ply], pv: best[ply][ply..].to_vec() };
        reviews.push(MoveReview::new(ply + 1, mv, &before, scores[ply + 1]));
    }
    (game, GameReview::new(Color::White, reviews))
}

#[test]
fn each_player_is_reviewed_by_their_own_moves() {
    let (_, review) = reviewed();
    assert_eq!(
        (review.white.accuracy, review.white.average_centipawn_loss),
        (Some(100.0), Some(0.0))
    );
    assert_eq!(review.black.average_centipawn_loss, Some(160.0));
    assert_eq!(
        (review.black.inaccuracies, review.black.mistakes, review.black.blunders),
        (0, 0, 1)
    );
    let loss = review.moves[3].assessment.win_chance_loss;
    let volatility = (loss / 2.0).clamp(0.5, 12.0);
    let expected = player_accuracy(&[(100.0, 0.5), (move_accuracy(loss), volatility)]).unwrap();
    assert!(close(review.player(Color::Black).accuracy.unwrap(), expected));
}

#[test]
fn black_may_move_first() {
    let single_move = GameReview::new(Color::Black, vec![review(Cp(0), Cp(300))]);
    assert_eq!(single_move.white, PlayerReview::default());
    assert_eq!(single_move.black.blunders, 1);
    assert_eq!(GameReview::new(Color::White, Vec::new()).white, PlayerReview::default());
}

#[test]
fn a_game_is_annotated_with_evaluations_glyphs_and_best_lines() {
    let (game, review) = reviewed();
    let annotated = annotate(&game, &review);
    let text = write(&annotated);
    let body = text.split_once("\n\n").map(|(_, body)| body.replace('\n', " "));
    assert_eq!(
        body.as_deref(),
        Some(
            "1. e4 { [%eval 0.30] [%clk 0:01:00] } 1... e5 { [%eval 0.30] } \
             2. Nf3 $1 { [%eval 0.30] } 2... Nf6 $4 { [%eval 3.50] oh } (2... d6) (2... Nc6) * "
        )
    );
    assert_eq!(annotate(&annotated, &review), annotated);
    assert_eq!(PgnReader::new(&text).next().unwrap().unwrap().line, annotated.line);
}

#[test]
fn evaluations_are_from_whites_view_and_checkmate_has_none() {
    let game = PgnReader::new("1. f3 e5 2. g4 Qh4# 0-1").next().unwrap().unwrap();
    let scores = [Cp(0), Cp(60), Mate(-1), Mate(1), Mate(0)];
    let played: Vec<Move> = game.line.moves.iter().map(|mv| mv.mv()).collect();
    let reviews = played.iter().enumerate().map(|(ply, &mv)| {
        MoveReview::new(
            ply + 1,
            mv,
            &PositionEval { score: scores[ply], pv: vec![mv] },
            scores[ply + 1],
        )
    });
    let annotated = annotate(&game, &GameReview::new(Color::White, reviews.collect()));
    let comments: Vec<&str> = annotated.line.moves.iter().map(|mv| mv.comment()).collect();
    assert_eq!(comments, ["[%eval -0.60]", "[%eval #-1]", "[%eval #-1]", ""]);
}
