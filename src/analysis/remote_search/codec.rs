//! The encoding of a search for another node, version 1.
//!
//! The version as a byte; a byte of flags: 1 batch, 2 without tablebases, 4 depth, 8 nodes, 16
//! mate; the limits that the flags name, and the time in milliseconds; the number of lines; the
//! root moves; the client as a text; the first position as a FEN; the moves. Numbers are LEB128.

use std::sync::Arc;
use std::time::Duration;

use super::{RemoteSearch, is_possible};
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;
use crate::chess::{Game, Position};
use crate::engine::{Limits, SearchOptions};
use crate::store::DecodeError;
use crate::store::bytes::{ByteReader, write_moves, write_text, write_varint};

const VERSION: u8 = 1;

/// The longest encoding that is read, in bytes. The moves that can recur are at most 150.
const MAX_BYTES: usize = 4_096;

/// The most moves of a history.
const MAX_MOVES: usize = 512;

const BATCH: u8 = 1;
const NO_TABLEBASE: u8 = 2;
const DEPTH: u8 = 4;
const NODES: u8 = 8;
const MATE: u8 = 16;

impl RemoteSearch {
    /// Encodes the search.
    pub fn to_bytes(&self) -> Vec<u8> {
        let RemoteSearch { game, limits, options, client, class } = self;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let mut bytes = vec![VERSION];
        bytes.push(
            flag(*class == PriorityClass::Batch, BATCH)
                | flag(!options.use_tablebase, NO_TABLEBASE)
                | flag(limits.depth.is_some(), DEPTH)
                | flag(limits.nodes.is_some(), NODES)
                | flag(limits.mate.is_some(), MATE),
        );
        limits.depth.iter().for_each(|&depth| bytes.push(depth));
        limits.nodes.iter().for_each(|&nodes| write_varint(&mut bytes, nodes));
        limits.mate.iter().for_each(|&mate| bytes.push(mate));
        let time = limits.movetime.unwrap_or(Duration::MAX);
        write_varint(&mut bytes, u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        write_varint(&mut bytes, options.multipv as u64);
        write_moves(&mut bytes, &options.search_moves);
        write_text(&mut bytes, &client.to_string());
        write_text(&mut bytes, &game.start().fen());
        write_moves(&mut bytes, game.moves());
        bytes
    }

    /// Decodes a search that is possible: its position is legal, and so is each move.
    ///
    /// # Errors
    /// The bytes are damaged, of another version, or of no possible search.
    pub fn from_bytes(bytes: &[u8]) -> Result<RemoteSearch, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        if bytes.len() > MAX_BYTES || reader.read_u8()? != VERSION {
            return Err(DecodeError);
        }
        let flags = reader.read_u8()?;
        let has = |flag: u8| flags & flag != 0;
        let limits = Limits {
            depth: if has(DEPTH) { Some(reader.read_u8()?) } else { None },
            nodes: if has(NODES) { Some(reader.read_varint()?) } else { None },
            mate: if has(MATE) { Some(reader.read_u8()?) } else { None },
            movetime: Some(Duration::from_millis(reader.read_varint()?)),
            clock: None,
        };
        let options = SearchOptions {
            multipv: reader.read_varint_as()?,
            search_moves: reader.read_moves()?,
            use_tablebase: !has(NO_TABLEBASE),
            ..SearchOptions::default()
        };
        let client = Client::new(&reader.read_text()?);
        let start = Position::from_fen(&reader.read_text()?).map_err(|_| DecodeError)?;
        let moves = reader.read_moves()?;
        reader.expect_end()?;
        let mut game = Game::new(start);
        if moves.len() > MAX_MOVES {
            return Err(DecodeError);
        }
        for mv in moves {
            if !game.position().is_legal(mv) {
                return Err(DecodeError);
            }
            game.play(mv);
        }
        let class = if has(BATCH) { PriorityClass::Batch } else { PriorityClass::Interactive };
        if !is_possible(&game, &limits, &options) {
            return Err(DecodeError);
        }
        Ok(RemoteSearch { game: Arc::new(game), limits, options, client, class })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chess::parse_move;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in moves.split_whitespace() {
            game.play(parse_move(game.position(), text).unwrap());
        }
        game
    }

    fn search(game: Game, search_moves: &[&str]) -> RemoteSearch {
        let moves = search_moves.iter().map(|mv| parse_move(game.position(), mv).unwrap());
        let search_moves = moves.collect();
        RemoteSearch {
            game: Arc::new(game),
            limits: Limits {
                depth: Some(20),
                nodes: Some(1_000_000),
                movetime: Some(Duration::from_millis(60_000)),
                mate: None,
                clock: None,
            },
            options: SearchOptions { multipv: 2, search_moves, ..SearchOptions::default() },
            client: Client::new("ann"),
            class: PriorityClass::Batch,
        }
    }

    fn encoded() -> Vec<u8> {
        search(game("g1f3 g8f6"), &["e2e4", "d2d4"]).to_bytes()
    }

    #[test]
    fn a_search_round_trips() {
        let search = RemoteSearch::from_bytes(&encoded()).unwrap();
        assert_eq!(search.game.moves(), game("g1f3 g8f6").moves());
        assert_eq!(search.limits.nodes, Some(1_000_000));
        assert_eq!((search.options.multipv, search.options.search_moves.len()), (2, 2));
        assert_eq!((search.client, search.class), (Client::new("ann"), PriorityClass::Batch));
    }

    #[test]
    fn the_encoding_is_version_1() {
        // Batch with depth and nodes: depth 20, 1,000,000 nodes, 60,000 ms, 2 lines, 2 root moves.
        let expected = [1, 13, 20, 0xc0, 0x84, 0x3d, 0xe0, 0xd4, 3, 2, 2];
        assert_eq!(encoded()[..expected.len()], expected);
    }

    #[test]
    fn impossible_searches_and_other_versions_are_errors() {
        assert!(RemoteSearch::from_bytes(&[&[2], &encoded()[1..]].concat()).is_err());
        assert!(
            RemoteSearch::from_bytes(&[&encoded()[..], &[0]].concat()).is_err(),
            "bytes behind"
        );
        let of = |search: &RemoteSearch| RemoteSearch::from_bytes(&search.to_bytes());
        assert!(of(&search(game("f2f3 e7e5 g2g4 d8h4"), &[])).is_err(), "the game is over");
        let mut no_lines = search(game(""), &[]);
        no_lines.options.multipv = 0;
        assert!(of(&no_lines).is_err());
        let mut illegal = search(game(""), &[]);
        illegal.options.search_moves = game("e2e4 e7e5").moves()[1..].to_vec();
        assert!(of(&illegal).is_err(), "a root move of the other side");
    }

    proptest! {
        #[test]
        fn damaged_bytes_do_not_panic(
            place in any::<prop::sample::Index>(),
            value in any::<u8>(),
            length in any::<prop::sample::Index>(),
        ) {
            let mut bytes = encoded();
            prop_assert!(RemoteSearch::from_bytes(&bytes[..length.index(bytes.len())]).is_err());
            let place = place.index(bytes.len());
            bytes[place] = value;
            let _ = RemoteSearch::from_bytes(&bytes);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in any::<Vec<u8>>()) {
            let _ = RemoteSearch::from_bytes(&[&[1], &bytes[..]].concat());
        }
    }
}
