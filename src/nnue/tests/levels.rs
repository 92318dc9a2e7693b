//! Every level that this processor has gives what the formula gives, however the sums came about.

use std::io::Write;
use std::sync::{Arc, Once};

use super::lines::{Line, random};
use super::reference;
use super::sample::{Random, Ranges, file};
use crate::chess::Position;
use crate::nnue::{Accumulators, Level, Network};

/// The levels to test. Those that the processor lacks are named past the test runner's capture.
fn levels() -> Vec<Level> {
    static TOLD: Once = Once::new();
    let (present, skipped): (Vec<Level>, Vec<Level>) =
        Level::ALL.into_iter().partition(|level| level.is_available());
    TOLD.call_once(|| {
        let names = |levels: &[Level]| {
            levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ")
        };
        let (present, skipped) = (names(&present), names(&skipped));
        writeln!(
            std::io::stderr(),
            "network: tested {present}; skipped, for want of the processor: {skipped}"
        )
        .unwrap();
    });
    present
}

fn network(bytes: &[u8]) -> Arc<Network> {
    Arc::new(Network::from_bytes(bytes).unwrap())
}

fn accumulators(network: &Arc<Network>, level: Level) -> Accumulators {
    Accumulators::with_level(Arc::clone(network), 80, level).unwrap()
}

/// What `evaluate` says of a position that it has not been led to.
fn fresh(accumulators: &mut Accumulators, position: &Position) -> i32 {
    accumulators.reset(position);
    accumulators.evaluate(position)
}

#[test]
fn evaluations_are_what_the_documentation_computes() {
    for (seed, ranges) in [(1, Ranges::USUAL), (2, Ranges::GREATEST), (3, Ranges::LEAST)] {
        let bytes = file(seed, ranges);
        let network = network(&bytes);
        for level in levels() {
            let mut accumulators = accumulators(&network, level);
            for line in random(16, 40, &mut Random(seed)) {
                let expected = reference::evaluate(&bytes, &line.end);
                assert_eq!(
                    fresh(&mut accumulators, &line.end),
                    expected,
                    "{} {}",
                    level.name(),
                    line.end.fen()
                );
            }
        }
    }
}

#[test]
fn every_level_gives_the_same_evaluation_along_every_line() {
    for (seed, ranges) in [(4, Ranges::USUAL), (5, Ranges::WRAPPING)] {
        let network = network(&file(seed, ranges));
        let mut scalar = accumulators(&network, Level::Scalar);
        let levels = levels();
        let mut others: Vec<Accumulators> =
            levels.iter().map(|&level| accumulators(&network, level)).collect();
        for Line { steps, end } in random(64, 70, &mut Random(seed)) {
            others.iter_mut().for_each(|other| other.reset(&steps[0].0));
            let after = steps.iter().skip(1).map(|(position, _)| position).chain([&end]);
            for ((before, mv), position) in steps.iter().zip(after) {
                let expected = fresh(&mut scalar, position);
                for (level, other) in levels.iter().zip(&mut others) {
                    other.push(before, *mv);
                    assert_eq!(
                        other.evaluate(position),
                        expected,
                        "{} {mv:?} to {}",
                        level.name(),
                        position.fen()
                    );
                }
            }
        }
    }
}

#[test]
fn sums_follow_late_and_after_moves_are_taken_back() {
    let network = network(&file(6, Ranges::USUAL));
    for level in levels() {
        let mut random_numbers = Random(7);
        let mut lazy = accumulators(&network, level);
        let mut eager = accumulators(&network, level);
        for Line { steps, end } in random(48, 70, &mut Random(8)) {
            lazy.reset(&steps[0].0);
            let mut place = 0;
            for _ in 0..300 {
                let forward = random_numbers.below(5) < 3;
                if forward && place < steps.len() {
                    lazy.push(&steps[place].0, steps[place].1);
                    place += 1;
                } else if place > 0 {
                    lazy.pop();
                    place -= 1;
                }
                if random_numbers.below(4) == 0 {
                    let position = steps.get(place).map_or(&end, |(position, _)| position);
                    assert_eq!(
                        lazy.evaluate(position),
                        fresh(&mut eager, position),
                        "{} {}",
                        level.name(),
                        position.fen()
                    );
                }
            }
        }
    }
}

#[test]
fn a_pass_changes_whose_view_counts_first_and_no_sums() {
    let bytes = file(9, Ranges::USUAL);
    let network = network(&bytes);
    let position =
        Position::from_fen("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
            .unwrap();
    let mut passed = position.clone();
    passed.play_null();
    for level in levels() {
        let mut accumulators = accumulators(&network, level);
        accumulators.reset(&position);
        accumulators.pass();
        assert_eq!(
            accumulators.evaluate(&passed),
            reference::evaluate(&bytes, &passed),
            "{}",
            level.name()
        );
        accumulators.pop();
        assert_eq!(
            accumulators.evaluate(&position),
            reference::evaluate(&bytes, &position),
            "{}",
            level.name()
        );
    }
}

#[test]
fn mirrored_positions_are_worth_the_same() {
    let network = network(&file(10, Ranges::USUAL));
    let mut accumulators = Accumulators::new(network, 0);
    let white = Position::from_fen("4k3/1p4p1/8/3N4/8/q7/1P6/1K6 w - - 0 1").unwrap();
    for other in
        ["1k6/1p6/Q7/8/3n4/8/1P4P1/4K3 b - - 0 1", "3k4/1p4p1/8/4N3/8/7q/6P1/6K1 w - - 0 1"]
    {
        let other = Position::from_fen(other).unwrap();
        assert_eq!(
            fresh(&mut accumulators, &white),
            fresh(&mut accumulators, &other),
            "{}",
            other.fen()
        );
    }
}

#[test]
fn a_line_may_be_longer_than_announced() {
    let network = network(&file(11, Ranges::USUAL));
    let mut short = Accumulators::new(Arc::clone(&network), 3);
    let mut other = Accumulators::new(network, 3);
    let line = random(1, 40, &mut Random(12)).remove(0);
    short.reset(&line.steps[0].0);
    line.steps.iter().for_each(|(before, mv)| short.push(before, *mv));
    assert_eq!(short.evaluate(&line.end), fresh(&mut other, &line.end));
}
