//! Tests of the win, draw and loss model.

use super::*;
use crate::engine::score::{TB_WIN_IN_MAX_PLY, mate_in, mated_in};

/// Every material that the model distinguishes, and some beyond its limits.
fn materials() -> impl Iterator<Item = u32> {
    0..=90
}

/// Values of the search over the whole range without mates.
fn values() -> impl Iterator<Item = Value> {
    (-TB_WIN_IN_MAX_PLY + 1..TB_WIN_IN_MAX_PLY).step_by(7)
}

fn model_of(fen: &str) -> WdlModel {
    WdlModel::for_position(&Position::from_fen(fen).unwrap())
}

#[test]
fn the_probabilities_add_up_to_a_thousand() {
    for material in materials() {
        for value in values() {
            let Wdl { win, draw, loss } =
                WdlModel::for_material(material).reported_score(value).wdl;
            assert_eq!(win + draw + loss, 1000, "{value} at {material}");
        }
    }
}

#[test]
fn higher_scores_win_more_and_lose_less() {
    for material in materials() {
        let wdls: Vec<Wdl> = values()
            .map(|value| WdlModel::for_material(material).reported_score(value).wdl)
            .collect();
        assert!(
            wdls.windows(2).all(|pair| pair[0].win <= pair[1].win && pair[0].loss >= pair[1].loss),
            "{material}"
        );
        assert_eq!((wdls[0], wdls[wdls.len() - 1]), (Wdl::LOST, Wdl::WON));
    }
}

#[test]
fn wins_and_losses_are_symmetric() {
    for material in materials() {
        let model = WdlModel::for_material(material);
        for value in values() {
            let (own, other) = (model.reported_score(value), model.reported_score(-value));
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
fn a_hundred_centipawns_win_half_of_the_games_at_any_material() {
    for material in materials() {
        let model = WdlModel::for_material(material);
        assert_eq!(
            (model.centipawns(model.half_win_score), model.wdl(model.half_win_score).win),
            (100, 500),
            "{material}"
        );
        // No value of the search need convert to exactly 100 centipawns; those that round to it win
        // about half of the games.
        let near = (0..TB_WIN_IN_MAX_PLY)
            .map(|value| model.reported_score(value))
            .filter(|reported| reported.score == Score::Cp(100));
        for reported in near {
            assert!((490..=510).contains(&reported.wdl.win), "{reported:?} at {material}");
        }
    }
}

#[test]
fn an_even_ending_is_drawn_more_often_than_an_even_opening() {
    let draws = |material| WdlModel::for_material(material).wdl(0.0).draw;
    assert!(draws(78) < draws(50) && draws(50) < draws(30) && draws(30) < draws(14));
    assert!(draws(78) > 300, "{}", draws(78));
}

#[test]
fn a_mate_is_certain() {
    for material in materials() {
        let model = WdlModel::for_material(material);
        let mates = model.reported_score(mate_in(5));
        assert_eq!(
            (mates.score, mates.wdl, mates.raw_score),
            (Score::Mate(3), Wdl::WON, RawScore::Mate(3))
        );
        let mated = model.reported_score(mated_in(6));
        assert_eq!(
            (mated.score, mated.wdl, mated.raw_score),
            (Score::Mate(-3), Wdl::LOST, RawScore::Mate(-3))
        );
        assert_eq!(model.reported_score(mated_in(0)), ReportedScore::MATED);
    }
}

#[test]
fn the_raw_score_does_not_depend_on_material() {
    for material in materials() {
        assert_eq!(
            WdlModel::for_material(material).reported_score(361).raw_score,
            RawScore::Cp(100)
        );
    }
    assert!(
        WdlModel::for_material(78).reported_score(361).score
            != WdlModel::for_material(20).reported_score(361).score
    );
}

#[test]
fn material_is_that_of_both_sides() {
    let start = Position::startpos();
    assert_eq!(material(&start), WdlModel::FULL_MATERIAL);
    assert_eq!(WdlModel::for_position(&start), WdlModel::for_material(78));
    assert_eq!(
        model_of("4k3/8/8/3q4/8/2n5/3QP3/R3K3 w - - 0 1"),
        WdlModel::for_material(9 + 3 + 9 + 1 + 5)
    );
    assert_eq!(
        model_of("4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        WdlModel::for_material(WdlModel::MIN_MATERIAL)
    );
}
