//! Moves in UCI and SAN.

use kibitzer::chess::{CastlingNotation, Position, parse_move, to_san, to_uci};

/// Positions that together have every kind of move.
pub(crate) const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
    "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    "8/7k/1Q6/8/8/8/1Q3Q2/K7 w - - 0 1",
    "7k/8/2N1N3/1N3N2/8/1N3N2/2N1N3/K7 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/8/8/8/8/8/5RKR w HF - 0 1",
    "4k3/8/8/8/8/8/8/1R4KR w HB - 0 1",
    "1r4kr/8/8/8/8/8/8/4K3 b hb - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
];

/// Parses the bytes as a move; the first byte chooses the position, the others are the text.
pub(crate) fn check(data: &[u8]) -> bool {
    let Some((&choice, text)) = data.split_first() else { return false };
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let position = &positions()[usize::from(choice) % POSITIONS.len()];
    let Ok(mv) = parse_move(position, text) else { return false };

    let fen = position.fen();
    assert!(position.is_legal(mv), "{text} in {fen}");
    let spellings = [
        to_san(position, mv),
        to_uci(position, mv, CastlingNotation::Standard),
        to_uci(position, mv, CastlingNotation::Chess960),
    ];
    for spelling in spellings {
        assert_eq!(parse_move(position, &spelling), Ok(mv), "{text} in {fen}, spelled {spelling}");
    }
    true
}

/// The parsed [`POSITIONS`].
pub(crate) fn positions() -> &'static [Position] {
    static PARSED: std::sync::LazyLock<Vec<Position>> = std::sync::LazyLock::new(|| {
        let parse = |fen: &&str| {
            Position::from_fen(fen).unwrap_or_else(|refusal| panic!("{fen}: {refusal:?}"))
        };
        POSITIONS.iter().map(parse).collect()
    });
    &PARSED
}
