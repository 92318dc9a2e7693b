//! Tests of every available SIMD level against the reference and against each other.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Once};

use super::random_lines::{RandomLine, random_lines};
use super::random_network::{LayeredRanges, Random, Ranges, layered_file, network_file};
use super::reference;
use crate::chess::Position;
use crate::nnue::{AccumulatorStack, BoardEvaluator, Network, SimdLevel};

/// The available levels. The missing ones are printed once, past the test runner's capture.
fn levels() -> Vec<SimdLevel> {
    static REPORTED: Once = Once::new();
    let (present, skipped): (Vec<SimdLevel>, Vec<SimdLevel>) =
        SimdLevel::ALL.into_iter().partition(|level| level.is_available());
    REPORTED.call_once(|| {
        let names = |levels: &[SimdLevel]| {
            levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ")
        };
        let (present, skipped) = (names(&present), names(&skipped));
        writeln!(
            std::io::stderr(),
            "network: tested {present}; skipped, not supported by the processor: {skipped}"
        )
        .unwrap();
    });
    present
}

fn network(bytes: &[u8]) -> Arc<Network> {
    Arc::new(Network::from_bytes(bytes).unwrap())
}

fn accumulators(network: &Arc<Network>, level: SimdLevel) -> AccumulatorStack {
    AccumulatorStack::with_level(Arc::clone(network), 80, level).unwrap()
}

/// The evaluation of a position without a line to it.
fn evaluate_from_scratch(accumulators: &mut AccumulatorStack, position: &Position) -> i32 {
    accumulators.reset(position);
    accumulators.evaluate(position)
}

/// Files of both formats with usual numbers.
fn usual_files(seed: u64) -> [Vec<u8>; 2] {
    [network_file(seed, Ranges::USUAL), layered_file(seed, LayeredRanges::USUAL)]
}

/// Files of both formats whose sums wrap around in 16 bits.
fn wrapping_files(seed: u64) -> [Vec<u8>; 2] {
    [network_file(seed, Ranges::WRAPPING), layered_file(seed, LayeredRanges::WRAPPING)]
}

/// Files of both formats whose last sums are the largest and the most negative.
fn extreme_files(seed: u64) -> [Vec<u8>; 4] {
    [
        network_file(seed, Ranges::GREATEST),
        network_file(seed, Ranges::LEAST),
        layered_file(seed, LayeredRanges::GREATEST),
        layered_file(seed, LayeredRanges::LEAST),
    ]
}

#[test]
fn evaluations_match_the_reference() {
    for bytes in usual_files(1).into_iter().chain(extreme_files(2)) {
        let network = network(&bytes);
        for level in levels() {
            let mut accumulators = accumulators(&network, level);
            for line in random_lines(16, 40, &mut Random(1)) {
                let expected = reference::evaluate(&bytes, &line.end);
                assert_eq!(
                    evaluate_from_scratch(&mut accumulators, &line.end),
                    expected,
                    "{} {} {}",
                    network.architecture(),
                    level.name(),
                    line.end.fen()
                );
            }
        }
    }
}

/// With `KIBITZER_FULL`, over 100,000 positions for each network.
#[test]
fn every_level_gives_the_same_evaluation_along_every_line() {
    let is_full_run = std::env::var_os("KIBITZER_FULL").is_some_and(|value| !value.is_empty());
    let lines = if is_full_run { 1_600 } else { 64 };
    for bytes in usual_files(4).into_iter().chain(wrapping_files(5)) {
        let network = network(&bytes);
        let mut scalar = accumulators(&network, SimdLevel::Scalar);
        let levels = levels();
        let mut others: Vec<AccumulatorStack> =
            levels.iter().map(|&level| accumulators(&network, level)).collect();
        let mut values = BTreeSet::new();
        let mut positions = 0;
        for RandomLine { steps, end } in random_lines(lines, 70, &mut Random(4)) {
            positions += steps.len();
            others.iter_mut().for_each(|other| other.reset(&steps[0].0));
            let after = steps.iter().skip(1).map(|(position, _)| position).chain([&end]);
            for ((before, mv), position) in steps.iter().zip(after) {
                let expected = evaluate_from_scratch(&mut scalar, position);
                assert_eq!(expected, reference::evaluate(&bytes, position), "{}", position.fen());
                values.insert(expected);
                for (level, other) in levels.iter().zip(&mut others) {
                    other.push(before, *mv);
                    assert_eq!(
                        other.evaluate(position),
                        expected,
                        "{} {} {mv:?} to {}",
                        network.architecture(),
                        level.name(),
                        position.fen()
                    );
                }
            }
        }
        assert!(values.len() > 1000, "{} different evaluations", values.len());
        assert!(positions > lines * 64, "{positions} positions");
    }
}

#[test]
fn lazy_updates_match_after_pushes_and_pops() {
    for bytes in usual_files(6) {
        let network = network(&bytes);
        for level in levels() {
            compare_lazy_with_eager(&network, level);
        }
    }
}

/// Walks along random lines, back and forth, and evaluates some of the positions.
fn compare_lazy_with_eager(network: &Arc<Network>, level: SimdLevel) {
    let mut random_numbers = Random(7);
    let mut lazy = accumulators(network, level);
    let mut eager = accumulators(network, level);
    for RandomLine { steps, end } in random_lines(48, 70, &mut Random(8)) {
        lazy.reset(&steps[0].0);
        let mut index = 0;
        for _ in 0..300 {
            let forward = random_numbers.below(5) < 3;
            if forward && index < steps.len() {
                lazy.push(&steps[index].0, steps[index].1);
                index += 1;
            } else if index > 0 {
                lazy.pop();
                index -= 1;
            }
            if random_numbers.below(4) == 0 {
                let position = steps.get(index).map_or(&end, |(position, _)| position);
                assert_eq!(
                    lazy.evaluate(position),
                    evaluate_from_scratch(&mut eager, position),
                    "{} {} {}",
                    network.architecture(),
                    level.name(),
                    position.fen()
                );
            }
        }
    }
}

#[test]
fn a_null_move_only_swaps_the_perspectives() {
    let position =
        Position::from_fen("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
            .unwrap();
    let mut passed = position.clone();
    passed.play_null_move();
    for bytes in usual_files(9) {
        let network = network(&bytes);
        for level in levels() {
            let name = format!("{} {}", network.architecture(), level.name());
            let mut accumulators = accumulators(&network, level);
            accumulators.reset(&position);
            accumulators.push_null();
            let expected = reference::evaluate(&bytes, &passed);
            assert_eq!(accumulators.evaluate(&passed), expected, "{name}");
            accumulators.pop();
            let expected = reference::evaluate(&bytes, &position);
            assert_eq!(accumulators.evaluate(&position), expected, "{name}");
        }
    }
}

#[test]
fn mirrored_positions_are_worth_the_same() {
    let network = network(&network_file(10, Ranges::USUAL));
    let mut accumulators = AccumulatorStack::new(network, 0);
    let white = Position::from_fen("4k3/1p4p1/8/3N4/8/q7/1P6/1K6 w - - 0 1").unwrap();
    for other in
        ["1k6/1p6/Q7/8/3n4/8/1P4P1/4K3 b - - 0 1", "3k4/1p4p1/8/4N3/8/7q/6P1/6K1 w - - 0 1"]
    {
        let other = Position::from_fen(other).unwrap();
        assert_eq!(
            evaluate_from_scratch(&mut accumulators, &white),
            evaluate_from_scratch(&mut accumulators, &other),
            "{}",
            other.fen()
        );
    }
}

#[test]
fn an_evaluation_outside_a_search_does_not_depend_on_the_boards_before_it() {
    for bytes in usual_files(13) {
        let network = network(&bytes);
        let mut evaluator = BoardEvaluator::new(&network);
        for RandomLine { steps, end } in random_lines(16, 70, &mut Random(14)) {
            for position in steps.iter().map(|(position, _)| position).chain([&end]) {
                let expected = reference::evaluate(&bytes, position);
                assert_eq!(evaluator.evaluate(position), expected, "{}", position.fen());
            }
        }
    }
}

#[test]
fn a_line_may_be_longer_than_announced() {
    for bytes in usual_files(11) {
        let network = network(&bytes);
        let mut short = AccumulatorStack::new(Arc::clone(&network), 3);
        let mut other = AccumulatorStack::new(network, 3);
        let line = random_lines(1, 40, &mut Random(12)).remove(0);
        short.reset(&line.steps[0].0);
        line.steps.iter().for_each(|(before, mv)| short.push(before, *mv));
        assert_eq!(short.evaluate(&line.end), evaluate_from_scratch(&mut other, &line.end));
    }
}
