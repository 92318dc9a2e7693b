//! Positions as text for people: the board of `d` and the evaluation of `eval`.

use std::fmt::Write as _;

use crate::chess::{File, Position, Rank, Square};
use crate::engine::StaticEvaluation;

/// The board with White at the bottom, the FEN, the Zobrist key and the checking pieces, in the
/// words of Stockfish: programs read them.
pub(super) fn format_board(position: &Position) -> String {
    const EDGE: &str = " +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(EDGE);
    for index in (0..8).rev() {
        let rank = Rank::from_index(index);
        for file in File::ALL {
            let letter =
                position.piece_at(Square::new(file, rank)).map_or(' ', |piece| piece.letter());
            text.push_str(" | ");
            text.push(letter);
        }
        text.push_str(" | ");
        text.push(char::from(b'1' + index));
        text.push('\n');
        text.push_str(EDGE);
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> =
        position.checkers().into_iter().map(|square| square.to_string()).collect();
    let (fen, key, checkers) = (position.fen(), position.key(), checkers.join(" "));
    // Writing to a String cannot fail.
    let _ = write!(text, "Fen: {fen}\nKey: {key:016X}\nCheckers: {checkers}");
    text
}

const EVALUATION_EDGE: &str =
    " +-------+-------+-------+-------+-------+-------+-------+-------+\n";

/// The board with the contribution of each piece, in pawns from White's view, and the evaluation.
pub(super) fn format_evaluation(
    position: &Position,
    evaluation: &StaticEvaluation,
    network: &str,
) -> String {
    let mut text = String::from(EVALUATION_EDGE);
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
        text.push_str(EVALUATION_EDGE);
    }
    text.push_str("     a       b       c       d       e       f       g       h\n\n");
    let turn = position.turn();
    let _ = write!(
        text,
        "evaluation {} from White's view, {} from the side to move's ({})\n\
         network {network}, output bucket {}",
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
    fn each_piece_except_a_king_has_its_contribution_below_it() {
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
