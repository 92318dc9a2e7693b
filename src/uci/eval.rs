//! The static evaluation of a position for people to look at.

use std::fmt::Write as _;

use crate::chess::{File, Position, Rank, Square};
use crate::engine::StaticEvaluation;

const EDGE: &str = " +-------+-------+-------+-------+-------+-------+-------+-------+\n";

/// The board with what each piece adds, in pawns and from White's view, and below it the
/// evaluation.
pub(super) fn format_evaluation(
    position: &Position,
    evaluation: &StaticEvaluation,
    network: &str,
) -> String {
    let mut text = String::from(EDGE);
    for index in (0..8).rev() {
        let squares = File::ALL.map(|file| Square::new(file, Rank::from_index(index)));
        for square in squares {
            let letter = position.piece_at(square).map_or(' ', |piece| piece.letter());
            // Writing to a String cannot fail.
            let _ = write!(text, " |   {letter}  ");
        }
        let _ = writeln!(text, " | {}", index + 1);
        for square in squares {
            let value = evaluation.pieces[square.index()].map_or(String::new(), pawns);
            let _ = write!(text, " |{value:>6}");
        }
        text.push_str(" |\n");
        text.push_str(EDGE);
    }
    text.push_str("     a       b       c       d       e       f       g       h\n\n");
    let turn = position.turn();
    let _ = write!(
        text,
        "evaluation {} from White's view, {} from the side to move's ({})\nnetwork {network}, output bucket {}",
        pawns(evaluation.white_value),
        pawns(evaluation.value(turn)),
        turn.name(),
        evaluation.bucket,
    );
    text
}

/// Centipawns as pawns with a sign.
fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    #[test]
    fn every_piece_has_its_value_below_it_and_kings_have_none() {
        let position = Position::from_fen("4k3/8/8/8/8/8/3QP3/4K3 b - - 0 1").unwrap();
        let mut evaluation = Engine::new(1).evaluate_pieces(&position);
        evaluation.white_value = 712;
        evaluation.pieces[11] = Some(905);
        evaluation.pieces[12] = Some(-31);
        let text = format_evaluation(&position, &evaluation, "abc (768 -> 8)");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[19],
            " |       |       |       |   Q   |   P   |       |       |       | 2"
        );
        assert_eq!(lines[20], " |       |       |       | +9.05 | -0.31 |       |       |       |");
        assert_eq!(lines[23], " |       |       |       |       |       |       |       |       |");
        assert_eq!(
            lines[27],
            "evaluation +7.12 from White's view, -7.12 from the side to move's (black)"
        );
        assert_eq!(lines[28], "network abc (768 -> 8), output bucket 0");
    }
}
