//! What is given as a job, and how its text becomes games.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::JobError;
use super::plan::positions_of;
use crate::analysis::Client;
use crate::chess::pgn::{BadGame, GameResult, Headers, PgnError, PgnGame, PgnReader};
use crate::store::jobs::{Asked, Fault, MOST_FINDING_BYTES, Played, Sheet};

/// A game with more half-moves is not reviewed. The longest that masters have played has 538.
const LONGEST_GAME: usize = 2_000;

/// Games of one job.
const MOST_GAMES: usize = 20_000;

/// What a game takes at most, beside its sheet, its text and its findings: keys, and a share of the
/// tree.
const GAME_BYTES: u64 = 128;

/// So many games that cannot be read are told of a text that has no other.
const MOST_FAULTS: usize = 20;

/// Games to be reviewed.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Whose job it is: it waits for its turn as that client's.
    pub client: Client,
    /// One or more games in PGN.
    pub text: String,
    /// How hard each position is searched.
    pub asked: Asked,
    /// The client's own name for the job: given again, with the same text and limits, it is the
    /// same job.
    pub key: Option<String>,
}

impl Submission {
    /// What stands for the client's name for the job, where it has one.
    pub(super) fn key_digest(&self) -> Option<[u8; 32]> {
        let key = self.key.as_ref()?;
        let client = self.client.to_string();
        let digest =
            Sha256::new().chain_update((client.len() as u64).to_be_bytes()).chain_update(client);
        Some(digest.chain_update(key).finalize().into())
    }

    /// What stands for all that is asked.
    pub(super) fn digest(&self) -> [u8; 32] {
        let Asked { depth, nodes, movetime, multipv } = self.asked;
        let asked =
            format!("{depth:?} {nodes:?} {:?} {multipv}\n", movetime.map(|time| time.as_millis()));
        Sha256::new().chain_update(asked).chain_update(&self.text).finalize().into()
    }
}

/// The games of a text, as they are kept.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) games: Vec<GameRow>,
    /// Moves of each that are reviewed.
    pub(super) plies: Vec<u32>,
    /// What all of it takes at most, with what will be found.
    pub(super) bytes: u64,
}

/// A game, as it is kept.
#[derive(Debug)]
pub(super) struct GameRow {
    pub(super) sheet: Vec<u8>,
    /// Where it stands in the text; nowhere when it cannot be read.
    pub(super) text: Option<Range<usize>>,
}

impl Contents {
    /// Reads all games of a text. One that cannot be read is kept with what is wrong with it.
    ///
    /// # Errors
    /// When there is none that can be read, and when there are too many.
    pub(super) fn read(text: &str) -> Result<Contents, JobError> {
        let mut contents = Contents::default();
        let mut faults = Vec::new();
        let mut reader = PgnReader::new(text);
        let mut begin = 0;
        while let Some(read) = reader.next() {
            let place = begin..reader.offset();
            begin = place.end;
            if contents.games.len() >= MOST_GAMES {
                return Err(JobError::TooManyGames { most: MOST_GAMES });
            }
            let sheet = sheet(read, || line_of(text, place.start));
            if let Err(fault) = &sheet.read
                && faults.len() < MOST_FAULTS
            {
                faults.push(fault.clone());
            }
            contents.add(&sheet, place);
        }
        let has_any = contents.games.iter().any(|game| game.text.is_some());
        if has_any { Ok(contents) } else { Err(JobError::NoGame(faults)) }
    }

    fn add(&mut self, sheet: &Sheet, place: Range<usize>) {
        let moves = sheet.read.as_ref().map_or(0, |played| played.moves.len());
        let plies = u32::try_from(moves).unwrap_or(u32::MAX);
        let text = sheet.read.is_ok().then_some(place);
        let row = GameRow { sheet: sheet.encode(), text };
        self.bytes += GAME_BYTES
            + row.sheet.len() as u64
            + row.text.as_ref().map_or(0, |text| text.len() as u64)
            + positions_of(plies) * MOST_FINDING_BYTES;
        self.plies.push(plies);
        self.games.push(row);
    }
}

fn sheet(read: Result<PgnGame, BadGame>, line: impl Fn() -> u32) -> Sheet {
    match read {
        Ok(PgnGame { headers, result, start, line: played }) => {
            let moves: Vec<_> = played.moves.iter().map(|mv| mv.mv()).collect();
            let is_too_long = moves.len() > LONGEST_GAME;
            let read = if is_too_long {
                Err(too_long(moves.len(), line()))
            } else {
                Ok(Played { start, moves })
            };
            Sheet { headers, result, read }
        }
        Err(BadGame { headers, error }) => {
            Sheet { result: result_of(&headers), headers, read: Err(fault(error)) }
        }
    }
}

fn too_long(plies: usize, line: u32) -> Fault {
    Fault {
        code: "too_long".to_owned(),
        detail: format!("the game has {plies} half-moves, but at most {LONGEST_GAME} are reviewed"),
        ply: LONGEST_GAME as u32 + 1,
        line,
        column: 1,
        text: String::new(),
    }
}

fn fault(error: PgnError) -> Fault {
    let PgnError { ply, line, column, text, fault, .. } = error;
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let detail = format!("line {line}, column {column}: {text:?}: {fault}");
    Fault {
        code: fault.name().to_owned(),
        detail,
        ply: small(ply),
        line: small(line),
        column: small(column),
        text,
    }
}

fn result_of(headers: &Headers) -> GameResult {
    headers.get("Result").and_then(GameResult::read).unwrap_or_default()
}

/// The line of the first word from a byte on, from 1.
fn line_of(text: &str, byte: usize) -> u32 {
    let rest = text.get(byte..).unwrap_or_default();
    let first = byte + (rest.len() - rest.trim_start().len());
    let ends = text.as_bytes()[..first].iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(ends + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(client: &str, key: Option<&str>, text: &str, depth: Option<u8>) -> Submission {
        let asked = Asked { depth, nodes: None, movetime: None, multipv: 1 };
        Submission {
            client: Client::new(client),
            text: text.to_owned(),
            asked,
            key: key.map(str::to_owned),
        }
    }

    #[test]
    fn a_bad_game_is_a_fault_of_its_own_with_its_place() {
        let contents =
            Contents::read("1. e4 e5 *\n\n[White \"x\"]\n\n1. e4 Ke5 *\n\n1. d4 1-0").unwrap();
        assert_eq!(contents.plies, [2, 0, 1]);
        let text: Vec<_> = contents.games.iter().map(|game| game.text.is_some()).collect();
        assert_eq!(text, [true, false, true]);
        let one = Contents::read("1. e4 e5 *").unwrap().bytes;
        assert!(contents.bytes > one && one > 3 * MOST_FINDING_BYTES);
    }

    #[test]
    fn a_text_without_a_game_is_refused_with_what_is_wrong() {
        let Err(JobError::NoGame(faults)) = Contents::read("\n\n1. e4 Ke5 *\n1. e5 *") else {
            panic!("a game")
        };
        let places: Vec<_> =
            faults.iter().map(|fault| (fault.code.as_str(), fault.line, fault.ply)).collect();
        assert_eq!(places, [("not_legal", 3, 2), ("not_legal", 4, 1)]);
        assert!(
            matches!(Contents::read(" \n"), Err(JobError::NoGame(faults)) if faults.is_empty())
        );
    }

    #[test]
    fn a_game_without_end_is_not_reviewed() {
        let text = format!("1. e4 *\n\n[White \"x\"]\n\n{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(501));
        let contents = Contents::read(&text).unwrap();
        assert_eq!(contents.plies, [1, 0]);
        assert_eq!(line_of(&text, 7), 3);
    }

    #[test]
    fn the_text_of_a_game_reads_as_the_same_game() {
        let text = "% a file\n[White \"A\"]\n\n1. e4 {one} e5 (1... c5) 1-0 [White \"B\"] 1. d4 $1 d5 *\n\n1. c4 *";
        let whole: Vec<_> = PgnReader::new(text).map(Result::unwrap).collect();
        let contents = Contents::read(text).unwrap();
        let again = contents
            .games
            .iter()
            .map(|game| PgnReader::new(&text[game.text.clone().unwrap()]).next().unwrap().unwrap());
        assert_eq!(again.collect::<Vec<_>>(), whole);
    }

    #[test]
    fn a_name_is_its_clients_own_and_what_is_asked_is_all_of_it() {
        let key = |client, name| submission(client, Some(name), "", None).key_digest();
        assert_eq!(submission("ann", None, "", None).key_digest(), None);
        assert_eq!(key("ann", "x"), key("ann", "x"));
        assert_ne!(key("ann", "x"), key("bob", "x"));
        assert_ne!(key("ann", "bx"), key("annb", "x"));
        let digest = |text, depth| submission("ann", None, text, depth).digest();
        assert_eq!(digest("1. e4", Some(3)), digest("1. e4", Some(3)));
        assert_ne!(digest("1. e4", Some(3)), digest("1. d4", Some(3)));
        assert_ne!(digest("1. e4", Some(3)), digest("1. e4", None));
    }
}
