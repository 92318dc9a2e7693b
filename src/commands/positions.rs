//! The positions of `kibitzer analyse`: one of the command line, or the lines of a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use kibitzer::chess::parse_fen;
use tokio::sync::mpsc;

use super::BoxError;

/// The name of the start position, as in the HTTP API.
pub(super) const STARTPOS: &str = "startpos";

/// Longest line of a file of positions. A FEN has less than 100 bytes, and EPD adds comments.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The part of a longer line that an error shows.
const SHOWN_BYTES: usize = 100;

/// Lines that the reader is ahead of the searches.
const LINES_AHEAD: usize = 16;

/// A position to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The FEN, as written.
    pub(super) fen: String,
    /// Where it stands, `FILE:LINE`. `None` on the command line.
    pub(super) place: Option<String>,
}

/// The positions, in turn.
pub(super) enum Positions {
    Single(Option<Entry>),
    Lines(mpsc::Receiver<io::Result<Entry>>),
}

impl Positions {
    /// The positions that an argument means: a FEN, the path of a file, or `-` for standard input.
    pub(super) fn open(argument: &str) -> Result<Positions, BoxError> {
        let argument = argument.trim();
        if argument == "-" {
            return Positions::lines("standard input".to_owned(), io::stdin());
        }
        let path = Path::new(argument);
        if argument != STARTPOS && path.exists() {
            let open = || {
                let file = File::open(path)?;
                match file.metadata()?.is_dir() {
                    true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
                    false => Ok(file),
                }
            };
            let file = open().map_err(|error| format!("{argument}: {error}"))?;
            return Positions::lines(argument.to_owned(), file);
        }
        // A FEN has a board of eight ranks. Anything else is more likely a mistyped path.
        let is_like_fen = argument
            .split(' ')
            .next()
            .is_some_and(|board| board.matches('/').count() == 7 || parse_fen(argument).is_ok());
        if argument != STARTPOS && !is_like_fen {
            return Err(format!("{argument}: neither a file nor a FEN").into());
        }
        Ok(Positions::Single(Some(Entry { fen: argument.to_owned(), place: None })))
    }

    /// The positions of lines. They are read by a thread, so that Ctrl-C need not wait for a line.
    fn lines(name: String, input: impl Read + Send + 'static) -> Result<Positions, BoxError> {
        let (sender, receiver) = mpsc::channel(LINES_AHEAD);
        let read = move || {
            let mut input = BufReader::new(input);
            for number in 1_usize.. {
                let mut line = Vec::new();
                let entry = match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                    Ok(0) => return,
                    Ok(read) if read as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") => {
                        // The API refuses what is left of the line.
                        let fen = String::from_utf8_lossy(&line[..SHOWN_BYTES]).into_owned();
                        let skipped = input.skip_until(b'\n').map(drop);
                        skipped.map(|()| Entry { fen, place: Some(format!("{name}:{number}")) })
                    }
                    Ok(_) => match fen_of(&String::from_utf8_lossy(&line)) {
                        None => continue,
                        Some(fen) => Ok(Entry { fen, place: Some(format!("{name}:{number}")) }),
                    },
                    Err(error) => Err(io::Error::new(error.kind(), format!("{name}: {error}"))),
                };
                let is_last = entry.is_err();
                if sender.blocking_send(entry).is_err() || is_last {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("positions".to_owned()).spawn(read)?;
        Ok(Positions::Lines(receiver))
    }

    /// Waits for the next position. `None` after the last one.
    pub(super) async fn next(&mut self) -> io::Result<Option<Entry>> {
        match self {
            Positions::Single(entry) => Ok(entry.take()),
            Positions::Lines(lines) => lines.recv().await.transpose(),
        }
    }
}

/// The FEN of a line. `None` for an empty line and for a comment, which begins with `#`. Operations
/// of EPD, such as `bm Nf3;`, are left out: they ask nothing of an analysis.
fn fen_of(line: &str) -> Option<String> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let is_clock = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (position, rest) = fields.split_at(fields.len().min(4));
    let clocks = rest.iter().take(2).take_while(|field| is_clock(field));
    let is_epd = rest.iter().any(|field| field.ends_with(';'));
    match is_epd {
        true => Some(position.iter().chain(clocks).copied().collect::<Vec<_>>().join(" ")),
        // Not EPD: the API says what is wrong with a further field.
        false => Some(fields.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_fen_without_operations() {
        const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (line, fen) in [
            (format!("{FEN} 0 1\r\n"), Some(format!("{FEN} 0 1"))),
            (format!("\u{feff}{FEN} bm e4; id \"no. 1\";"), Some(FEN.to_owned())),
            (format!("{FEN} 3 9 bm e4;"), Some(format!("{FEN} 3 9"))),
            (format!("{FEN} x"), Some(format!("{FEN} x"))),
            ("  startpos  ".to_owned(), Some("startpos".to_owned())),
            ("# comment".to_owned(), None),
            ("\n".to_owned(), None),
        ] {
            assert_eq!(fen_of(&line), fen, "{line}");
        }
    }
}
