//! The connection of a live board: commands in, lines out, one analysis at a time.

use std::error::Error as _;
use std::future::pending;
use std::num::NonZeroU64;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Message as Frame, Utf8Bytes, WebSocket};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout};

use super::message::{ClientMessage, Command, LineWithId, MAX_MESSAGE_BYTES, Ready};
use crate::analysis::{AnalysisError, AnalysisStream, Service};
use crate::chess::{Game, Position};
use crate::http::access::{Allowance, Caller};
use crate::http::controllers::analysis::{AnalysisOptions, StreamLine, UpdateThrottle};
use crate::http::controllers::tablebase::searched_entry;
use crate::http::dto::{CorrelationId, PositionRequest, PositionState};
use crate::http::problem::Problem;
use crate::http::{App, json};

/// The number of consecutive invalid messages that closes the connection.
const MAX_INVALID_MESSAGES: u32 = 3;

/// The maximum time of a close handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A live board and the connection to its client.
pub(super) struct LiveConnection<'a> {
    app: &'a App,
    service: &'a Service,
    caller: &'a Caller,
    socket: WebSocket,
    game: Game,
    /// The number of lines of a `go` without `multipv`.
    multipv: NonZeroU64,
    /// The options of the last analysis.
    last_options: AnalysisOptions,
    running: Option<RunningAnalysis>,
    /// The number of invalid messages since the last valid one.
    invalid_messages: u32,
    next_ping_at: Instant,
    /// The last ping is unanswered. The pong must arrive before the next ping.
    is_pong_due: bool,
    /// The time of the last message of the client or the end of the last analysis.
    last_active_at: Instant,
}

/// The running analysis and the id of the message that started it.
struct RunningAnalysis {
    id: CorrelationId,
    throttle: UpdateThrottle,
    analysis: AnalysisStream,
}

/// The next event of a connection.
enum Event {
    Received(Option<Result<Frame, axum::Error>>),
    /// A line of the analysis; `None` after its end.
    Line(Result<Option<StreamLine>, AnalysisError>),
    PingDue,
    Idle,
    Shutdown,
}

/// `Err` if the connection must close.
type ConnectionResult = Result<(), CloseReason>;

impl<'a> LiveConnection<'a> {
    /// Creates a connection with the starting position. `run` starts it.
    pub(super) fn new(
        app: &'a App,
        service: &'a Service,
        caller: &'a Caller,
        socket: WebSocket,
    ) -> LiveConnection<'a> {
        let now = Instant::now();
        LiveConnection {
            app,
            service,
            caller,
            socket,
            game: Game::new(Position::startpos()),
            multipv: NonZeroU64::MIN,
            last_options: AnalysisOptions::default(),
            running: None,
            invalid_messages: 0,
            next_ping_at: now + app.caps().live_ping,
            is_pong_due: false,
            last_active_at: now,
        }
    }

    /// Handles events until the connection closes, then ends the running analysis.
    pub(super) async fn run(mut self) {
        let reason = loop {
            let event = self.next_event().await;
            if let Err(reason) = self.handle_event(event).await {
                break reason;
            }
        };
        tracing::debug!(ending = ?reason, "live connection closed");
        self.running = None;
        let close_handshake = async {
            if let Some(close) = reason.close_message() {
                self.socket.send(close).await?;
            }
            // The WebSocket library answers the client's close frame during the next read.
            while let Some(Ok(_)) = self.socket.recv().await {}
            Ok::<_, axum::Error>(())
        };
        // A client that takes no part in the handshake in time has disconnected.
        let _ = timeout(CLOSE_TIMEOUT, close_handshake).await;
    }

    async fn next_event(&mut self) -> Event {
        let LiveConnection { app, socket, running, next_ping_at, last_active_at, .. } = self;
        let is_running = running.is_some();
        let line = async {
            match running {
                Some(running) => running.throttle.next(&mut running.analysis).await,
                None => pending().await,
            }
        };
        tokio::select! {
            frame = socket.recv() => Event::Received(frame),
            line = line => Event::Line(line),
            () = sleep_until(*next_ping_at) => Event::PingDue,
            () = sleep_until(*last_active_at + app.caps().live_idle), if !is_running => Event::Idle,
            // The shutdown stops a running analysis, and its `end` is sent first.
            () = app.shutting_down(), if !is_running => Event::Shutdown,
        }
    }

    async fn handle_event(&mut self, event: Event) -> ConnectionResult {
        match event {
            Event::Received(frame) => self.handle_frame(frame).await,
            Event::Line(line) => self.send_line(line).await,
            Event::PingDue if self.is_pong_due => Err(CloseReason::NoPong),
            Event::PingDue => {
                self.is_pong_due = true;
                self.next_ping_at = Instant::now() + self.app.caps().live_ping;
                self.send_frame(Frame::Ping(Default::default())).await
            }
            Event::Idle => Err(CloseReason::Idle),
            Event::Shutdown => Err(CloseReason::Shutdown),
        }
    }

    async fn handle_frame(
        &mut self,
        frame: Option<Result<Frame, axum::Error>>,
    ) -> ConnectionResult {
        match frame {
            None | Some(Ok(Frame::Close(_))) => Err(CloseReason::ClientLeft),
            Some(Err(error)) => Err(close_reason_of(&error)),
            Some(Ok(Frame::Pong(_))) => {
                self.is_pong_due = false;
                Ok(())
            }
            // The WebSocket library answers pings.
            Some(Ok(Frame::Ping(_))) => Ok(()),
            Some(Ok(Frame::Binary(bytes))) if bytes.len() > MAX_MESSAGE_BYTES => {
                Err(CloseReason::TooLong)
            }
            Some(Ok(Frame::Text(text))) if text.len() > MAX_MESSAGE_BYTES => {
                Err(CloseReason::TooLong)
            }
            Some(Ok(Frame::Binary(_))) => {
                self.last_active_at = Instant::now();
                let problem =
                    Problem::malformed_json("the message is binary; it must be text", 1, 1);
                self.reject(&CorrelationId::None, &problem).await
            }
            Some(Ok(Frame::Text(text))) => {
                self.last_active_at = Instant::now();
                self.handle_message(text.as_bytes()).await
            }
        }
    }

    async fn handle_message(&mut self, text: &[u8]) -> ConnectionResult {
        let max_moves = self.app.caps().moves;
        let ClientMessage { id, command } =
            match json::read_from::<ClientMessage>(json::TextSource::Message, text, max_moves) {
                Ok(message) => message,
                Err(problem) => {
                    return self.reject(&CorrelationId::extract_from(text), &problem).await;
                }
            };
        self.invalid_messages = 0;
        match command {
            Command::Position(position) => self.set_position(&id, &position).await,
            Command::Go(options) => self.start_analysis(id, options.or_multipv(self.multipv)).await,
            Command::Stop => {
                if let Some(running) = &mut self.running {
                    running.analysis.stop();
                }
                Ok(())
            }
            Command::Deeper(depth) => {
                self.start_analysis(id, self.last_options.clone().with_depth(depth)).await
            }
            Command::MultiPv(multipv) => self.set_multipv(id, multipv).await,
        }
    }

    async fn set_position(
        &mut self,
        id: &CorrelationId,
        position: &PositionRequest,
    ) -> ConnectionResult {
        let resolved = match position.resolve() {
            Ok(resolved) => resolved,
            Err(problem) => {
                // A legal position is free. An illegal one counts as a request, because the limit
                // of invalid messages does not apply to it.
                let problem = self.count_request().err().unwrap_or(problem);
                return self.send_problem(id, &problem).await;
            }
        };
        self.end_running_analysis().await?;
        let ready = Ready::new(PositionState::from(&resolved));
        self.game = resolved.game;
        self.send_json(id, &ready).await
    }

    async fn set_multipv(&mut self, id: CorrelationId, multipv: NonZeroU64) -> ConnectionResult {
        self.multipv = multipv;
        let options = self.last_options.clone().with_multipv(multipv);
        if self.running.is_some() {
            return self.start_analysis(id, options).await;
        }
        self.last_options = options;
        Ok(())
    }

    /// Starts an analysis of the current position.
    async fn start_analysis(
        &mut self,
        id: CorrelationId,
        options: AnalysisOptions,
    ) -> ConnectionResult {
        if let Err(exceeded) = self.count_request() {
            return self.send_problem(&id, &exceeded).await;
        }
        let clamped =
            options.clone().clamp(self.game.clone(), self.caller.client(), self.app.caps());
        let (request, mut render_options) = match clamped {
            Ok(clamped) => clamped,
            Err(problem) => return self.send_problem(&id, &problem).await,
        };
        self.end_running_analysis().await?;
        self.last_options = options;
        match self.service.start_analysis(request) {
            Ok(analysis) => {
                render_options.tablebase =
                    searched_entry(self.app, self.caller.client(), &render_options.position).await;
                let throttle =
                    UpdateThrottle::new(render_options, self.app.caps().stream.heartbeat);
                self.running = Some(RunningAnalysis { id, throttle, analysis });
                Ok(())
            }
            Err(error) => self.send_problem(&id, &error.into()).await,
        }
    }

    /// Ends the running analysis because a newer command replaces it, and sends its remaining
    /// lines.
    async fn end_running_analysis(&mut self) -> ConnectionResult {
        if let Some(running) = &mut self.running {
            running.analysis.replace();
        }
        while let Some(running) = &mut self.running {
            let line = running.throttle.next(&mut running.analysis).await;
            self.send_line(line).await?;
        }
        Ok(())
    }

    /// Sends a line of the analysis.
    async fn send_line(
        &mut self,
        line: Result<Option<StreamLine>, AnalysisError>,
    ) -> ConnectionResult {
        let is_last = !matches!(
            line,
            Ok(Some(StreamLine::Info(_) | StreamLine::Queued(_) | StreamLine::Heartbeat(_)))
        );
        let id = match &self.running {
            Some(running) => running.id.clone(),
            None => CorrelationId::None,
        };
        if is_last {
            self.running = None;
            self.last_active_at = Instant::now();
        }
        match line {
            Ok(Some(line)) => self.send_json(&id, &line).await,
            Ok(None) => Ok(()),
            Err(error) => self.send_problem(&id, &error.into()).await,
        }
    }

    /// Sends the problem with an invalid message. Too many of them in a row close the connection.
    /// Illegal positions and moves do not count: a person may be typing them. They count in the
    /// client's rate limit instead.
    async fn reject(&mut self, id: &CorrelationId, problem: &Problem) -> ConnectionResult {
        self.send_problem(id, problem).await?;
        self.invalid_messages += 1;
        if self.invalid_messages < MAX_INVALID_MESSAGES {
            Ok(())
        } else {
            Err(CloseReason::InvalidMessages)
        }
    }

    /// Counts a request of the client.
    ///
    /// # Errors
    /// `rate_limited` beyond its rate limit.
    fn count_request(&self) -> Result<(), Problem> {
        let counted = self.app.access_control().count_request(self.caller.identity());
        counted.map(|_| ()).map_err(Allowance::exceeded)
    }

    async fn send_problem(&mut self, id: &CorrelationId, problem: &Problem) -> ConnectionResult {
        match StreamLine::from_problem(problem, self.caller.path(), self.caller.request_id()) {
            Some(line) => self.send_json(id, &line).await,
            None => Ok(()),
        }
    }

    async fn send_json(&mut self, id: &CorrelationId, line: &impl Serialize) -> ConnectionResult {
        match serde_json::to_string(&LineWithId { line, id }) {
            Ok(text) => self.send_frame(Frame::Text(Utf8Bytes::from(text))).await,
            Err(error) => {
                tracing::error!(error = error.to_string(), "cannot serialize a line");
                Ok(())
            }
        }
    }

    /// Waits until the socket accepts the frame. In the meantime newer `info` lines replace older
    /// ones.
    async fn send_frame(&mut self, frame: Frame) -> ConnectionResult {
        self.socket.send(frame).await.map_err(|_| CloseReason::ClientLeft)
    }
}

/// The close reason of a socket error: the client has disconnected, or broken the protocol. The
/// WebSocket library can still send a close frame after the latter.
fn close_reason_of(error: &axum::Error) -> CloseReason {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError;

    match error.source().and_then(|error| error.downcast_ref()) {
        Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
            CloseReason::ClientLeft
        }
        Some(Error::Protocol(_)) => CloseReason::ProtocolError,
        Some(Error::Utf8(_)) => CloseReason::NotUtf8,
        Some(Error::Capacity(_)) => CloseReason::TooLong,
        _ => CloseReason::ClientLeft,
    }
}

/// The reason for the close of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The client has closed the socket or disconnected.
    ClientLeft,
    /// The server is shutting down.
    Shutdown,
    /// Three consecutive messages were invalid.
    InvalidMessages,
    /// The client did not answer a ping in time.
    NoPong,
    /// The client has broken the WebSocket protocol.
    ProtocolError,
    /// A text is not UTF-8.
    NotUtf8,
    /// A message exceeds the maximum length.
    TooLong,
    /// The client has been silent for too long and has no running analysis.
    Idle,
}

impl CloseReason {
    /// The close frame for the client; `None` if it has closed or disconnected. Codes below 4000
    /// are those of RFC 6455, section 7.4.1.
    pub(super) fn close_message(self) -> Option<Message> {
        let (code, reason) = match self {
            CloseReason::ClientLeft => return None,
            CloseReason::Shutdown => (1001, "the server is shutting down"),
            CloseReason::ProtocolError => (1002, "the frame breaks the WebSocket protocol"),
            CloseReason::NotUtf8 => (1007, "the text is not UTF-8"),
            CloseReason::InvalidMessages => (1008, "three invalid messages in a row"),
            CloseReason::NoPong => (1008, "no pong before the next ping"),
            CloseReason::TooLong => (1009, "a message is longer than 64 KiB"),
            CloseReason::Idle => (4000, "idle"),
        };
        Some(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })))
    }
}
