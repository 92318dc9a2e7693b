//! The WebSocket of chess-api.com: requests in, moves out, one search at a time.

use std::future::pending;

use axum::extract::ws::WebSocket;

use super::request::{ChessApiRequest, ChessApiSearch};
use super::response::{ChessApiError, MessageContext, MessageKind};
use crate::analysis::{AnalysisError, AnalysisStream, AnalysisUpdate, Service};
use crate::engine::Report;
use crate::http::access::Caller;
use crate::http::controllers::analysis::StreamLine;
use crate::http::controllers::live::{ClientFrame, ClientSocket, SocketEvent, SocketResult};
use crate::http::problem::Problem;
use crate::http::{App, json};

/// The connection to a client.
pub(super) struct ChessApiConnection<'a> {
    app: &'a App,
    service: &'a Service,
    caller: &'a Caller,
    socket: ClientSocket<'a>,
    running: Option<RunningSearch>,
}

struct RunningSearch {
    context: MessageContext,
    analysis: AnalysisStream,
}

/// The next event of a connection.
enum Event {
    Socket(SocketEvent),
    /// An update of the search; `None` after its end.
    Update(Result<Option<AnalysisUpdate>, AnalysisError>),
}

impl<'a> ChessApiConnection<'a> {
    /// Creates a connection. `run` starts it.
    pub(super) fn new(
        app: &'a App,
        service: &'a Service,
        caller: &'a Caller,
        socket: WebSocket,
    ) -> ChessApiConnection<'a> {
        let socket = ClientSocket::new(app, socket);
        ChessApiConnection { app, service, caller, socket, running: None }
    }

    /// Handles events until the connection closes, then ends the running search.
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
        let ChessApiConnection { socket, running, .. } = self;
        let is_running = running.is_some();
        let update = async {
            match running {
                Some(running) => running.analysis.next().await,
                None => pending().await,
            }
        };
        tokio::select! {
            event = socket.next_event(is_running) => Event::Socket(event),
            update = update => Event::Update(update),
        }
    }

    async fn handle_event(&mut self, event: Event) -> SocketResult {
        match event {
            Event::Update(update) => self.handle_update(update).await,
            Event::Socket(event) => match self.socket.handle_event(event).await? {
                Some(ClientFrame::Text(text)) => self.handle_message(text.as_bytes()).await,
                Some(ClientFrame::Binary) => self.reject(Problem::binary_message()).await,
                None => Ok(()),
            },
        }
    }

    async fn handle_message(&mut self, text: &[u8]) -> SocketResult {
        if let Err(exceeded) = self.app.count_message(self.caller).await {
            return self.send_problem(&exceeded).await;
        }
        let max_moves = self.app.caps().moves;
        let source = json::TextSource::Message;
        let request = match json::read_from::<ChessApiRequest>(source, text, max_moves) {
            Ok(request) => request,
            Err(problem) => return self.reject(problem).await,
        };
        self.socket.count_valid_message();
        // The older search ends in any case: its client has turned to another position.
        self.running = None;
        match request.resolve() {
            Ok(search) => self.start(search).await,
            Err(error) => self.socket.send_json(&error).await,
        }
    }

    async fn start(&mut self, search: ChessApiSearch) -> SocketResult {
        let (request, context) = search.into_request(self.caller.client(), self.app.caps());
        match self.service.follow(request).await {
            Ok(analysis) => {
                self.running = Some(RunningSearch { context, analysis });
                Ok(())
            }
            Err(error) => self.send_problem(&error.into()).await,
        }
    }

    async fn handle_update(
        &mut self,
        update: Result<Option<AnalysisUpdate>, AnalysisError>,
    ) -> SocketResult {
        match update {
            Ok(Some(AnalysisUpdate::Queued(_))) => Ok(()),
            Ok(Some(AnalysisUpdate::Cached(cached))) => self.send_lines(&cached.report).await,
            Ok(Some(AnalysisUpdate::Iteration(report))) => self.send_lines(&report).await,
            Ok(Some(AnalysisUpdate::End(answer))) => self.send_best_move(&answer.report).await,
            Ok(None) => {
                self.end_search();
                Ok(())
            }
            Err(error) => {
                self.end_search();
                self.send_problem(&error.into()).await
            }
        }
    }

    fn end_search(&mut self) -> Option<RunningSearch> {
        self.socket.mark_active();
        self.running.take()
    }

    /// Sends the lines of a report, the best first.
    async fn send_lines(&mut self, report: &Report) -> SocketResult {
        let Some(RunningSearch { context, .. }) = &self.running else { return Ok(()) };
        let others = report.alternatives.iter().map(|line| (line.score, &line.pv));
        for (score, pv) in [(report.score, &report.pv)].into_iter().chain(others) {
            if let Some(message) = context.message(MessageKind::Move, score, pv, report) {
                self.socket.send_json(&message).await?;
            }
        }
        Ok(())
    }

    async fn send_best_move(&mut self, report: &Report) -> SocketResult {
        let Some(RunningSearch { context, .. }) = self.end_search() else { return Ok(()) };
        match context.message(MessageKind::BestMove, report.score, &report.pv, report) {
            Some(message) => self.socket.send_json(&message).await,
            // Only a shutdown ends a search before it has found a move.
            None => self.send_problem(&AnalysisError::shutting_down().into()).await,
        }
    }

    /// Refuses a message that is no request. Too many of them in a row close the connection.
    async fn reject(&mut self, problem: Problem) -> SocketResult {
        match ChessApiError::from_unreadable(problem) {
            Ok(error) => self.socket.send_json(&error).await?,
            Err(problem) => self.send_problem(&problem).await?,
        }
        self.socket.count_invalid_message()
    }

    async fn send_problem(&mut self, problem: &Problem) -> SocketResult {
        match StreamLine::from_problem(problem, self.caller.path(), self.caller.request_id()) {
            Some(line) => self.socket.send_json(&line).await,
            None => Ok(()),
        }
    }
}
