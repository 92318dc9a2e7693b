use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Parser;
use kibitzer::chess::Position;
use kibitzer::engine::WdlModel as EngineModel;
use kibitzer_trainer::commands::wdl::Wdl;
use kibitzer_trainer::games::visit;
use kibitzer_trainer::reliability::{Calibration, PredictedResult};
use kibitzer_trainer::sample::GameResult;
use kibitzer_trainer::selection::is_held_out;
use kibitzer_trainer::tally::{Tally, folds};
use kibitzer_trainer::wdl_fit::{FitRange, fit};
use kibitzer_trainer::wdl_model::{FULL_MATERIAL, WdlModel, material};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::Move;
use viriformat::chess::piece::Colour;
use viriformat::dataformat::Game;

use crate::fixtures::{bytes, empty_folder, games};

const RANGE: FitRange = FitRange { fit_to: 400, least_material: 10 };

/// A model with coefficients typical of real games.
fn known_model() -> WdlModel {
    WdlModel {
        least_material: 10,
        half: [340.0, -980.0, 1340.0, -630.0],
        spread: [35.0, 100.0, -105.0, 50.0],
    }
}

/// Games of one move from positions of random play. Each has a random score and a result drawn from
/// the model's probabilities.
fn sampled_games(count: usize, model: &WdlModel) -> Vec<Game> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut games = Vec::with_capacity(count);
    let mut board = Board::default();
    while games.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() || board.fifty_move_counter() > 40 {
            board = Board::default();
            continue;
        }
        let mv = moves[random.random_range(0..moves.len())];
        games.push(sampled_game(&board, mv, &mut random, model));
        board.make_move_simple(mv);
    }
    games
}

/// A game of one move from a position.
fn sampled_game(board: &Board, mv: Move, random: &mut ChaCha8Rng, model: &WdlModel) -> Game {
    let score: i16 = random.random_range(-600..=600);
    let chances = model.at(material(board)).chances(f64::from(score));
    let drawn: f64 = random.random();
    let white = board.turn() == Colour::White;
    let outcome = match drawn {
        _ if drawn < chances.draw => GameOutcome::Draw(DrawType::Adjudication),
        _ if (drawn < chances.draw + chances.win) == white => {
            GameOutcome::WhiteWin(WinType::Adjudication)
        }
        _ => GameOutcome::BlackWin(WinType::Adjudication),
    };
    let mut game = Game::new(board);
    game.add_move(mv, if white { score } else { -score });
    game.set_outcome(outcome);
    game
}

/// Writes these games to a file in a folder of that name.
fn file(name: &str, games: &[Game]) -> PathBuf {
    let path = empty_folder(name).join("known.vf");
    std::fs::write(&path, bytes(games)).expect("a data file");
    path
}

/// The calibration of models on held-out folds.
fn held_out_calibration(folds: &[Tally]) -> Calibration {
    let mut calibration = Calibration::default();
    for (index, fold) in folds.iter().enumerate() {
        let others: Vec<&Tally> =
            folds.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, other)| other).collect();
        calibration.add(&fit(&others, &RANGE).expect("a model"), fold);
    }
    calibration
}

#[test]
fn the_fit_recovers_the_model_that_generated_the_games() {
    let folds =
        folds(&[file("known-model", &sampled_games(40_000, &known_model()))], 5).expect("games");
    let all: Vec<&Tally> = folds.iter().collect();
    assert_eq!(all.iter().map(|tally| tally.positions()).sum::<u64>(), 40_000);
    let found = fit(&all, &RANGE).expect("a model");
    for material in (14..=FULL_MATERIAL).step_by(8) {
        let (found, known) = (found.at(material), known_model().at(material));
        assert!(
            (found.half / known.half - 1.0).abs() < 0.08,
            "{material}: {found:?} for {known:?}"
        );
        assert!(
            (found.spread / known.spread - 1.0).abs() < 0.08,
            "{material}: {found:?} for {known:?}"
        );
    }
    let (greatest, mean) = held_out_calibration(&folds).errors(1000);
    assert!(greatest < 0.05 && mean < 0.01, "{greatest} {mean}");
}

#[test]
fn a_wrong_model_has_a_large_calibration_error() {
    let folds =
        folds(&[file("another-model", &sampled_games(10_000, &known_model()))], 2).expect("games");
    let mut calibration = Calibration::default();
    calibration.add(&WdlModel::constant(10, 30.0, 60.0), &folds[0]);
    assert!(calibration.errors(200).0 > 0.1, "{:?}", calibration.errors(200));
    let overconfident = calibration.bins(PredictedResult::Win)[6];
    assert!(overconfident.predicted() > overconfident.observed() + 0.05, "{overconfident:?}");
}

/// The output of the command with these arguments, separated by blanks.
fn run_wdl(path: &Path, arguments: &str) -> Result<String, String> {
    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        wdl: Wdl,
    }
    let arguments = ["wdl", "--data"]
        .into_iter()
        .map(OsStr::new)
        .chain([path.as_os_str()])
        .chain(arguments.split(' ').map(OsStr::new));
    let Arguments { wdl } =
        Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    wdl.execute(&mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).expect("text"))
}

#[test]
fn a_given_model_is_evaluated_on_all_games() {
    let path = file("given-model", &sampled_games(20_000, &known_model()));
    let greatest_error = |arguments: &str| -> f64 {
        let text =
            run_wdl(&path, &format!("{arguments} --least-positions 1000")).expect("a calibration");
        assert!(
            text.starts_with("20000 games, 20000 positions") && text.contains("given model: "),
            "{text}"
        );
        let line = text.lines().last().expect("a line");
        let figure =
            line.split_once(" at most ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        figure.unwrap_or_else(|| panic!("no figure in {line}"))
    };
    let own = greatest_error("--half 340 -980 1340 -630 --spread 35 100 -105 50");
    let foreign = greatest_error("--half 30 0 0 0 --spread 60 0 0 0");
    assert!(own < 4.0 && foreign > 10.0, "{own} {foreign}");
    // A curve may not fall with the score.
    let unsound = run_wdl(&path, "--half 340 -980 1340 -630 --spread -35 0 0 0")
        .expect_err("a negative spread");
    assert!(unsound.starts_with("--half, --spread: "), "{unsound}");
    for (arguments, missing) in [
        ("--half 1 2 3 4", "--spread"),
        ("--half 1 2 3 --spread 1 2 3 4", "4 values required"),
        ("--half 1 2 3 4 --spread 1 2 3 4 --fit-to 300", "--fit-to"),
    ] {
        let error = run_wdl(&path, arguments).expect_err(arguments);
        assert!(error.contains(missing), "{arguments}: {error}");
    }
}

#[test]
fn a_win_of_one_side_is_a_loss_of_the_other() {
    for material in 0..=FULL_MATERIAL {
        let curve = known_model().at(material);
        for score in (-3000..=3000).step_by(30).map(f64::from) {
            let (own, other) = (curve.chances(score), curve.chances(-score));
            assert!((own.win - other.loss).abs() < 1e-12 && (own.draw - other.draw).abs() < 1e-12);
            assert!(
                (own.win + own.draw + own.loss - 1.0).abs() < 1e-12 && own.draw > 0.0,
                "{own:?} at {score}"
            );
        }
        assert!(
            (curve.chances(curve.half).of(GameResult::Win).expect("a result") - 0.5).abs() < 1e-12
        );
    }
}

#[test]
fn a_fit_without_wins_draws_or_losses_is_refused() {
    let always_drawn = WdlModel::constant(10, 1e6, 1.0);
    let path = file("no-wins", &sampled_games(20, &always_drawn));
    let folds = folds(&[path], 2).expect("games");
    let error = fit(&[&folds[0], &folds[1]], &RANGE).expect_err("no wins");
    assert!(error.to_string().contains("and 0 losses; the fit needs"), "{error}");
}

#[test]
fn the_first_fold_has_the_games_that_training_holds_out() {
    let path = file("folds", &sampled_games(200, &known_model()));
    let folds = folds(&[path], 10).expect("games");
    let held_out = (0..200).filter(|&game| is_held_out("known.vf", game, 10)).count();
    assert_eq!(folds[0].games, held_out);
    assert_eq!(folds.iter().map(|fold| fold.games).sum::<usize>(), 200);
}

#[test]
fn positions_with_a_mate_score_are_skipped() {
    let even = sampled_games(1, &known_model()).remove(0);
    let mut mate = Game::new(&even.initial_position());
    mate.add_move(even.moves[0].0, -29_990);
    let path = file("mates", &[mate, even]);
    let folds = folds(&[path], 2).expect("games");
    assert_eq!(folds.iter().map(Tally::positions).sum::<u64>(), 1);
}

#[test]
fn the_engines_wdl_model_matches_the_trainers() {
    let fitted = WdlModel {
        least_material: EngineModel::MIN_MATERIAL as u8,
        half: EngineModel::HALF_WIN_COEFFICIENTS,
        spread: EngineModel::SPREAD_COEFFICIENTS,
    };
    assert!(fitted.is_sound());
    assert_eq!(EngineModel::FULL_MATERIAL, u32::from(FULL_MATERIAL));
    let mut positions = 0;
    for game in games(20, 13) {
        visit(&bytes(&[game]), |board, _, score, _| {
            let engine = EngineModel::for_position(
                &Position::from_fen(&board.to_string()).expect("a legal position"),
            );
            let curve = fitted.at(material(board));
            let (reported, chances) =
                (engine.wdl(f64::from(score)), curve.chances(f64::from(score)));
            for (reported, chance) in [
                (reported.win, chances.win),
                (reported.draw, chances.draw),
                (reported.loss, chances.loss),
            ] {
                assert!(
                    (f64::from(reported) - 1000.0 * chance).abs() <= 1.0,
                    "{reported} for {chance} in {board}"
                );
            }
            let centipawns = f64::from(engine.centipawns(f64::from(score)));
            assert!((centipawns - 100.0 * f64::from(score) / curve.half).abs() <= 0.5, "{board}");
            positions += 1;
        })
        .expect("a whole game");
    }
    assert!(positions > 500, "{positions}");
}
