//! The search thread, and the control of when its best move is sent.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::backend::{PreparedSearch, Update};
use super::output::{Info, Output, bestmove_line};
use crate::chess::{CastlingNotation, Move, Position};
use crate::engine::{Report, STACK_BYTES, StopFlag, StrengthLimit};

/// The options for the output of a search.
pub(super) struct OutputOptions {
    /// The root position.
    pub(super) root: Position,
    /// Most lines to write.
    pub(super) multipv: usize,
    /// The notation of castling.
    pub(super) castling: CastlingNotation,
    /// Write the chances of win, draw and loss.
    pub(super) show_wdl: bool,
    /// The strength limit.
    pub(super) strength_limit: Option<StrengthLimit>,
}

/// The control of one search. After `go infinite` and `go ponder` the best move is withheld, also
/// when the search has ended.
pub(super) struct SearchControl {
    stop_flag: StopFlag,
    infinite: bool,
    is_best_move_withheld: Mutex<bool>,
    best_move_allowed: Condvar,
}

impl SearchControl {
    /// The control of a search that is about to start.
    pub(super) fn new(ponder: bool, infinite: bool) -> SearchControl {
        let stop_flag = if ponder { StopFlag::pondering() } else { StopFlag::default() };
        SearchControl {
            stop_flag,
            infinite,
            is_best_move_withheld: Mutex::new(ponder || infinite),
            best_move_allowed: Condvar::new(),
        }
    }

    /// The flag that the search polls.
    pub(super) fn stop_flag(&self) -> &StopFlag {
        &self.stop_flag
    }

    /// Stops the search.
    pub(super) fn stop(&self) {
        self.stop_flag.stop();
        self.allow_best_move();
    }

    /// The expected move was played: time limits apply from now on, and the best move may be sent.
    pub(super) fn ponder_hit(&self) {
        self.stop_flag.ponder_hit();
        if !self.infinite {
            self.allow_best_move();
        }
    }

    /// Waits until the best move may be sent.
    pub(super) fn wait_until_best_move_allowed(&self) {
        let mut is_withheld = self.lock();
        while *is_withheld {
            is_withheld =
                self.best_move_allowed.wait(is_withheld).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn allow_best_move(&self) {
        *self.lock() = false;
        self.best_move_allowed.notify_all();
    }

    /// Ignores poisoning: a panic cannot leave a `bool` half-written.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_best_move_withheld.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A search that was started. It may have ended already.
pub(super) struct SearchThread {
    control: Arc<SearchControl>,
    thread: JoinHandle<io::Result<()>>,
}

impl SearchThread {
    /// Starts a search.
    ///
    /// # Errors
    ///
    /// The system refuses the thread.
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

    /// Stops the search, which then sends its best move.
    pub(super) fn stop(&self) {
        self.control.stop();
    }

    /// The expected move was played.
    pub(super) fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Stops the search and waits for its end.
    ///
    /// # Errors
    ///
    /// The output failed.
    pub(super) fn stop_and_join(self) -> io::Result<()> {
        self.control.stop();
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the search thread failed")))
    }
}

/// Runs a search, writes its reports and its best move.
fn run_search(
    output_options: &OutputOptions,
    search: PreparedSearch,
    control: &SearchControl,
    output: &Output,
) -> io::Result<()> {
    let mut reporter =
        InfoReporter { output_options, control, output, last_report: None, write_result: Ok(()) };
    // A GUI waits for the answer to every `go`, also after a panic.
    let result = catch_unwind(AssertUnwindSafe(|| {
        search(control.stop_flag(), &mut |update| reporter.report(update))
    }));
    let InfoReporter { last_report, mut write_result, .. } = reporter;
    let line = match result {
        Ok(Some(report)) => {
            if write_result.is_ok()
                && last_report.as_ref().is_none_or(|last| !is_same_report(last, &report))
            {
                write_result =
                    output.write_lines(&output_options.info(&report, None).format_lines());
            }
            output_options.line_to_play(Some(&report))
        }
        // The backend has reported the cause.
        Ok(None) => Vec::new(),
        Err(_) => {
            write_result = write_result
                .and(output.write_info_string("the search failed because of a bug in the engine"));
            output_options.line_to_play(last_report.as_ref())
        }
    };
    write_result?;
    control.wait_until_best_move_allowed();
    output.write_lines(&bestmove_line(&output_options.root, &line, output_options.castling))
}

fn is_same_report(a: &Report, b: &Report) -> bool {
    (a.depth, a.nodes, a.score, &a.pv) == (b.depth, b.nodes, b.score, &b.pv)
}

/// Writes the updates of a search.
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
            Update::Progress { report, hashfull_permille } => {
                self.last_report = Some(report.clone());
                self.output.write_lines(
                    &self.output_options.info(report, hashfull_permille).format_lines(),
                )
            }
        };
        if self.write_result.is_err() {
            // The output is closed.
            self.control.stop();
        }
    }
}

impl OutputOptions {
    fn info<'a>(&'a self, report: &'a Report, hashfull_permille: Option<u32>) -> Info<'a> {
        let OutputOptions { multipv, castling, show_wdl, .. } = *self;
        Info { root: &self.root, report, multipv, hashfull_permille, show_wdl, castling }
    }

    /// The line to play: the report's, or any legal move. A report has no line after a draw by
    /// rule, or when a server did not answer in time; the GUI may play on.
    fn line_to_play(&self, report: Option<&Report>) -> Vec<Move> {
        let line = match (report, self.strength_limit) {
            (Some(report), Some(strength_limit)) => strength_limit.choose_line(report).to_vec(),
            (Some(report), None) => report.pv.clone(),
            (None, _) => Vec::new(),
        };
        if line.is_empty() { self.root.legal_moves().into_iter().take(1).collect() } else { line }
    }
}
