//! A search on a thread of its own.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::backend::{Job, Told};
use super::handicap::Handicap;
use super::leash::Leash;
use super::output::{Info, Output, best_move};
use crate::chess::{CastlingText, Move, Position};
use crate::engine::{Report, STACK_BYTES};

/// How a search's result is to be told.
pub(super) struct Telling {
    /// Where it searches.
    pub(super) root: Position,
    /// The greatest number of lines to tell.
    pub(super) multipv: usize,
    /// How castling is written.
    pub(super) castling: CastlingText,
    /// Whether to tell the chances of win, draw and loss.
    pub(super) show_wdl: bool,
    /// How weakly to play.
    pub(super) handicap: Option<Handicap>,
}

/// A search that was begun. It may have ended by itself.
pub(super) struct Thinking {
    leash: Arc<Leash>,
    thread: JoinHandle<io::Result<()>>,
}

impl Thinking {
    /// Begins a search.
    ///
    /// # Errors
    ///
    /// When the system grants no thread.
    pub(super) fn begin(
        telling: Telling,
        job: Job,
        leash: Leash,
        output: Arc<Output>,
    ) -> io::Result<Thinking> {
        let leash = Arc::new(leash);
        let held = Arc::clone(&leash);
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || think(&telling, job, &held, &output))?;
        Ok(Thinking { leash, thread })
    }

    /// Tells it to stop; it says its move soon.
    pub(super) fn stop(&self) {
        self.leash.stop();
    }

    /// The expected move was played.
    pub(super) fn ponder_hit(&self) {
        self.leash.ponder_hit();
    }

    /// Stops it and waits for its end.
    ///
    /// # Errors
    ///
    /// When what it had to say could not be said.
    pub(super) fn end(self) -> io::Result<()> {
        self.leash.stop();
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the search thread failed")))
    }
}

/// Searches, and says what is found.
fn think(telling: &Telling, job: Job, leash: &Leash, output: &Output) -> io::Result<()> {
    let mut told = Voice { telling, leash, output, last: None, said: Ok(()) };
    // A GUI waits for the answer to every `go`, whatever happens.
    let searched =
        catch_unwind(AssertUnwindSafe(|| job(leash.flag(), &mut |news| told.hear(news))));
    let Voice { last, mut said, .. } = told;
    let report = match searched {
        Ok(report) => {
            if said.is_ok() && last.as_ref().is_none_or(|last| !says_the_same(last, &report)) {
                said = output.say(&telling.info(&report, None).text());
            }
            Some(report)
        }
        Err(_) => {
            said = said.and(output.note("the search failed; this is a fault of the engine"));
            last
        }
    };
    said?;
    leash.wait_until_released();
    let line = report.map(|report| telling.line(&report)).unwrap_or_default();
    output.say(&best_move(&telling.root, &telling.or_any_move(line), telling.castling))
}

fn says_the_same(a: &Report, b: &Report) -> bool {
    (a.depth, a.nodes, a.score, &a.pv) == (b.depth, b.nodes, b.score, &b.pv)
}

/// Passes on what a search tells.
struct Voice<'a> {
    telling: &'a Telling,
    leash: &'a Leash,
    output: &'a Output,
    last: Option<Report>,
    said: io::Result<()>,
}

impl Voice<'_> {
    fn hear(&mut self, news: Told<'_>) {
        if self.said.is_err() {
            return;
        }
        self.said = match news {
            Told::Note(text) => self.output.note(&text),
            Told::Progress { report, hash_permille } => {
                self.last = Some(report.clone());
                self.output.say(&self.telling.info(report, hash_permille).text())
            }
        };
        if self.said.is_err() {
            // Nobody listens any more.
            self.leash.stop();
        }
    }
}

impl Telling {
    fn info<'a>(&'a self, report: &'a Report, hash_permille: Option<u32>) -> Info<'a> {
        let Telling { multipv, castling, show_wdl, .. } = *self;
        Info { root: &self.root, report, multipv, hash_permille, show_wdl, castling }
    }

    /// The line that is played.
    fn line(&self, report: &Report) -> Vec<Move> {
        match self.handicap {
            Some(handicap) => handicap.choose(report).to_vec(),
            None => report.pv.clone(),
        }
    }

    /// Where the rules have ended the game by a draw there is no line; a GUI that plays on gets any
    /// move. So does one whose server is silent.
    fn or_any_move(&self, line: Vec<Move>) -> Vec<Move> {
        if line.is_empty() { self.root.legal_moves().into_iter().take(1).collect() } else { line }
    }
}
