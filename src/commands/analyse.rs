//! `kibitzer analyse`: the best moves of positions, drawn while the search deepens.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::process::ExitCode;

use kibitzer::chess::{Color, Position, parse_fen};
use kibitzer::client::{ApiClient, ApiError, LineStream, NO_TIMEOUT, ProblemText, StreamError};
use kibitzer::terminal::{AnalysisInfo, AnalysisText, LiveBlock, Screen, draw_board};
use reqwest::Method;
use reqwest::header::ACCEPT;
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::{ApiOptions, ApiSession};
use super::interrupt::{Interrupt, block_on};
use super::orientation::Orientation;
use super::position_state::PositionState;
use super::positions::{Entry, Positions};
use super::search_limits::{Clamped, SearchLimits};
use super::{BoxError, note};

/// The route of an analysis.
const PATH: &str = "/v1/analysis";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A FEN, `startpos`, a file with a FEN or EPD on each line, or `-` for standard input
    #[arg(required = true, value_name = "FEN|FILE|-")]
    position: Vec<String>,
    #[command(flatten)]
    api: ApiOptions,
    #[command(flatten)]
    limits: SearchLimits,
    /// Search until Ctrl-C
    #[arg(long, conflicts_with_all = ["depth", "nodes", "time", "json"])]
    infinite: bool,
    /// Threads of the search [default: 1]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroU64>,
    /// The player at the bottom of the board
    #[arg(long, value_enum, default_value_t)]
    orientation: Orientation,
    /// Print each answer of POST /v1/analysis, as one line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    block_on(analyse(options))
}

async fn analyse(options: &Options) -> Result<ExitCode, BoxError> {
    let interrupt = Interrupt::listen()?;
    let mut positions = Positions::open(&options.position.join(" "))?;
    let session = tokio::select! {
        session = options.api.connect() => session?,
        signal = interrupt.received() => return Ok(signal.exit_code()),
    };
    let result = analyse_all(options, &session, &interrupt, &mut positions).await;
    let closed = session.close().await;
    let code = result?;
    closed?;
    Ok(code)
}

/// Analyses the positions in turn. A position that is refused does not stop the others.
async fn analyse_all(
    options: &Options,
    session: &ApiSession,
    interrupt: &Interrupt,
    positions: &mut Positions,
) -> Result<ExitCode, BoxError> {
    let screen = Screen::of_stdout();
    let (mut analysed, mut refused) = (0_usize, 0_usize);
    loop {
        let next = tokio::select! {
            next = positions.next() => next?,
            signal = interrupt.received() => return Ok(signal.exit_code()),
        };
        let Some(entry) = next else { break };
        let analysis = Analysis { options, session, interrupt, screen: &screen, entry: &entry };
        let outcome = match options.json {
            true => analysis.print_json().await,
            false => analysis.draw(analysed > 0).await,
        };
        match outcome {
            Ok(Outcome::Done) => analysed += 1,
            Ok(Outcome::Interrupted) => return Ok(interrupt.received().await.exit_code()),
            Err(Failure::Refused(error)) => {
                let place = entry.place.as_ref().map(|place| format!("{place}: "));
                note(&format!("{}{error}", place.unwrap_or_default()));
                refused += 1;
            }
            Err(Failure::Fatal(error)) => return Err(error),
        }
    }
    if analysed + refused == 0 {
        return Err("there are no positions: each line must have a FEN".into());
    }
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The end of an analysis without an error.
enum Outcome {
    Done,
    Interrupted,
}

/// The error of an analysis.
enum Failure {
    /// This position has no answer.
    Refused(String),
    /// No position will have one.
    Fatal(BoxError),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        match error {
            ApiError::Refused(..) if !error.is_lost() && error.code() != "unauthorized" => {
                Failure::Refused(error.to_string())
            }
            error => Failure::Fatal(error.into()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Fatal(error.into())
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Failure {
        Failure::Fatal(error.into())
    }
}

/// A line of the stream of an analysis, as far as it is drawn.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamLine {
    Info(AnalysisInfo),
    Queued {
        position: u64,
    },
    End {
        clamped: Vec<Clamped>,
        tablebase: Option<TablebaseEntry>,
    },
    Problem(ProblemText),
    #[serde(other)]
    Heartbeat,
}

#[derive(Deserialize)]
struct TablebaseEntry {
    category: String,
}

/// The analysis of one position.
struct Analysis<'a> {
    options: &'a Options,
    session: &'a ApiSession,
    interrupt: &'a Interrupt,
    screen: &'a Screen,
    entry: &'a Entry,
}

impl Analysis<'_> {
    /// The request of the analysis, from White's point of view as people write scores.
    fn request(&self) -> Value {
        let mut request = json!({ "fen": self.entry.fen, "pov": "white" });
        for (name, value) in self.options.limits.members() {
            request[name] = json!(value);
        }
        if self.options.infinite {
            request["infinite"] = json!(true);
        }
        if let Some(threads) = self.options.threads {
            request["threads"] = json!(threads);
        }
        request
    }

    async fn print_json(&self) -> Result<Outcome, Failure> {
        let body = self.request();
        let request = |api: &ApiClient| {
            let request = api.request(Method::POST, PATH).json(&body);
            // The response comes at the end of the search.
            request.header(ACCEPT, "application/json").timeout(NO_TIMEOUT)
        };
        tokio::select! {
            answer = self.session.fetch(PATH, request) => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(answer?.trim_ascii_end())?;
                stdout.write_all(b"\n")?;
                Ok(Outcome::Done)
            }
            _ = self.interrupt.received() => Ok(Outcome::Interrupted),
        }
    }

    /// Draws the board, and the best moves below it.
    async fn draw(&self, is_further: bool) -> Result<Outcome, Failure> {
        let drawn = async {
            let state =
                PositionState::request(&self.session.api, &self.entry.fen, self.session.wait)
                    .await?;
            let position = parse_fen(&state.fen).map_err(|error| {
                Failure::Fatal(format!("the response of /v1/position is invalid: {error}").into())
            })?;
            self.draw_board(&state, &position.position, is_further)?;
            Ok::<_, Failure>((state, position.position))
        };
        let (state, position) = tokio::select! {
            drawn = drawn => drawn?,
            _ = self.interrupt.received() => return Ok(Outcome::Interrupted),
        };
        if state.is_over() {
            return Ok(Outcome::Done);
        }
        writeln!(io::stdout().lock())?;
        self.follow(&position).await
    }

    fn draw_board(
        &self,
        state: &PositionState,
        position: &Position,
        is_further: bool,
    ) -> io::Result<()> {
        let bottom: Color = self.options.orientation.into();
        let mut text = if is_further { "\n".to_owned() } else { String::new() };
        for line in draw_board(position, bottom, self.screen) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&state.describe(self.screen));
        io::stdout().lock().write_all(text.as_bytes())
    }

    /// Redraws the best moves until the search ends, or Ctrl-C ends it.
    async fn follow(&self, position: &Position) -> Result<Outcome, Failure> {
        let text = AnalysisText::new(position, self.screen);
        let block = LiveBlock::new(self.screen);
        let mut live = LiveAnalysis { text, block, last: None, notes: Vec::new() };
        let outcome = tokio::select! {
            outcome = self.read_stream(&mut live) => outcome,
            // Dropping the stream ends the search.
            _ = self.interrupt.received() => Ok(Outcome::Interrupted),
        };
        live.finish()?;
        outcome
    }

    async fn read_stream(&self, live: &mut LiveAnalysis<'_>) -> Result<Outcome, Failure> {
        let body = self.request();
        let request = |api: &ApiClient| {
            let request = api.request(Method::POST, PATH).json(&body);
            request.header(ACCEPT, "application/x-ndjson")
        };
        let mut stream = LineStream::new(self.session.open_stream(request).await?);
        loop {
            match stream.next_json().await? {
                StreamLine::Info(info) => live.show(info)?,
                StreamLine::Queued { position } if live.last.is_none() => {
                    let place = format!("waits for a worker, at queue place {position}");
                    live.block.redraw(&[place])?;
                }
                StreamLine::Queued { .. } | StreamLine::Heartbeat => {}
                StreamLine::Problem(problem) => {
                    return Err(ApiError::Refused(problem, None).into());
                }
                StreamLine::End { clamped, tablebase } => {
                    live.notes.extend(clamped.iter().map(Clamped::describe));
                    let outcome = tablebase.map(|entry| format!("tablebase: {}", entry.category));
                    live.notes.extend(outcome);
                    return Ok(Outcome::Done);
                }
            }
        }
    }
}

/// What is drawn of an analysis.
struct LiveAnalysis<'a> {
    text: AnalysisText<'a>,
    block: LiveBlock<'a>,
    last: Option<AnalysisInfo>,
    /// Lines for standard error, which follow the best moves.
    notes: Vec<String>,
}

impl LiveAnalysis<'_> {
    fn show(&mut self, info: AnalysisInfo) -> io::Result<()> {
        self.block.redraw(&self.text.lines(&info))?;
        self.last = Some(info);
        Ok(())
    }

    /// Draws the last best moves, which stay.
    fn finish(self) -> io::Result<()> {
        let lines = self.last.map(|info| self.text.lines(&info)).unwrap_or_default();
        self.block.finish(&lines)?;
        self.notes.iter().for_each(|text| note(text));
        Ok(())
    }
}
