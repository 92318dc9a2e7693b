//! Mates of the tactics suite, found by the normal search and proved by the mate search.

#[path = "support/suites.rs"]
mod suites;

use std::process::ExitCode;
use std::time::Duration;

use kibitzer::chess::{Game, Position};
use kibitzer::engine::{Engine, Limits, Report, Score, StopFlag, StopReason};
use suites::Suite;

fn main() -> ExitCode {
    let suites = vec![
        Suite {
            name: "every_mate_is_proved_at_its_listed_distance_within_half_a_second",
            file: "tactics/mates.epd",
            check: every_mate_is_proved,
        },
        Suite {
            name: "a_million_nodes_find_every_mate_in_one_and_95_percent_of_all_mates",
            file: "tactics/mates.epd",
            check: nearly_every_mate_is_found,
        },
        Suite {
            name: "no_mate_is_reported_one_move_below_the_listed_distance",
            file: "tactics/mates.epd",
            check: no_mate_is_reported_too_short,
        },
    ];
    suites::run(suites, Vec::new())
}

/// A position with a mate in `distance` moves.
struct Puzzle<'a> {
    fen: &'a str,
    game: Game,
    distance: u8,
}

/// The puzzles of a file. A line has the form `<four fields> bm …; ce +M<distance>; pv …;`.
fn puzzles(text: &str) -> Result<Vec<Puzzle<'_>>, String> {
    let puzzles = text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let read = || {
            let (fen, operations) = line.split_once(" bm ")?;
            let (_, distance) = operations.split_once("ce +M")?;
            let distance = distance.split(';').next()?.trim().parse().ok()?;
            let position = Position::from_fen(fen).ok()?;
            Some(Puzzle { fen, game: Game::new(position), distance })
        };
        read().ok_or_else(|| format!("not a puzzle: {line}"))
    });
    puzzles.collect()
}

fn analyse(engine: &Engine, puzzle: &Puzzle<'_>, limits: Limits) -> Report {
    engine.clear_tt();
    engine.analyse(&puzzle.game, &limits, &StopFlag::default(), &mut |_| ())
}

/// Checks that the line is legal and ends in the mate of the score.
fn check_line(puzzle: &Puzzle<'_>, report: &Report) -> Result<(), String> {
    let error = |what: &str| Err(format!("{}: {what} in {report:?}", puzzle.fen));
    let mut position = puzzle.game.position().clone();
    for &mv in &report.pv {
        if !position.is_legal(mv) {
            return error("illegal move");
        }
        position.play(mv);
    }
    match report.score {
        Score::Mate(moves) => {
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            let mated = position.in_check() && !position.has_moves();
            if mated && report.pv.len() as i32 == plies {
                Ok(())
            } else {
                error("the line does not end in the mate")
            }
        }
        Score::Cp(_) => Ok(()),
    }
}

fn every_mate_is_proved(text: &str) -> Result<(), String> {
    let puzzles = puzzles(text)?;
    let engine = Engine::new(16);
    for puzzle in &puzzles {
        for mate_limit in [puzzle.distance, puzzle.distance + 1] {
            let report =
                analyse(&engine, puzzle, Limits { mate: Some(mate_limit), ..Limits::default() });
            check_line(puzzle, &report)?;
            let proved = report.score == Score::Mate(i32::from(puzzle.distance))
                && report.reason == StopReason::Mate;
            if !proved || report.elapsed > Duration::from_millis(500) {
                return Err(format!(
                    "{}: limit mate {mate_limit}, expected mate in {}, {report:?}",
                    puzzle.fen, puzzle.distance
                ));
            }
        }
    }
    if puzzles.len() < 464 {
        Err(format!("the file has only {} mates", puzzles.len()))
    } else {
        Ok(())
    }
}

fn nearly_every_mate_is_found(text: &str) -> Result<(), String> {
    let puzzles = puzzles(text)?;
    let engine = Engine::new(16);
    let mut found = 0;
    for puzzle in &puzzles {
        let report =
            analyse(&engine, puzzle, Limits { nodes: Some(1_000_000), ..Limits::default() });
        check_line(puzzle, &report)?;
        let mates = matches!(report.score, Score::Mate(moves) if moves > 0);
        if puzzle.distance == 1 && report.score != Score::Mate(1) {
            return Err(format!("{}: missed a mate in one, {report:?}", puzzle.fen));
        }
        found += usize::from(mates);
    }
    if found * 100 < puzzles.len() * 95 {
        Err(format!("found only {found} of {} mates", puzzles.len()))
    } else {
        Ok(())
    }
}

fn no_mate_is_reported_too_short(text: &str) -> Result<(), String> {
    let engine = Engine::new(16);
    for puzzle in puzzles(text)?.iter().filter(|puzzle| puzzle.distance > 1) {
        let report = analyse(
            &engine,
            puzzle,
            Limits { mate: Some(puzzle.distance - 1), ..Limits::default() },
        );
        check_line(puzzle, &report)?;
        let shorter = 1..i32::from(puzzle.distance);
        let too_short = matches!(report.score, Score::Mate(moves) if shorter.contains(&moves));
        if too_short || report.reason != StopReason::Depth {
            return Err(format!("{}: {report:?}", puzzle.fen));
        }
    }
    Ok(())
}
