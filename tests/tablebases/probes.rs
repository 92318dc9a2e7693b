//! Probes of single positions.

use kibitzer::chess::{Position, Role};
use kibitzer::tablebase::{Category, Dtz, ProbeError, Tablebase, Wdl};
use libtest_mimic::Failed;

use crate::Tables;
use crate::random::Random;
use crate::random_positions::{random_men, random_position};

/// shakmaty_chess.csv: the outcome and the distance of positions, as tables and other programs give
/// them.
pub(crate) fn probes_agree_with_the_suite(tables: &Tables) -> Result<(), Failed> {
    let text = tables.read("shakmaty_chess.csv")?;
    let mut checked = 0;
    for row in text.lines().skip(1) {
        let [epd, wdl, dtz] = row.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("a row of three columns: {row}").into());
        };
        let position = Position::from_fen(&format!("{epd} 0 1")).map_err(|_| epd.to_owned())?;
        if position.occupied().count() > tables.tablebase.men() {
            continue;
        }
        checked += 1;
        let expected = match wdl {
            "-2" => Wdl::Loss,
            "-1" => Wdl::BlessedLoss,
            "0" => Wdl::Draw,
            "1" => Wdl::CursedWin,
            "2" => Wdl::Win,
            other => return Err(format!("an outcome: {other}").into()),
        };
        assert_eq!(tables.tablebase.probe_wdl(&position), Ok(expected), "{epd}");
        let plies = tables.tablebase.probe_dtz(&position).map(|dtz| dtz.plies);
        assert_eq!(plies, Ok(dtz.parse()?), "{epd}");
    }
    println!("{checked} positions");
    assert!(checked >= 100, "{checked} positions of at most four men");
    Ok(())
}

/// On random positions the outcome has the sign of the distance, and the moves explain both: the
/// best child outcome is that of the position.
pub(crate) fn outcomes_agree_with_distances(tables: &Tables) -> Result<(), Failed> {
    let random = &mut Random::new(1);
    for _ in 0..2_000 {
        let men = random_men(random);
        let position = random_position(random, &men);
        let fen = position.fen();
        let wdl = tables.tablebase.probe_wdl(&position)?;
        let dtz = tables.tablebase.probe_dtz(&position)?;
        assert_eq!((wdl as i32 - Wdl::Draw as i32).signum(), dtz.plies.signum(), "{fen}");
        let moves = position.legal_moves();
        let outcomes = moves.as_slice().iter().map(|&mv| {
            let after = position.after(mv);
            tables.tablebase.probe_wdl(&after).map(|wdl| -wdl)
        });
        let best = outcomes.collect::<Result<Vec<_>, _>>()?.into_iter().max();
        let expected = match best {
            None if position.in_check() => Wdl::Loss,
            None => Wdl::Draw,
            // Four men win within the limit, so that the clock of a quiet move changes nothing
            // unless the distance is near it.
            Some(_) if dtz.plies.abs() >= 99 => continue,
            Some(best) => best,
        };
        assert_eq!(wdl, expected, "{fen}");
    }
    Ok(())
}

pub(crate) fn positions_without_a_table_say_why(tables: &Tables) -> Result<(), Failed> {
    let probe = |fen: &str| tables.tablebase.probe_dtz(&Position::from_fen(fen).expect(fen));
    assert_eq!(
        probe("8/8/8/8/k7/8/8/1RBNK2Q w - - 0 1"),
        Err(ProbeError::TooManyMen { men: 6, max: 4 })
    );
    assert_eq!(probe("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), Err(ProbeError::CastlingRights));
    let folder = tempfile::tempdir()?;
    std::fs::copy(tables.path("KQvK.rtbw"), folder.path().join("KQvK.rtbw"))?;
    let without_dtz = Tablebase::open(&[folder.path()], 0)?;
    let position = Position::from_fen("8/8/8/8/2k5/8/8/Q3K3 w - - 0 1").expect("the FEN");
    assert_eq!(without_dtz.probe_wdl(&position), Ok(Wdl::Win));
    assert_eq!(
        without_dtz.probe_dtz(&position),
        Err(ProbeError::MissingTable { table: "KQvK.rtbz".to_owned() })
    );
    assert_eq!(without_dtz.statistics().probes, 2);
    assert_eq!(without_dtz.statistics().hits, 1);
    Ok(())
}

/// From won positions the main line ends in checkmate, and no line of zeroing moves is longer than
/// the distances say.
pub(crate) fn a_main_line_ends_in_checkmate(tables: &Tables) -> Result<(), Failed> {
    let random = &mut Random::new(2);
    let mut won = 0;
    while won < 100 {
        let men = random_men(random);
        let position = random_position(random, &men);
        let lookup = tables.tablebase.lookup(&position)?;
        if lookup.position.category != Category::Win {
            continue;
        }
        won += 1;
        let fen = position.fen();
        let line = tables.tablebase.mainline(&position)?;
        assert_eq!(Some(line.dtz), lookup.position.dtz, "{fen}");
        assert_eq!(line.winner, Some(position.turn()), "{fen}");
        let is_zeroing = |position: &Position, index: usize| {
            let mv = line.moves[index].mv;
            mv.is_capture() || position.role_at(mv.from()) == Some(Role::Pawn)
        };
        let mut current = position.clone();
        let mut until_zeroing = line.dtz;
        for (index, step) in line.moves.iter().enumerate() {
            let zeroing = is_zeroing(&current, index);
            current.play(step.mv);
            let is_last = index + 1 == line.moves.len();
            let Dtz { plies, rounded } = until_zeroing;
            let slack = i32::from(rounded);
            assert!(plies.abs() > 0 && (zeroing || is_last || plies.abs() > 1 - slack), "{fen}");
            until_zeroing = step.dtz;
        }
        assert!(current.in_check() && !current.has_moves(), "{fen}");
    }
    Ok(())
}
