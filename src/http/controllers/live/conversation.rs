//! The conversation on a socket: commands in, lines out, one analysis at a time.

use std::future::pending;
use std::time::Duration;

use axum::extract::ws::{Message as Frame, Utf8Bytes, WebSocket};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout};

use super::LONGEST_MESSAGE;
use super::ending::Ending;
use super::message::{Command, Message};
use super::said::{Ready, Said};
use crate::analysis::{AnalysisError, Following, Service};
use crate::chess::{Game, Position};
use crate::http::App;
use crate::http::asker::Asker;
use crate::http::controllers::analysis::{Manner, Narrator, StreamLine};
use crate::http::dto::{Id, PositionState};
use crate::http::json;
use crate::http::problem::{Code, Problem};

/// So many bad messages in a row are one too many.
const MOST_BAD: u32 = 3;

/// How long the client may take to answer a close.
const FAREWELL: Duration = Duration::from_secs(1);

/// A board and the client before it.
pub(super) struct Conversation<'a> {
    app: &'a App,
    service: &'a Service,
    asker: &'a Asker,
    socket: WebSocket,
    game: Game,
    /// How many lines are told where `go` does not say.
    lines: u64,
    /// How the last analysis was made.
    manner: Manner,
    running: Option<Running>,
    /// Bad messages since the last good one.
    bad: u32,
    ping_at: Instant,
    /// A ping is not answered yet; it has to be before the next one.
    is_pong_due: bool,
    /// When the client has said or heard something of consequence.
    active: Instant,
}

/// The analysis under way, and the message that it answers.
struct Running {
    id: Id,
    narrator: Narrator,
    following: Following,
}

/// What happens next.
enum Event {
    Heard(Option<Result<Frame, axum::Error>>),
    /// Of the analysis; `None` after its end.
    Line(Result<Option<StreamLine>, AnalysisError>),
    Ping,
    Idle,
    Shutdown,
}

/// Whether the conversation goes on.
type Step = Result<(), Ending>;

impl<'a> Conversation<'a> {
    /// One that has not begun.
    pub(super) fn new(
        app: &'a App,
        service: &'a Service,
        asker: &'a Asker,
        socket: WebSocket,
    ) -> Conversation<'a> {
        let now = Instant::now();
        Conversation {
            app,
            service,
            asker,
            socket,
            game: Game::new(Position::startpos()),
            lines: 1,
            manner: Manner::default(),
            running: None,
            bad: 0,
            ping_at: now + app.caps().live_ping,
            is_pong_due: false,
            active: now,
        }
    }

    /// Holds it to its end. An analysis that still runs then is left.
    pub(super) async fn hold(mut self) {
        let ending = loop {
            let event = self.event().await;
            if let Err(ending) = self.react(event).await {
                break ending;
            }
        };
        tracing::debug!(?ending, "a live board was closed");
        self.running = None;
        let Some(close) = ending.message() else { return };
        let farewell = async {
            self.socket.send(close).await?;
            while let Some(Ok(_)) = self.socket.recv().await {}
            Ok::<_, axum::Error>(())
        };
        // Whoever does not answer is gone.
        let _ = timeout(FAREWELL, farewell).await;
    }

    async fn event(&mut self) -> Event {
        let Conversation { app, socket, running, ping_at, active, .. } = self;
        let is_running = running.is_some();
        let line = async {
            match running {
                Some(running) => running.narrator.next(&mut running.following).await,
                None => pending().await,
            }
        };
        tokio::select! {
            heard = socket.recv() => Event::Heard(heard),
            line = line => Event::Line(line),
            () = sleep_until(*ping_at) => Event::Ping,
            () = sleep_until(*active + app.caps().live_idle), if !is_running => Event::Idle,
            // A search that is stopped by it is heard to its end.
            () = app.shutting_down(), if !is_running => Event::Shutdown,
        }
    }

    async fn react(&mut self, event: Event) -> Step {
        match event {
            Event::Heard(frame) => self.hear(frame).await,
            Event::Line(line) => self.tell(line).await,
            Event::Ping if self.is_pong_due => Err(Ending::NoPong),
            Event::Ping => {
                self.is_pong_due = true;
                self.ping_at = Instant::now() + self.app.caps().live_ping;
                self.send(Frame::Ping(Default::default())).await
            }
            Event::Idle => Err(Ending::Idle),
            Event::Shutdown => Err(Ending::Shutdown),
        }
    }

    async fn hear(&mut self, frame: Option<Result<Frame, axum::Error>>) -> Step {
        match frame {
            None | Some(Ok(Frame::Close(_))) => Err(Ending::ClientLeft),
            Some(Err(error)) => Err(ending_of(&error)),
            Some(Ok(Frame::Pong(_))) => {
                self.is_pong_due = false;
                Ok(())
            }
            // Answered by the socket itself.
            Some(Ok(Frame::Ping(_))) => Ok(()),
            Some(Ok(Frame::Binary(bytes))) if bytes.len() > LONGEST_MESSAGE => Err(Ending::TooLong),
            Some(Ok(Frame::Text(text))) if text.len() > LONGEST_MESSAGE => Err(Ending::TooLong),
            Some(Ok(Frame::Binary(_))) => {
                self.active = Instant::now();
                let problem = Problem::malformed_json("a message must be text, not bytes", 1, 1);
                self.refuse(&Id::None, &problem).await
            }
            Some(Ok(Frame::Text(text))) => {
                self.active = Instant::now();
                self.listen(text.as_bytes()).await
            }
        }
    }

    async fn listen(&mut self, text: &[u8]) -> Step {
        let Message { id, command } = match json::read::<Message>(text, self.app.caps().moves) {
            Ok(message) => message,
            Err(problem) => return self.refuse(&Id::within(text), &problem).await,
        };
        match command {
            Command::Position(position) => match position.resolve() {
                Ok(resolved) => {
                    self.bad = 0;
                    self.end_running().await?;
                    let ready = Ready::new(PositionState::from(&resolved));
                    self.game = resolved.game;
                    self.say(&id, &ready).await
                }
                Err(problem) => self.refuse(&id, &problem).await,
            },
            Command::Go(manner) => self.go(id, manner.or_lines(self.lines)).await,
            Command::Stop => {
                self.bad = 0;
                if let Some(running) = &mut self.running {
                    running.following.stop();
                }
                Ok(())
            }
            Command::Deeper(depth) => self.go(id, self.manner.clone().with_depth(depth)).await,
            Command::MultiPv(lines) => {
                self.lines = lines;
                let manner = self.manner.clone().with_lines(lines);
                if self.running.is_some() {
                    return self.go(id, manner).await;
                }
                self.bad = 0;
                self.manner = manner;
                Ok(())
            }
        }
    }

    /// Analyses what is on the board.
    async fn go(&mut self, id: Id, manner: Manner) -> Step {
        let clamped = manner.clone().clamp(self.game.clone(), self.asker.client(), self.app.caps());
        let (request, telling) = match clamped {
            Ok(clamped) => clamped,
            Err(problem) => return self.refuse(&id, &problem).await,
        };
        self.bad = 0;
        if let Err(allowance) = self.app.gate().count(self.asker.visitor()) {
            return self.say_problem(&id, &Problem::rate_limited(allowance.after)).await;
        }
        self.end_running().await?;
        self.manner = manner;
        match self.service.follow(request) {
            Ok(following) => {
                let narrator = Narrator::new(telling, self.app.caps().stream.heartbeat);
                self.running = Some(Running { id, narrator, following });
                Ok(())
            }
            Err(error) => self.say_problem(&id, &error.into()).await,
        }
    }

    /// Ends the analysis that runs, for a newer command, and tells what it has.
    async fn end_running(&mut self) -> Step {
        if let Some(running) = &mut self.running {
            running.following.replace();
        }
        while let Some(running) = &mut self.running {
            let line = running.narrator.next(&mut running.following).await;
            self.tell(line).await?;
        }
        Ok(())
    }

    /// Tells a line of the analysis.
    async fn tell(&mut self, line: Result<Option<StreamLine>, AnalysisError>) -> Step {
        let is_last = !matches!(
            line,
            Ok(Some(StreamLine::Info(_) | StreamLine::Queued(_) | StreamLine::Heartbeat(_)))
        );
        let id = match &self.running {
            Some(running) => running.id.clone(),
            None => Id::None,
        };
        if is_last {
            self.running = None;
            self.active = Instant::now();
        }
        match line {
            Ok(Some(line)) => self.say(&id, &line).await,
            Ok(None) => Ok(()),
            Err(error) => self.say_problem(&id, &error.into()).await,
        }
    }

    /// Says what is wrong with a message. It ends nothing, unless there were too many.
    async fn refuse(&mut self, id: &Id, problem: &Problem) -> Step {
        self.say_problem(id, problem).await?;
        if problem.code() == Code::Internal {
            return Ok(());
        }
        self.bad += 1;
        if self.bad < MOST_BAD { Ok(()) } else { Err(Ending::BadMessages) }
    }

    async fn say_problem(&mut self, id: &Id, problem: &Problem) -> Step {
        match StreamLine::broken(problem, self.asker.path(), self.asker.request_id()) {
            Some(line) => self.say(id, &line).await,
            None => Ok(()),
        }
    }

    async fn say(&mut self, id: &Id, line: &impl Serialize) -> Step {
        match serde_json::to_string(&Said { line, id }) {
            Ok(text) => self.send(Frame::Text(Utf8Bytes::from(text))).await,
            Err(error) => {
                tracing::error!(error = error.to_string(), "a line could not be written");
                Ok(())
            }
        }
    }

    /// Waits until the client has room for it: meanwhile newer infos take the place of older ones.
    async fn send(&mut self, frame: Frame) -> Step {
        self.socket.send(frame).await.map_err(|_| Ending::ClientLeft)
    }
}

/// What an error of the socket means: nobody is there any more, unless a message was far too long.
fn ending_of(error: &axum::Error) -> Ending {
    let text = error.to_string();
    if text.contains("too long") || text.contains("too big") {
        Ending::TooLong
    } else {
        Ending::ClientLeft
    }
}
