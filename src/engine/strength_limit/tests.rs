//! Tests of the strength limit.

use std::time::Duration;

use super::*;
use crate::chess::{Position, parse_move};
use crate::engine::{StopReason, Wdl};

/// The report of a search that found these moves with these scores.
fn report(lines: &[(&str, Score)]) -> Report {
    let position = Position::startpos();
    let variations = lines.iter().map(|&(mv, score)| Variation {
        score,
        wdl: Wdl::DRAWN,
        pv: vec![parse_move(&position, mv).unwrap()],
    });
    let mut variations: Vec<_> = variations.collect();
    let Variation { score, wdl, pv } = variations.remove(0);
    Report {
        score,
        wdl,
        raw_score: None,
        pv,
        depth: 3,
        seldepth: 3,
        nodes: 100,
        elapsed: Duration::ZERO,
        reason: StopReason::Nodes,
        history_independent: true,
        tb_hits: 0,
        is_ranked_by_tablebase: false,
        alternatives: variations,
    }
}

/// The number of times in 1,000 that the second line is chosen.
fn second_choices_of_1000(elo: u16, report: &Report) -> usize {
    let strength_limits =
        (0..1_000_u64).map(|n| StrengthLimit { elo, random_value: n * (u64::MAX / 1_000) });
    strength_limits.filter(|limit| limit.choose_line(report) == report.alternatives[0].pv).count()
}

#[test]
fn a_weaker_player_sees_less_and_errs_more() {
    let close = report(&[("e2e4", Score::Cp(30)), ("a2a3", Score::Cp(15))]);
    let (mut last_nodes, mut last_errors) = (0, 1_000);
    for elo in [800, 1300, 1800, 2300, 2800] {
        let strength_limit = StrengthLimit { elo, random_value: 0 };
        let errors = second_choices_of_1000(elo, &close);
        assert!(
            strength_limit.nodes() > last_nodes && errors < last_errors,
            "{elo}: {} nodes, {errors} errors",
            strength_limit.nodes()
        );
        (last_nodes, last_errors) = (strength_limit.nodes(), errors);
    }
}

#[test]
fn equal_lines_are_played_equally_often() {
    let equal = report(&[("e2e4", Score::Cp(10)), ("d2d4", Score::Cp(10))]);
    let second = second_choices_of_1000(1500, &equal);
    assert!((490..=510).contains(&second), "{second}");
}

#[test]
fn a_line_that_allows_a_forced_mate_is_not_chosen() {
    let lost = report(&[("e2e4", Score::Cp(0)), ("f2f3", Score::Mate(-2))]);
    assert_eq!(second_choices_of_1000(800, &lost), 0);
}

#[test]
fn a_single_line_is_played() {
    let only = report(&[("e2e4", Score::Cp(0))]);
    assert_eq!(StrengthLimit { elo: 800, random_value: u64::MAX }.choose_line(&only), only.pv);
}

#[test]
fn a_weakened_report_has_only_the_chosen_line() {
    let lines = report(&[("e2e4", Score::Cp(10)), ("d2d4", Score::Cp(9)), ("a2a3", Score::Cp(8))]);
    let [first, last] =
        [0, u64::MAX].map(|random_value| StrengthLimit { elo: 800, random_value }.weaken(&lines));
    assert_eq!((first.score, &first.pv), (Score::Cp(10), &lines.pv));
    assert_eq!((last.score, &last.pv), (Score::Cp(8), &lines.alternatives[1].pv));
    assert!(first.alternatives.is_empty() && last.alternatives.is_empty());
}

#[test]
fn limits_of_the_gui_still_hold() {
    let mut limits = Limits { nodes: Some(10), ..Limits::default() };
    let mut options = SearchOptions { threads: 8, multipv: 20, ..SearchOptions::default() };
    StrengthLimit { elo: 2800, random_value: 0 }.apply_to(&mut limits, &mut options);
    assert_eq!((limits.nodes, options.threads, options.multipv), (Some(10), 1, 20));
}

#[test]
fn the_strength_levels_span_the_elo_range_and_are_monotonic() {
    assert_eq!(STRENGTH_LEVELS[0].elo, f64::from(*StrengthLimit::ELO.start()));
    assert_eq!(
        STRENGTH_LEVELS[STRENGTH_LEVELS.len() - 1].elo,
        f64::from(*StrengthLimit::ELO.end())
    );
    assert!(
        STRENGTH_LEVELS
            .windows(2)
            .all(|pair| pair[0].elo < pair[1].elo && pair[0].nodes < pair[1].nodes)
    );
    assert!(STRENGTH_LEVELS.windows(2).all(|pair| pair[0].temperature > pair[1].temperature));
    let node_counts = [800, 2000, 2800].map(|elo| StrengthLimit { elo, random_value: 0 }.nodes());
    assert_eq!(node_counts, [18, 6_400, 300_000]);
}
