//! The numbers of a position's Zobrist key: the view `zobrist` (frozen).

use crate::chess::zobrist::KeyPart;
use crate::chess::{Color, Position, Square};

/// The parts of a position that have a number in its key, by rising number. The exclusive or of
/// their values is the key.
pub fn key_parts(position: &Position) -> Vec<KeyPart> {
    let piece = |square: Square| Some(KeyPart::Piece(position.piece_at(square)?, square));
    let castling = |(color, _, rook)| KeyPart::Castling(color, rook);
    let en_passant = position.en_passant().map(|target| KeyPart::EnPassant(target.file()));
    let black_to_move = (position.turn() == Color::Black).then_some(KeyPart::BlackToMove);
    let mut parts: Vec<KeyPart> = position
        .occupied()
        .filter_map(piece)
        .chain(position.castling_rights().iter().map(castling))
        .chain(en_passant)
        .chain(black_to_move)
        .collect();
    parts.sort_unstable_by_key(|part| part.number());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_position_has_its_number() {
        let position = Position::from_fen("1r2k3/8/8/8/3pP3/8/8/RN2K3 b Ab e3 0 1").unwrap();
        let parts = key_parts(&position);
        let texts: Vec<_> = parts.iter().map(|part| format!("{} {part}", part.number())).collect();
        let expected = [
            "28 white pawn on e4",
            "65 white knight on b1",
            "192 white rook on a1",
            "324 white king on e1",
            "411 black pawn on d4",
            "633 black rook on b8",
            "764 black king on e8",
            "768 white castling with the rook on the a-file",
            "777 black castling with the rook on the b-file",
            "788 en passant on the e-file",
            "792 black to move",
        ];
        assert_eq!(texts, expected);
        assert_eq!(parts.iter().fold(0, |key, part| key ^ part.value()), position.key());
    }
}
