use super::*;
use crate::chess::{CastlingSide, Color, File, Piece, Rank, Role, Setup, Square};

/// The frozen bytes of the start position: version 1, 164 bits of board, White to move, all rights,
/// standard rooks.
const START_BYTES: [u8; 23] = [
    0x1e, 0xf3, 0xfa, 0xe9, 0xfe, 0x76, 0xdb, 0x6d, 0xb4, 0x00, 0x00, 0x00, 0x02, 0x49, 0x24, 0x93,
    0xd9, 0xc6, 0xfb, 0x63, 0x3e, 0x87, 0x80,
];

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn unpack_error(bits: &str) -> PackedError {
    let bytes: Vec<u8> = bits
        .as_bytes()
        .chunks(8)
        .map(|chunk| {
            chunk.iter().enumerate().fold(0, |byte, (n, &bit)| byte | (bit - b'0') << (7 - n))
        })
        .collect();
    PackedPosition::from_bytes(&bytes).and_then(|packed| packed.to_position()).unwrap_err()
}

fn packed_bit_len(position: &Position) -> usize {
    Huffman::from_position(position).packed_bit_len
}

/// The bits of a packed form, with the padding.
fn bits(fen: &str) -> String {
    PackedPosition::from_position(&position(fen))
        .as_bytes()
        .iter()
        .map(|byte| format!("{byte:08b}"))
        .collect()
}

#[test]
fn the_bytes_of_the_start_position_are_frozen() {
    let packed = PackedPosition::from_position(&Position::startpos());
    assert_eq!(packed.as_bytes(), START_BYTES);
    assert_eq!(packed.to_text(), "HvP66f522220AAAAAkkkk9nG-2M-h4A");
    assert_eq!(packed_bit_len(&Position::startpos()), 178);
}

#[test]
fn clocks_are_not_packed() {
    let packed = PackedPosition::from_position(&position("4k3/8/8/8/8/8/8/4K3 b - - 42 17"));
    let read = packed.to_position().unwrap();
    assert_eq!(read.fen(), "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    assert_eq!(PackedPosition::from_position(&read), packed);
}

#[test]
fn the_largest_position_fits() {
    // Each side has 16 pieces, nearly all with the longest code, and all rights with rooks off the
    // corners. No legal position is larger.
    let mut setup = Setup::EMPTY;
    for (color, ranks) in
        [(Color::White, [Rank::First, Rank::Second]), (Color::Black, [Rank::Eighth, Rank::Seventh])]
    {
        for (rank, file) in ranks.into_iter().flat_map(|rank| File::ALL.map(|file| (rank, file))) {
            let role = match (file, rank) {
                (File::D, Rank::First | Rank::Eighth) => Role::King,
                (File::B | File::G, Rank::First | Rank::Eighth) => Role::Rook,
                _ => Role::Queen,
            };
            setup.board[Square::new(file, rank).index()] = Some(Piece::new(color, role));
        }
        setup.castling_rights.set(color, CastlingSide::King, Some(File::G));
        setup.castling_rights.set(color, CastlingSide::Queen, Some(File::B));
    }
    let position = Position::from_setup_unchecked(&setup);
    assert_eq!(packed_bit_len(&position), 4 + (28 * 6 + 4 * 5 + 32) + 9 + 1 + 12);
    assert_eq!(
        PackedPosition::from_position(&position).as_bytes().len(),
        packed_bit_len(&position).div_ceil(8)
    );
}

#[test]
fn chess960_rights_carry_the_files_of_their_rooks() {
    let fen = "1krr4/8/8/8/8/8/8/1KRR4 w Dc - 0 1";
    let packed = PackedPosition::from_position(&position(fen));
    assert_eq!(packed.to_position().unwrap(), position(fen));
    assert_eq!(
        packed_bit_len(&position(fen)),
        packed_bit_len(&position("1krr4/8/8/8/8/8/8/1KRR4 w - - 0 1")) + 6
    );
}

#[test]
fn non_canonical_packed_forms_are_rejected() {
    let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    let all = bits(fen);
    let used = packed_bit_len(&position(fen));
    let head = &all[..used];
    assert_eq!(unpack_error(&format!("0010{}", &all[4..])), PackedError::Version(2));
    assert_eq!(unpack_error(&all[..used - 9]), PackedError::TooShort);
    assert_eq!(unpack_error(&format!("{all}00000000")), PackedError::TrailingBytes);
    assert_eq!(unpack_error(&format!("{}1", &head[..used - 1])), PackedError::RedundantRookFiles);
    assert_eq!(
        unpack_error(&format!("{}1{}", &head[..used - 6], &all[used - 5..])),
        PackedError::EnPassantFile
    );
    assert_eq!(
        unpack_error(&format!("{}1{}", &head[..used - 9], &all[used - 8..])),
        PackedError::EnPassant
    );
    assert_eq!(
        unpack_error(&format!("{}1{}", &head[..used - 5], &all[used - 4..])),
        PackedError::Castling
    );

    // The start position leaves six bits of its last byte unused.
    let start = bits("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(unpack_error(&format!("{}1", &start[..start.len() - 1])), PackedError::Padding);
}

#[test]
fn an_illegal_position_is_rejected_with_its_own_errors() {
    // White is to move, but Black's king is in check.
    let black_to_move = bits("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1");
    let side = packed_bit_len(&position("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1")) - 10;
    let flipped = format!("{}1{}", &black_to_move[..side], &black_to_move[side + 1..]);
    assert!(matches!(unpack_error(&flipped), PackedError::Illegal(_)));

    let bytes: Vec<u8> = flipped
        .as_bytes()
        .chunks(8)
        .map(|byte| byte.iter().fold(0, |all, bit| all << 1 | (bit - b'0')))
        .collect();
    let invalid = parse_packed(&PackedPosition::from_bytes(&bytes).unwrap().to_text()).unwrap_err();
    let codes: Vec<_> =
        invalid.errors.iter().map(|error| (error.code.name(), error.field.name())).collect();
    assert_eq!(codes, [("packed_form", "packed"), ("opponent_in_check", "packed")]);
}

#[test]
fn no_bytes_make_unpacking_panic() {
    assert_eq!(PackedPosition::from_bytes(&[]).unwrap().to_position(), Err(PackedError::TooShort));
    assert_eq!(PackedPosition::from_bytes(&[0; 33]), Err(PackedError::TrailingBytes));
    for byte in 0..=255 {
        assert!(PackedPosition::from_bytes(&[byte; 32]).unwrap().to_position().is_err());
    }
    for text in ["", "A", "é", "HvP6=", &"A".repeat(1_000_000)] {
        assert!(parse_packed(text).is_err());
    }
}
