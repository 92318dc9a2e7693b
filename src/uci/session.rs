//! The session with a GUI, from its first line to `quit`.

use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::backend::{Backend, SearchTask};
use super::command::{Command, Go, PositionText, build_game};
use super::display::format_board;
use super::options::{OptionName, Options};
use super::output::{Output, nodes_per_second};
use super::search_thread::{OutputOptions, SearchControl, SearchThread};
use crate::chess::{Game, Move, Position, excerpt, parse_move, perft, to_uci_inline};
use crate::engine::{Bench, GameClock, Limits, STACK_BYTES, SearchOptions, Tunable, tunable, tune};
use crate::time_slices::{TimeSlices, request_time_slices};

/// Longest line; longer ones are ignored. A game of 10,000 moves fits.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// A session: reads commands and answers them, with at most one running search.
///
/// A command that changes the session (`position`, `setoption`, `ucinewgame`) or starts a search
/// first stops the running one, which sends its best move. `bench` and `perft` stop it too. Other
/// commands are answered while it runs. `bench`, `perft` and `eval` are answered before the next
/// line is read; a server has one second to answer `eval`.
pub struct Session<B> {
    backend: B,
    options: Options,
    game: Game,
    search: Option<SearchThread>,
    output: Arc<Output>,
}

impl<B: Backend> Session<B> {
    /// A session at the start position, with output to `writer`.
    pub fn new(backend: B, options: Options, writer: impl Write + Send + 'static) -> Session<B> {
        let output = Arc::new(Output::new(Box::new(writer)));
        Session { backend, options, game: Game::new(Position::startpos()), search: None, output }
    }

    /// Runs until `quit` or the end of input, and stops a search that is still running.
    ///
    /// # Errors
    ///
    /// A line cannot be read or written, or the system refuses a thread.
    pub fn run(mut self, input: impl BufRead) -> io::Result<()> {
        // A `stop` must not wait for a core until the end of a search thread's slice.
        request_time_slices(TimeSlices::Short);
        let read_result = self.read_commands(input);
        let stop_result = self.stop_search();
        read_result.and(stop_result)
    }

    fn read_commands(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while read_line(&mut input, &mut line)? {
            if self.handle_line(&line)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn handle_line(&mut self, line: &[u8]) -> io::Result<ControlFlow<()>> {
        if line.len() as u64 >= MAX_LINE_BYTES {
            self.output.write_info_string("ignored a line of 1 MiB or more")?;
            return Ok(ControlFlow::Continue(()));
        }
        match Command::parse(&String::from_utf8_lossy(line)) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => return Ok(ControlFlow::Break(())),
            Ok(Some(command)) => self.execute(command)?,
            Err(error) => self.output.write_info_string(&error.to_string())?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn execute(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Uci => self.identify(),
            Command::IsReady => {
                if self.search.is_none() {
                    self.backend.get_ready(&self.options);
                }
                self.output.write_lines("readyok")
            }
            Command::NewGame => {
                self.stop_search()?;
                self.backend.new_game();
                Ok(())
            }
            Command::Position(text) => self.set_position(&text),
            Command::Go(go) => self.go(&go),
            Command::Stop => {
                self.search.as_ref().inspect(|search| search.stop());
                Ok(())
            }
            Command::PonderHit => {
                self.search.as_ref().inspect(|search| search.ponder_hit());
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Display => self.output.write_lines(&format_board(self.game.position())),
            Command::Eval => match self.backend.evaluate(self.game.position()) {
                Ok(text) => self.output.write_lines(&text),
                Err(reason) => self.output.write_info_string(&format!("eval: {reason}")),
            },
            Command::Bench { depth } => self.bench(depth),
            Command::Perft { depth } => self.perft(depth),
            // `handle_line` handles it.
            Command::Quit => Ok(()),
        }
    }

    /// Stops the running search, if there is one.
    fn stop_search(&mut self) -> io::Result<()> {
        self.search.take().map_or(Ok(()), SearchThread::stop_and_join)
    }

    fn identify(&self) -> io::Result<()> {
        let mut text =
            format!("id name {}\nid author the kibitzer developers\n", self.backend.name());
        // A GUI may send `uci` at any time. The defaults are always the initial values.
        let defaults = Options::default();
        for name in OptionName::ALL.into_iter().filter(|&name| self.backend.supports(name)) {
            text.push_str(&defaults.option_declaration(name));
            text.push('\n');
        }
        for Tunable { name, value, min, max } in tunable() {
            text.push_str(&format!(
                "option name {name} type spin default {value} min {min} max {max}\n"
            ));
        }
        text.push_str("uciok");
        self.output.write_lines(&text)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let Some(option) = OptionName::parse(name).filter(|&option| self.backend.supports(option))
        else {
            return self.tune(name, value);
        };
        self.stop_search()?;
        let mut options = self.options.clone();
        let set = options.set(option, value).map_err(|error| error.to_string());
        match set.and_then(|()| self.backend.apply(option, &options)) {
            Ok(message) => {
                self.options = options;
                message.map_or(Ok(()), |message| self.output.write_info_string(&message))
            }
            Err(reason) => self.output.write_info_string(&reason),
        }
    }

    /// Sets a search parameter, which is an option in a build for tuning.
    fn tune(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        if tunable().iter().any(|known| known.name == name) {
            self.stop_search()?;
        }
        match value.and_then(|value| value.parse().ok()) {
            Some(value) if tune(name, value) => Ok(()),
            _ => self.output.write_info_string(&format!("unknown option: {}", excerpt(name))),
        }
    }

    fn set_position(&mut self, text: &PositionText) -> io::Result<()> {
        self.stop_search()?;
        match build_game(text) {
            Ok((game, warnings)) => {
                self.game = game;
                warnings
                    .iter()
                    .try_for_each(|warning| self.output.write_info_string(&warning.detail))
            }
            Err(error) => self.output.write_info_string(&error.to_string()),
        }
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        self.stop_search()?;
        go.errors.iter().try_for_each(|error| self.output.write_info_string(&error.to_string()))?;
        let moves = self.search_moves(&go.searchmoves)?;
        let strength_limit = self.options.strength_limit();
        let mut task = SearchTask {
            limits: self.limits(go),
            options: SearchOptions {
                threads: self.options.threads,
                multipv: self.options.multipv,
                search_moves: moves,
                ..SearchOptions::default()
            },
            fresh: self.options.analyse_mode,
            game: self.game.clone(),
        };
        if let Some(strength_limit) = strength_limit {
            strength_limit.apply_to(&mut task.limits, &mut task.options);
        }
        let output_options = OutputOptions {
            root: self.game.position().clone(),
            multipv: self.options.multipv,
            castling: self.options.castling(),
            show_wdl: self.options.show_wdl,
            strength_limit,
        };
        let control = SearchControl::new(go.ponder, go.infinite);
        let search = self.backend.prepare(task);
        self.search =
            Some(SearchThread::start(output_options, search, control, Arc::clone(&self.output))?);
        Ok(())
    }

    /// The legal moves among the texts. Illegal ones are reported and ignored.
    fn search_moves(&self, texts: &[String]) -> io::Result<Vec<Move>> {
        let mut moves = Vec::with_capacity(texts.len());
        for text in texts {
            match parse_move(self.game.position(), text) {
                Ok(mv) => moves.push(mv),
                Err(reason) => self
                    .output
                    .write_info_string(&format!("searchmoves: {}: {reason}", excerpt(text)))?,
            }
        }
        Ok(moves)
    }

    fn limits(&self, go: &Go) -> Limits {
        if go.infinite {
            return Limits::default();
        }
        let own = if self.game.position().turn().is_white() { go.white } else { go.black };
        // When only the other side's clock is given, our own counts as zero: in a timed game the
        // search must end.
        let timed = go.white.time.is_some() || go.black.time.is_some();
        let clock = timed.then(|| GameClock {
            remaining: own.time.unwrap_or(Duration::ZERO),
            increment: own.increment,
            moves_to_go: go.moves_to_go,
            overhead: self.options.move_overhead,
        });
        Limits { depth: go.depth, nodes: go.nodes, movetime: go.movetime, mate: go.mate, clock }
    }

    fn bench(&mut self, depth: Option<u8>) -> io::Result<()> {
        self.stop_search()?;
        // A search thread keeps its long time slices. This thread must read commands, so bench runs
        // on another.
        let run = || Bench::run(depth.unwrap_or(Bench::DEPTH));
        let bench = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run)?;
            Ok::<_, io::Error>(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })?;
        self.output.write_lines(&bench.to_string())
    }

    fn perft(&mut self, depth: u8) -> io::Result<()> {
        self.stop_search()?;
        let position = self.game.position();
        let started = std::time::Instant::now();
        // It computes without waiting, unlike the rest of this thread's work.
        request_time_slices(TimeSlices::Default);
        let divided = perft::divide(position, depth);
        request_time_slices(TimeSlices::Short);
        let nodes = if depth == 0 { 1 } else { divided.iter().map(|&(_, nodes)| nodes).sum() };
        let mut text = String::new();
        for (mv, nodes) in divided {
            text.push_str(&format!(
                "{}: {nodes}\n",
                to_uci_inline(position, mv, self.options.castling()).as_str()
            ));
        }
        let speed = nodes_per_second(nodes, started.elapsed());
        text.push_str(&format!("\nNodes searched: {nodes}\nNodes per second: {speed}"));
        self.output.write_lines(&text)
    }
}

/// Reads the next line. Returns `false` at the end of input. Only the beginning of a line that is
/// too long is kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}
