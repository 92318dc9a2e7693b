//! The properties of every accepted position.

use kibitzer::chess::encodings::packed::PackedPosition;
use kibitzer::chess::{Bitboard, Color, Position, Role, parse_fen};

/// Asserts that an accepted position is legal and has one FEN and one packed form.
pub(crate) fn assert_is_sound(position: &Position) {
    let fen = position.fen();
    for text in [&fen, &position.shredder_fen()] {
        let again = parse_fen(text)
            .unwrap_or_else(|refusal| panic!("{text} was not read back: {refusal:?}"));
        assert_eq!(&again.position, position, "{text} read back");
        assert!(again.warnings.is_empty(), "{text} was corrected: {:?}", again.warnings);
        assert_eq!(again.position.fen(), fen);
    }
    assert_eq!(position.to_setup().validate().as_ref(), Ok(position), "{fen} from its setup");

    for color in Color::ALL {
        assert_eq!(position.pieces(color, Role::King).count(), 1, "{fen}");
    }
    let (us, them) = (position.turn(), !position.turn());
    assert!(
        !position.is_attacked(position.king(them), us, position.occupied()),
        "{fen}: the side that is not to move is in check"
    );
    assert!(position.checkers().count() <= 2, "{fen}");
    assert_eq!(position.by_color(us) & position.by_color(them), Bitboard::EMPTY, "{fen}");

    // Every legal move gives a legal position.
    let legal = position.legal_moves();
    assert_eq!(legal.len() as u64, position.count_moves(), "{fen}");
    for &mv in legal.iter() {
        let after = position.after(mv);
        assert!(
            !after.is_attacked(after.king(us), them, after.occupied()),
            "{fen}: {mv:?} leaves the king in check"
        );
        // A clock may exceed the limits of a FEN.
        if after.halfmove_clock() <= 150 && after.fullmove_number() <= 9999 {
            assert_eq!(after.to_setup().validate().as_ref(), Ok(&after), "{fen} after {mv:?}");
        }
    }

    let packed = PackedPosition::from_position(position);
    let unpacked = packed
        .to_position()
        .unwrap_or_else(|refusal| panic!("the packed {fen} was not unpacked: {refusal:?}"));
    assert_eq!(
        (unpacked.key(), unpacked.pawn_key()),
        (position.key(), position.pawn_key()),
        "{fen} packed and unpacked"
    );
}
