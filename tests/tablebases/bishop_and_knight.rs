//! The engine's table for the mate with bishop and knight, recomputed from the tablebase.
//!
//! `KIBITZER_FULL` recomputes every entry. A short run recomputes one of 15.

use kibitzer::chess::{Color, Piece, Role, Setup, Square};
use kibitzer::engine::bishop_and_knight_plies;
use libtest_mimic::Failed;

use crate::Tables;
use crate::full_run::is_full_run;

/// The engine's table has the mean distances of the tablebase, over all squares of bishop and
/// knight.
pub(crate) fn the_way_to_the_mate_is_that_of_the_tables(tables: &Tables) -> Result<(), Failed> {
    let step = if is_full_run() { 1 } else { 15 };
    let mut different = 0;
    for (row, loser) in Square::all().filter(|square| is_in_triangle(*square)).enumerate() {
        // Each row starts at another square, so that every column is tested.
        let winners = || Square::all().skip(row % step).step_by(step);
        let means = winners().map(|winner| mean_plies(tables, loser, winner));
        let means = means.collect::<Result<Vec<u8>, _>>()?;
        if is_full_run() {
            // As in the table.
            println!("    {means:?},");
        }
        let known = winners().map(|winner| bishop_and_knight_plies(loser, winner, true));
        different += usize::from(!known.eq(means));
    }
    assert_eq!(different, 0, "rows differ; `KIBITZER_FULL` prints those of the tables");
    Ok(())
}

/// The squares from which symmetries that keep the colours reach all others.
fn is_in_triangle(square: Square) -> bool {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    rank <= file && file + rank <= 7
}

/// The mean distance of the won positions with White to move and a bishop on a dark square,
/// rounded. 0 if there are none.
fn mean_plies(tables: &Tables, loser: Square, winner: Square) -> Result<u8, Failed> {
    let (mut sum, mut count) = (0, 0);
    for bishop in Square::all().filter(|square| square.index() / 8 % 2 == square.index() % 2) {
        for knight in Square::all() {
            let mut setup = Setup { turn: Color::White, fullmove_number: 1, ..Setup::EMPTY };
            setup.board[loser.index()] = Some(Piece::new(Color::Black, Role::King));
            let men = [(winner, Role::King), (bishop, Role::Bishop), (knight, Role::Knight)];
            for (square, role) in men {
                setup.board[square.index()] = Some(Piece::new(Color::White, role));
            }
            let distinct = [loser, winner, bishop, knight];
            let is_shared = |i: usize| distinct[..i].contains(&distinct[i]);
            if (1..4).any(is_shared) {
                continue;
            }
            let Ok(position) = setup.validate() else { continue };
            let plies = tables.tablebase.probe_dtz(&position)?.plies;
            if plies > 0 {
                sum += i64::from(plies);
                count += 1;
            }
        }
    }
    Ok(if count == 0 { 0 } else { u8::try_from((sum + count / 2) / count)? })
}
