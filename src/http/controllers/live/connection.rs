//! A WebSocket connection: commands in, lines out, one analysis at a time.

use std::future::pending;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Message as Frame, Utf8Bytes, WebSocket};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout};

use super::message::{ClientMessage, Command, LineWithId, MAX_MESSAGE_BYTES, Ready};
use crate::analysis::{AnalysisError, AnalysisStream, Service};
use crate::chess::{Game, Position};
use crate::http::access::Caller;
use crate::http::controllers::analysis::{AnalysisOptions, StreamLine, UpdateThrottle};
use crate::http::dto::{CorrelationId, PositionRequest, PositionState};
use crate::http::problem::{Problem, ProblemCode};
use crate::http::{App, json};

/// So many bad messages in a row are one too many.
const MAX_BAD_MESSAGES: u32 = 3;

/// How long the client may take to answer a close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A board and the client before it.
pub(super) struct LiveConnection<'a> {
    app: &'a App,
    service: &'a Service,
    caller: &'a Caller,
    socket: WebSocket,
    game: Game,
    /// How many lines are told where `go` does not say.
    multipv: u64,
    /// How the last analysis was made.
    last_options: AnalysisOptions,
    running: Option<RunningAnalysis>,
    /// Bad messages since the last good one.
    bad_messages: u32,
    next_ping_at: Instant,
    /// A ping is not answered yet; it has to be before the next one.
    is_pong_due: bool,
    /// When the client has said or heard something of consequence.
    last_active_at: Instant,
}

/// The analysis under way, and the message that it answers.
struct RunningAnalysis {
    id: CorrelationId,
    throttle: UpdateThrottle,
    analysis: AnalysisStream,
}

/// What happens next.
enum Event {
    Received(Option<Result<Frame, axum::Error>>),
    /// Of the analysis; `None` after its end.
    Line(Result<Option<StreamLine>, AnalysisError>),
    PingDue,
    Idle,
    Shutdown,
}

/// Whether the conversation goes on.
type ConnectionResult = Result<(), CloseReason>;

impl<'a> LiveConnection<'a> {
    /// One that has not begun.
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
            multipv: 1,
            last_options: AnalysisOptions::default(),
            running: None,
            bad_messages: 0,
            next_ping_at: now + app.caps().live_ping,
            is_pong_due: false,
            last_active_at: now,
        }
    }

    /// Holds it to its end. An analysis that still runs then is left.
    pub(super) async fn run(mut self) {
        let reason = loop {
            let event = self.next_event().await;
            if let Err(reason) = self.handle_event(event).await {
                break reason;
            }
        };
        tracing::debug!(ending = ?reason, "a live board was closed");
        self.running = None;
        let Some(close) = reason.close_message() else { return };
        let close_handshake = async {
            self.socket.send(close).await?;
            while let Some(Ok(_)) = self.socket.recv().await {}
            Ok::<_, axum::Error>(())
        };
        // Whoever does not answer is gone.
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
            // A search that is stopped by it is heard to its end.
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
            // Answered by the socket itself.
            Some(Ok(Frame::Ping(_))) => Ok(()),
            Some(Ok(Frame::Binary(bytes))) if bytes.len() > MAX_MESSAGE_BYTES => {
                Err(CloseReason::TooLong)
            }
            Some(Ok(Frame::Text(text))) if text.len() > MAX_MESSAGE_BYTES => {
                Err(CloseReason::TooLong)
            }
            Some(Ok(Frame::Binary(_))) => {
                self.last_active_at = Instant::now();
                let problem = Problem::malformed_json("a message must be text, not bytes", 1, 1);
                self.reject(&CorrelationId::None, &problem).await
            }
            Some(Ok(Frame::Text(text))) => {
                self.last_active_at = Instant::now();
                self.handle_message(text.as_bytes()).await
            }
        }
    }

    async fn handle_message(&mut self, text: &[u8]) -> ConnectionResult {
        let ClientMessage { id, command } =
            match json::read::<ClientMessage>(text, self.app.caps().moves) {
                Ok(message) => message,
                Err(problem) => {
                    return self.reject(&CorrelationId::extract_from(text), &problem).await;
                }
            };
        match command {
            Command::Position(position) => self.set_position(&id, &position).await,
            Command::Go(options) => self.start_analysis(id, options.or_multipv(self.multipv)).await,
            Command::Stop => {
                self.bad_messages = 0;
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
            Err(problem) => return self.reject(id, &problem).await,
        };
        self.bad_messages = 0;
        self.end_running_analysis().await?;
        let ready = Ready::new(PositionState::from(&resolved));
        self.game = resolved.game;
        self.send_json(id, &ready).await
    }

    async fn set_multipv(&mut self, id: CorrelationId, multipv: u64) -> ConnectionResult {
        self.multipv = multipv;
        let options = self.last_options.clone().with_multipv(multipv);
        if self.running.is_some() {
            return self.start_analysis(id, options).await;
        }
        self.bad_messages = 0;
        self.last_options = options;
        Ok(())
    }

    /// Analyses what is on the board.
    async fn start_analysis(
        &mut self,
        id: CorrelationId,
        options: AnalysisOptions,
    ) -> ConnectionResult {
        let clamped =
            options.clone().clamp(self.game.clone(), self.caller.client(), self.app.caps());
        let (request, render_options) = match clamped {
            Ok(clamped) => clamped,
            Err(problem) => return self.reject(&id, &problem).await,
        };
        self.bad_messages = 0;
        if let Err(allowance) = self.app.access_control().count_request(self.caller.identity()) {
            return self.send_problem(&id, &Problem::rate_limited(allowance.reset_after)).await;
        }
        self.end_running_analysis().await?;
        self.last_options = options;
        match self.service.start_analysis(request) {
            Ok(analysis) => {
                let throttle =
                    UpdateThrottle::new(render_options, self.app.caps().stream.heartbeat);
                self.running = Some(RunningAnalysis { id, throttle, analysis });
                Ok(())
            }
            Err(error) => self.send_problem(&id, &error.into()).await,
        }
    }

    /// Ends the analysis that runs, for a newer command, and tells what it has.
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

    /// Tells a line of the analysis.
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

    /// Says what is wrong with a message. It ends nothing, unless there were too many.
    async fn reject(&mut self, id: &CorrelationId, problem: &Problem) -> ConnectionResult {
        self.send_problem(id, problem).await?;
        if problem.code() == ProblemCode::Internal {
            return Ok(());
        }
        self.bad_messages += 1;
        if self.bad_messages < MAX_BAD_MESSAGES { Ok(()) } else { Err(CloseReason::BadMessages) }
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
                tracing::error!(error = error.to_string(), "a line could not be written");
                Ok(())
            }
        }
    }

    /// Waits until the client has room for it: meanwhile newer infos take the place of older ones.
    async fn send_frame(&mut self, frame: Frame) -> ConnectionResult {
        self.socket.send(frame).await.map_err(|_| CloseReason::ClientLeft)
    }
}

/// What an error of the socket means: nobody is there any more, unless a message was far too long.
fn close_reason_of(error: &axum::Error) -> CloseReason {
    let text = error.to_string();
    if text.contains("too long") || text.contains("too big") {
        CloseReason::TooLong
    } else {
        CloseReason::ClientLeft
    }
}

/// Why there is nothing more to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The client has closed the socket, or is gone.
    ClientLeft,
    /// The server ends.
    Shutdown,
    /// Three messages in a row were bad.
    BadMessages,
    /// The client does not answer any more.
    NoPong,
    /// A message was too long.
    TooLong,
    /// The client has said nothing for long, and nothing is searched for it.
    Idle,
}

impl CloseReason {
    /// What the client is told of it; nothing when it is gone. Codes below 4000 are those of RFC
    /// 6455, 7.4.1.
    pub(super) fn close_message(self) -> Option<Message> {
        let (code, reason) = match self {
            CloseReason::ClientLeft => return None,
            CloseReason::Shutdown => (1001, "the server is shutting down"),
            CloseReason::BadMessages => (1008, "three bad messages in a row"),
            CloseReason::NoPong => (1008, "no pong came"),
            CloseReason::TooLong => (1009, "a message is longer than 64 KiB"),
            CloseReason::Idle => (4000, "idle"),
        };
        Some(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })))
    }
}
