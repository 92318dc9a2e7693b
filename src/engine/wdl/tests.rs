//! Claims about win, draw and loss.

use super::*;
use crate::engine::score::{MATE_FLOOR, mate_at, mated_at};

/// Every material that the model tells apart, and some beyond.
fn materials() -> impl Iterator<Item = u32> {
    0..=90
}

/// Values of the search from one end to the other.
fn values() -> impl Iterator<Item = Value> {
    (-MATE_FLOOR + 1..MATE_FLOOR).step_by(7)
}

fn at(fen: &str) -> WinModel {
    WinModel::of(&Position::from_fen(fen).unwrap())
}

#[test]
fn the_chances_add_up_to_a_thousand() {
    for material in materials() {
        for value in values() {
            let Wdl { win, draw, loss } = WinModel::at(material).verdict(value).wdl;
            assert_eq!(win + draw + loss, 1000, "{value} at {material}");
        }
    }
}

#[test]
fn who_scores_more_wins_more_and_loses_less() {
    for material in materials() {
        let chances: Vec<Wdl> =
            values().map(|value| WinModel::at(material).verdict(value).wdl).collect();
        assert!(
            chances
                .windows(2)
                .all(|pair| pair[0].win <= pair[1].win && pair[0].loss >= pair[1].loss),
            "{material}"
        );
        assert_eq!((chances[0], chances[chances.len() - 1]), (Wdl::LOST, Wdl::WON));
    }
}

#[test]
fn what_one_side_wins_the_other_loses() {
    for material in materials() {
        let model = WinModel::at(material);
        for value in values() {
            let (own, other) = (model.verdict(value), model.verdict(-value));
            assert_eq!(
                (own.wdl.win, own.wdl.draw),
                (other.wdl.loss, other.wdl.draw),
                "{value} at {material}"
            );
            let (Score::Cp(own), Score::Cp(other)) = (own.score, other.score) else {
                panic!("{value} is a mate")
            };
            assert_eq!(own, -other, "{value} at {material}");
        }
    }
}

#[test]
fn a_hundred_centipawns_win_every_second_game_whatever_is_on_the_board() {
    for material in materials() {
        let model = WinModel::at(material);
        assert_eq!(
            (model.centipawns(model.half), model.wdl(model.half).win),
            (100, 500),
            "{material}"
        );
        // Of the search's own values none need be told as 100 exactly; the nearest ones lie around
        // the half.
        let near = (0..MATE_FLOOR)
            .map(|value| model.verdict(value))
            .filter(|verdict| verdict.score == Score::Cp(100));
        for verdict in near {
            assert!((490..=510).contains(&verdict.wdl.win), "{verdict:?} at {material}");
        }
    }
}

#[test]
fn an_even_ending_is_drawn_more_often_than_an_even_opening() {
    let draws = |material| WinModel::at(material).wdl(0.0).draw;
    assert!(draws(78) < draws(50) && draws(50) < draws(30) && draws(30) < draws(14));
    assert!(draws(78) > 300, "{}", draws(78));
}

#[test]
fn a_mate_is_certain() {
    for material in materials() {
        let model = WinModel::at(material);
        let mates = model.verdict(mate_at(5));
        assert_eq!(
            (mates.score, mates.wdl, mates.linear),
            (Score::Mate(3), Wdl::WON, LinearScore::Mate(3))
        );
        let mated = model.verdict(mated_at(6));
        assert_eq!(
            (mated.score, mated.wdl, mated.linear),
            (Score::Mate(-3), Wdl::LOST, LinearScore::Mate(-3))
        );
        assert_eq!(model.verdict(mated_at(0)), Verdict::MATED);
    }
}

#[test]
fn the_linear_score_does_not_depend_on_what_is_on_the_board() {
    for material in materials() {
        assert_eq!(WinModel::at(material).verdict(361).linear, LinearScore::Cp(100));
    }
    assert!(WinModel::at(78).verdict(361).score != WinModel::at(20).verdict(361).score);
}

#[test]
fn material_is_that_of_both_sides() {
    let start = Position::startpos();
    assert_eq!(material(&start), WinModel::FULL);
    assert_eq!(WinModel::of(&start), WinModel::at(78));
    assert_eq!(at("4k3/8/8/3q4/8/2n5/3QP3/R3K3 w - - 0 1"), WinModel::at(9 + 3 + 9 + 1 + 5));
    assert_eq!(at("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), WinModel::at(WinModel::LEAST));
}
