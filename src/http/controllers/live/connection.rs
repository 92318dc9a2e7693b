//! The connection of a live board: commands in, lines out, one analysis at a time.

use std::future::pending;
use std::num::NonZeroU64;

use axum::extract::ws::WebSocket;
use serde::Serialize;

use super::message::{ClientMessage, Command, LineWithId, Ready};
use super::socket::{ClientFrame, ClientSocket, SocketEvent, SocketResult};
use crate::analysis::{AnalysisError, AnalysisStream, Service};
use crate::chess::{Game, Position};
use crate::http::access::Caller;
use crate::http::controllers::analysis::{AnalysisOptions, StreamLine, UpdateThrottle};
use crate::http::controllers::tablebase::searched_entry;
use crate::http::dto::{CorrelationId, PositionRequest, PositionState};
use crate::http::problem::Problem;
use crate::http::{App, json};

/// A live board and the connection to its client.
pub(super) struct LiveConnection<'a> {
    app: &'a App,
    service: &'a Service,
    caller: &'a Caller,
    socket: ClientSocket<'a>,
    game: Game,
    /// The number of lines of a `go` without `multipv`.
    multipv: NonZeroU64,
    /// The options of the last analysis.
    last_options: AnalysisOptions,
    running: Option<RunningAnalysis>,
}

/// The running analysis and the id of the message that started it.
struct RunningAnalysis {
    id: CorrelationId,
    throttle: UpdateThrottle,
    analysis: AnalysisStream,
}

/// The next event of a connection.
enum Event {
    Socket(SocketEvent),
    /// A line of the analysis; `None` after its end.
    Line(Result<Option<StreamLine>, AnalysisError>),
}

impl<'a> LiveConnection<'a> {
    /// Creates a connection with the starting position. `run` starts it.
    pub(super) fn new(
        app: &'a App,
        service: &'a Service,
        caller: &'a Caller,
        socket: WebSocket,
    ) -> LiveConnection<'a> {
        LiveConnection {
            app,
            service,
            caller,
            socket: ClientSocket::new(app, socket),
            game: Game::new(Position::startpos()),
            multipv: NonZeroU64::MIN,
            last_options: AnalysisOptions::default(),
            running: None,
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
        self.running = None;
        self.socket.close(reason).await;
    }

    async fn next_event(&mut self) -> Event {
        let LiveConnection { socket, running, .. } = self;
        let is_running = running.is_some();
        let line = async {
            match running {
                Some(running) => running.throttle.next(&mut running.analysis).await,
                None => pending().await,
            }
        };
        tokio::select! {
            event = socket.next_event(is_running) => Event::Socket(event),
            line = line => Event::Line(line),
        }
    }

    async fn handle_event(&mut self, event: Event) -> SocketResult {
        match event {
            Event::Line(line) => self.send_line(line).await,
            Event::Socket(event) => match self.socket.handle_event(event).await? {
                Some(ClientFrame::Text(text)) => self.handle_message(text.as_bytes()).await,
                Some(ClientFrame::Binary) => {
                    self.reject(&CorrelationId::None, &Problem::binary_message()).await
                }
                None => Ok(()),
            },
        }
    }

    async fn handle_message(&mut self, text: &[u8]) -> SocketResult {
        let max_moves = self.app.caps().moves;
        let ClientMessage { id, command } =
            match json::read_from::<ClientMessage>(json::TextSource::Message, text, max_moves) {
                Ok(message) => message,
                Err(problem) => {
                    return self.reject(&CorrelationId::extract_from(text), &problem).await;
                }
            };
        self.socket.count_valid_message();
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
    ) -> SocketResult {
        let resolved = match position.resolve() {
            Ok(resolved) => resolved,
            Err(problem) => {
                // A legal position is free. An illegal one counts as a request, because the limit
                // of invalid messages does not apply to it.
                let problem = self.app.count_message(self.caller).await.err().unwrap_or(problem);
                return self.send_problem(id, &problem).await;
            }
        };
        self.end_running_analysis().await?;
        let ready = Ready::new(PositionState::from(&resolved));
        self.game = resolved.game;
        self.send_json(id, &ready).await
    }

    async fn set_multipv(&mut self, id: CorrelationId, multipv: NonZeroU64) -> SocketResult {
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
    ) -> SocketResult {
        if let Err(exceeded) = self.app.count_message(self.caller).await {
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
        match self.service.follow(request).await {
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
    async fn end_running_analysis(&mut self) -> SocketResult {
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
    async fn send_line(&mut self, line: Result<Option<StreamLine>, AnalysisError>) -> SocketResult {
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
            self.socket.mark_active();
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
    async fn reject(&mut self, id: &CorrelationId, problem: &Problem) -> SocketResult {
        self.send_problem(id, problem).await?;
        self.socket.count_invalid_message()
    }

    async fn send_problem(&mut self, id: &CorrelationId, problem: &Problem) -> SocketResult {
        match StreamLine::from_problem(problem, self.caller.path(), self.caller.request_id()) {
            Some(line) => self.send_json(id, &line).await,
            None => Ok(()),
        }
    }

    async fn send_json(&mut self, id: &CorrelationId, line: &impl Serialize) -> SocketResult {
        self.socket.send_json(&LineWithId { line, id }).await
    }
}
