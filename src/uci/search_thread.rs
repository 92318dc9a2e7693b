//! A search on a thread of its own.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::backend::{PreparedSearch, Update};
use super::handicap::Handicap;
use super::output::{Info, Output, bestmove_line};
use super::search_control::SearchControl;
use crate::chess::{CastlingNotation, Move, Position};
use crate::engine::{Report, STACK_BYTES};

/// How a search's result is to be told.
pub(super) struct OutputOptions {
    /// Where it searches.
    pub(super) root: Position,
    /// The greatest number of lines to tell.
    pub(super) multipv: usize,
    /// How castling is written.
    pub(super) castling: CastlingNotation,
    /// Whether to tell the chances of win, draw and loss.
    pub(super) show_wdl: bool,
    /// How weakly to play.
    pub(super) handicap: Option<Handicap>,
}

/// A search that was begun. It may have ended by itself.
pub(super) struct SearchThread {
    control: Arc<SearchControl>,
    thread: JoinHandle<io::Result<()>>,
}

impl SearchThread {
    /// Begins a search.
    ///
    /// # Errors
    ///
    /// When the system grants no thread.
    pub(super) fn start(
        output_options: OutputOptions,
        search: PreparedSearch,
        control: SearchControl,
        output: Arc<Output>,
    ) -> io::Result<SearchThread> {
        let control = Arc::new(control);
        let thread_control = Arc::clone(&control);
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || run_search(&output_options, search, &thread_control, &output))?;
        Ok(SearchThread { control, thread })
    }

    /// Tells it to stop; it says its move soon.
    pub(super) fn stop(&self) {
        self.control.stop();
    }

    /// The expected move was played.
    pub(super) fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Stops it and waits for its end.
    ///
    /// # Errors
    ///
    /// When what it had to say could not be said.
    pub(super) fn stop_and_join(self) -> io::Result<()> {
        self.control.stop();
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the search thread failed")))
    }
}

/// Searches, and says what is found.
fn run_search(
    output_options: &OutputOptions,
    search: PreparedSearch,
    control: &SearchControl,
    output: &Output,
) -> io::Result<()> {
    let mut reporter =
        InfoReporter { output_options, control, output, last_report: None, write_result: Ok(()) };
    // A GUI waits for the answer to every `go`, whatever happens.
    let result = catch_unwind(AssertUnwindSafe(|| {
        search(control.stop_flag(), &mut |update| reporter.report(update))
    }));
    let InfoReporter { last_report, mut write_result, .. } = reporter;
    let report = match result {
        Ok(report) => {
            if write_result.is_ok()
                && last_report.as_ref().is_none_or(|last| !is_same_report(last, &report))
            {
                write_result =
                    output.write_lines(&output_options.info(&report, None).format_lines());
            }
            Some(report)
        }
        Err(_) => {
            write_result = write_result
                .and(output.write_info_string("the search failed; this is a fault of the engine"));
            last_report
        }
    };
    write_result?;
    control.wait_until_best_move_allowed();
    let line = report.map(|report| output_options.chosen_line(&report)).unwrap_or_default();
    output.write_lines(&bestmove_line(
        &output_options.root,
        &output_options.or_any_legal_move(line),
        output_options.castling,
    ))
}

fn is_same_report(a: &Report, b: &Report) -> bool {
    (a.depth, a.nodes, a.score, &a.pv) == (b.depth, b.nodes, b.score, &b.pv)
}

/// Passes on what a search tells.
struct InfoReporter<'a> {
    output_options: &'a OutputOptions,
    control: &'a SearchControl,
    output: &'a Output,
    last_report: Option<Report>,
    write_result: io::Result<()>,
}

impl InfoReporter<'_> {
    fn report(&mut self, update: Update<'_>) {
        if self.write_result.is_err() {
            return;
        }
        self.write_result = match update {
            Update::Note(text) => self.output.write_info_string(&text),
            Update::Progress { report, hash_permille } => {
                self.last_report = Some(report.clone());
                self.output
                    .write_lines(&self.output_options.info(report, hash_permille).format_lines())
            }
        };
        if self.write_result.is_err() {
            // Nobody listens any more.
            self.control.stop();
        }
    }
}

impl OutputOptions {
    fn info<'a>(&'a self, report: &'a Report, hash_permille: Option<u32>) -> Info<'a> {
        let OutputOptions { multipv, castling, show_wdl, .. } = *self;
        Info { root: &self.root, report, multipv, hash_permille, show_wdl, castling }
    }

    /// The line that is played.
    fn chosen_line(&self, report: &Report) -> Vec<Move> {
        match self.handicap {
            Some(handicap) => handicap.choose_line(report).to_vec(),
            None => report.pv.clone(),
        }
    }

    /// Where the rules have ended the game by a draw there is no line; a GUI that plays on gets any
    /// move. So does one whose server is silent.
    fn or_any_legal_move(&self, line: Vec<Move>) -> Vec<Move> {
        if line.is_empty() { self.root.legal_moves().into_iter().take(1).collect() } else { line }
    }
}
