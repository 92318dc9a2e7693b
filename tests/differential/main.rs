//! Differential test against shakmaty: both play the same random games and must agree on every
//! position.
//!
//! The test compares 5,000 positions, or 200,000 when `KIBITZER_FULL` is set. A third of the games
//! are Chess960. The seed is fixed, and a failing game is shrunk to its shortest form.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its coverage"
)]

mod compare;
mod coverage;
mod fen_variants;
#[path = "../support/full_run.rs"]
mod full_run;
mod plan;
mod reference;

use kibitzer::chess::{CastlingNotation, Game, Move, Position, to_uci};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};

use coverage::Coverage;
use plan::Plan;

const SEED: &[u8; 32] = b"kibitzer and shakmaty must agree";

#[test]
fn kibitzer_and_shakmaty_agree_on_every_position_of_random_games() {
    let full = full_run::is_full_run();
    let goal = if full { 200_000 } else { 5_000 };
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, SEED));
    let plans = plan::plans();
    let coverage = std::cell::RefCell::new(Coverage::default());
    while coverage.borrow().positions < goal {
        let tree = plans.new_tree(&mut runner).unwrap_or_else(|reason| panic!("no plan: {reason}"));
        match runner.run_one(tree, |plan| play(&plan, &mut coverage.borrow_mut())) {
            Ok(_) => {}
            Err(TestError::Fail(reason, plan)) => panic!("{reason}\nshortest game: {plan:?}"),
            Err(TestError::Abort(reason)) => panic!("{reason}"),
        }
    }
    let coverage = coverage.into_inner();
    println!("{coverage:#?}");
    coverage.assert_covers(full);
}

/// Plays a planned game to its end and compares every position.
fn play(plan: &Plan, coverage: &mut Coverage) -> Result<(), TestCaseError> {
    let fen = plan.start.fen();
    let fail = |why: String| TestCaseError::fail(format!("{why}, from {fen}"));
    let parsed: Fen =
        fen.parse().map_err(|error| fail(format!("shakmaty refuses the start: {error}")))?;
    let mut theirs: Chess = parsed
        .into_position(CastlingMode::Chess960)
        .map_err(|error| fail(format!("shakmaty refuses the start: {error}")))?;
    let start = Position::from_fen(&fen)
        .map_err(|error| fail(format!("the start is refused: {error:?}")))?;
    let mut game = Game::new(start);
    let mut history = reference::RepetitionCounts::new(&theirs);
    coverage.record_game(plan);

    for &choice in &plan.choices {
        compare::position(game.position(), &theirs, coverage)?;
        compare::game(&game, &theirs, &history, coverage)?;
        fen_variants::every_fen_gives_one_key(game.position(), &theirs)?;
        if theirs.is_game_over() || theirs.halfmoves() >= 150 {
            break;
        }
        let mv = plan.policy.choose(choice, &game);
        let uci = to_uci(game.position(), mv, CastlingNotation::Chess960);
        let their_move = theirs
            .legal_moves()
            .into_iter()
            .find(|m| m.to_uci(CastlingMode::Chess960).to_string() == uci);
        let Some(their_move) = their_move else {
            return Err(fail(format!("shakmaty has no move {uci}")));
        };
        coverage.record_move(mv, game.position());
        check_undo(&mut game, mv)?;
        game.play(mv);
        theirs.play_unchecked(their_move);
        history.push(&theirs);
    }
    Ok(())
}

/// Playing and undoing a move leaves the game unchanged.
fn check_undo(game: &mut Game, mv: Move) -> Result<(), TestCaseError> {
    let (position, plies, repetitions) =
        (game.position().clone(), game.moves().len(), game.occurrences());
    game.play(mv);
    proptest::prop_assert_eq!(game.undo(), Some(mv));
    proptest::prop_assert_eq!(game.position(), &position);
    proptest::prop_assert_eq!(game.moves().len(), plies);
    proptest::prop_assert_eq!(game.occurrences(), repetitions);
    Ok(())
}
