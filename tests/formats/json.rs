//! Encodings as JSON, in the form of the vectors, and the comparison of JSON values.

use kibitzer::chess::encodings::{
    Bitboards, CastleFlags, Checks, GameState, Huffman, Mailbox69, MoveRecord, Nibbles,
    SevenBoards, SideBitboards, UndoableMove, castling_ep_byte, key_parts, magic_lookups,
    piece_bytes, piece_list,
};
use kibitzer::chess::{
    Bitboard, CastlingNotation, Color, Game, Move, Position, to_san, to_san_all, to_uci,
};
use serde_json::{Map, Value, json};

/// The views of the last position of a game that the suite has.
pub(crate) fn views(game: &Game) -> Value {
    let position = game.position();
    json!({
        "list": list(&Mailbox69::from_position(position)),
        "bitboards": bitboards(&Bitboards::from_position(position)),
        "boards": boards(&SevenBoards::from_position(position)),
        "nibbles": Nibbles::from_position(position).to_string(),
        "pieces": pieces(position),
        "piece_bytes": piece_bytes(game).to_vec(),
        "special": castling_ep_byte(position),
        "state": state(&GameState::from_position(position)),
        "huffman": huffman(&Huffman::from_position(position)),
        "checks": checks(&Checks::from_position(position)),
    })
}

/// The view `magics`.
pub(crate) fn magics(position: &Position) -> Value {
    let lookups = magic_lookups(position).into_iter().map(|lookup| {
        json!({
            "square": lookup.square.to_string(),
            "role": lookup.role.name(),
            "relevant": hex(lookup.relevant),
            "magic": format!("{:016x}", lookup.magic),
            "shift": lookup.shift,
            "index": lookup.index,
            "attacks": hex(lookup.attacks),
        })
    });
    lookups.collect()
}

/// The view `zobrist`.
pub(crate) fn zobrist(position: &Position) -> Value {
    let parts = key_parts(position).into_iter().map(|part| {
        json!({
            "number": part.number(),
            "value": format!("{:016x}", part.value()),
            "meaning": part.to_string(),
        })
    });
    parts.collect()
}

fn pieces(position: &Position) -> Value {
    let pieces = piece_list(position);
    let pieces = pieces.iter().map(|piece| {
        json!({
            "color": piece.color.name(),
            "type": piece.role.name(),
            "position": piece.square.index(),
        })
    });
    pieces.collect()
}

/// Every legal move by rising code; null if there is none.
pub(crate) fn edges(position: &Position) -> Value {
    let mut moves = position.legal_moves().to_vec();
    moves.sort_unstable();
    let sans = to_san_all(position, &moves);
    let edges: Vec<_> = moves
        .iter()
        .zip(sans)
        .map(|(&mv, san)| {
            json!({
                "uci": to_uci(position, mv, CastlingNotation::Standard),
                "uci960": to_uci(position, mv, CastlingNotation::Chess960),
                "san": san.text.as_str(),
                "code": mv.code(),
                "instruction": UndoableMove::new(position, mv).entries(),
                "key": key(&position.after(mv)),
            })
        })
        .collect();
    if edges.is_empty() { Value::Null } else { Value::Array(edges) }
}

/// A played move.
pub(crate) fn played(before: &Position, mv: Move) -> Value {
    let after = before.after(mv);
    json!({
        "uci": to_uci(before, mv, CastlingNotation::Standard),
        "san": to_san(before, mv),
        "code": mv.code(),
        "instruction": UndoableMove::from_positions(before, mv, &after).entries(),
        "record": record(&MoveRecord::new(before, mv)),
        "key": key(&after),
    })
}

/// The key in hex.
pub(crate) fn key(position: &Position) -> String {
    format!("{:016x}", position.key())
}

/// The 69 entries of the list.
pub(crate) fn list(list: &Mailbox69) -> Value {
    let mut entries: Vec<Value> =
        list.squares.iter().chain(&list.kings).map(|&entry| entry.into()).collect();
    entries.extend([list.castling.into(), list.en_passant.into(), list.white_to_move.into()]);
    Value::Array(entries)
}

fn bitboards(view: &Bitboards) -> Value {
    let mut object = Map::new();
    for (color, army) in [("white", &view.white), ("black", &view.black)] {
        let SideBitboards { pawns, knights, bishops, rooks, queens, kings, all } = army;
        let kinds = [
            ("pawns", pawns),
            ("knights", knights),
            ("bishops", bishops),
            ("rooks", rooks),
            ("queens", queens),
            ("kings", kings),
        ];
        for (kind, bitboard) in kinds {
            object.insert(format!("{color}_{kind}"), hex(*bitboard));
        }
        object.insert(format!("all_{color}"), hex(*all));
    }
    object.insert("all_pieces".to_owned(), hex(view.all_pieces));
    object.insert("side".to_owned(), view.side.name().into());
    object.insert("opponent_side".to_owned(), (!view.side).name().into());
    object.insert("en_passant_position".to_owned(), hex(view.en_passant_position));
    add_flags(&mut object, view.castle);
    Value::Object(object)
}

fn add_flags(object: &mut Map<String, Value>, flags: CastleFlags) {
    object.insert("white_king_side_castle".to_owned(), flags.white_king_side.into());
    object.insert("white_queen_side_castle".to_owned(), flags.white_queen_side.into());
    object.insert("black_king_side_castle".to_owned(), flags.black_king_side.into());
    object.insert("black_queen_side_castle".to_owned(), flags.black_queen_side.into());
}

fn boards(view: &SevenBoards) -> Value {
    json!({
        "pawn": hex(view.pawn),
        "knight": hex(view.knight),
        "bishop": hex(view.bishop),
        "rook": hex(view.rook),
        "queen": hex(view.queen),
        "king": hex(view.king),
        "white": hex(view.white),
    })
}

fn state(view: &GameState) -> Value {
    json!({
        "turn": view.turn.name(),
        "en_passant": view.en_passant.is_some(),
        "en_passant_file": view.en_passant.map(|file| file as u8),
        "castling": view.castling,
        "halfmove_clock": view.halfmove_clock,
        "fullmove_number": view.fullmove_number,
        "bits": view.bits(),
    })
}

fn huffman(view: &Huffman) -> Value {
    json!({
        "board": view.board,
        "board_bits": view.board_bit_len(),
        "bits": view.packed_bit_len,
        "packed": view.packed.to_text(),
    })
}

fn checks(view: &Checks) -> Value {
    let pins = |color| {
        let pins = view.pins_of(color);
        pins.rays.iter().copied().chain([pins.union()]).map(hex).collect::<Vec<_>>()
    };
    json!({
        "checkers": hex(view.checkers),
        "check_mask": hex(view.check_mask),
        "pins": {"white": pins(Color::White), "black": pins(Color::Black)},
    })
}

fn record(record: &MoveRecord) -> Value {
    let mut object = Map::new();
    object.insert("start".to_owned(), hex(record.start));
    object.insert("end".to_owned(), hex(record.end));
    object.insert(
        "captured_side".to_owned(),
        record.captured.map(|captured| captured.side.name()).into(),
    );
    object.insert(
        "captured_piece".to_owned(),
        record.captured.map(|captured| captured.piece()).into(),
    );
    object.insert(
        "captured_bitboard".to_owned(),
        record.captured.map_or(Value::Null, |captured| hex(captured.bitboard)),
    );
    object.insert("castle_type".to_owned(), record.castle_type().into());
    add_flags(&mut object, record.castle_before);
    Value::Object(object)
}

fn hex(bitboard: Bitboard) -> Value {
    bitboard.to_string().into()
}

/// Compares two values; the error names the first difference.
pub(crate) fn expect_equal(ours: &Value, expected: &Value) -> Result<(), String> {
    match difference("", ours, expected) {
        None => Ok(()),
        Some(message) => Err(message),
    }
}

fn difference(path: &str, ours: &Value, expected: &Value) -> Option<String> {
    let describe = || Some(format!("{path} is {ours}, expected {expected}"));
    match (ours, expected) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(n, (a, b))| difference(&format!("{path}/{n}"), a, b)),
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(name, a)| difference(&format!("{path}/{name}"), a, &b[name]))
        }
        _ if ours == expected => None,
        _ => describe(),
    }
}
