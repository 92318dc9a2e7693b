//! The messages of a live board, in both directions.

use std::num::NonZeroU64;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::http::controllers::analysis::{AnalysisOptions, StreamLine};
use crate::http::dto::{CorrelationId, PositionRequest, PositionState};
use crate::http::json::{FromMembers, Members, Named, request};
use crate::http::schema::string_enum;

/// A message of the client, with the id that its answers repeat.
#[derive(Clone, Debug)]
pub(super) struct ClientMessage {
    pub(super) id: CorrelationId,
    pub(super) command: Command,
}

/// The command of a message.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// Set the position.
    Position(PositionRequest),
    /// Analyse the position.
    Go(AnalysisOptions),
    /// End the running analysis.
    Stop,
    /// Continue to this depth.
    Deeper(NonZeroU64),
    /// Set the number of lines.
    MultiPv(NonZeroU64),
}

#[derive(Clone, Copy, Debug)]
enum CommandKind {
    Position,
    Go,
    Stop,
    Deeper,
    MultiPv,
}

impl Named for CommandKind {
    const ALL: &'static [CommandKind] = &[
        CommandKind::Position,
        CommandKind::Go,
        CommandKind::Stop,
        CommandKind::Deeper,
        CommandKind::MultiPv,
    ];

    fn name(self) -> &'static str {
        match self {
            CommandKind::Position => "position",
            CommandKind::Go => "go",
            CommandKind::Stop => "stop",
            CommandKind::Deeper => "deeper",
            CommandKind::MultiPv => "multipv",
        }
    }
}

impl FromMembers for ClientMessage {
    fn read(members: &mut Members<'_>) -> Option<ClientMessage> {
        members.suggest_no_routes();
        let Some(kind) = members.required("type") else {
            // Only `id` does not depend on the type. Errors of other members are not reported.
            let _: Option<CorrelationId> = members.optional("id");
            members.ignore_rest();
            return None;
        };
        let (id, command) = match kind {
            CommandKind::Position => {
                let SetPosition { id, position } = SetPosition::read(members)?;
                (id, Command::Position(position))
            }
            CommandKind::Go => {
                let Go { id, options } = Go::read(members)?;
                (id, Command::Go(options))
            }
            CommandKind::Stop => (Stop::read(members)?.id, Command::Stop),
            CommandKind::Deeper => {
                let Deeper { id, depth } = Deeper::read(members)?;
                (id, Command::Deeper(depth))
            }
            CommandKind::MultiPv => {
                let MultiPv { id, value } = MultiPv::read(members)?;
                (id, Command::MultiPv(value))
            }
        };
        Some(ClientMessage { id, command })
    }
}

request! {
    /// Sets the position of the board. The server answers `ready`. A running analysis ends with the
    /// reason `replaced`.
    #[derive(Clone, Debug)]
    #[message_type("position")]
    pub(crate) struct SetPosition as "LivePosition" {
        /// An id of the client's choice. The answers repeat it.
        defaulted id: CorrelationId,
        flatten position: PositionRequest,
    }
}

request! {
    /// Analyses the position of the board, which is the starting position at first. A running
    /// analysis ends with the reason `replaced`.
    #[derive(Clone, Debug)]
    #[message_type("go")]
    #[refuse("session", "a live board is its own session")]
    pub(crate) struct Go as "LiveGo" {
        /// An id of the client's choice. The answers repeat it.
        defaulted id: CorrelationId,
        flatten options: AnalysisOptions,
    }
}

request! {
    /// Ends the running analysis. Its `end` has the reason `stopped`. Without a running analysis
    /// the message has no effect.
    #[derive(Clone, Debug)]
    #[message_type("stop")]
    pub(crate) struct Stop as "LiveStop" {
        /// Ignored. The `end` has the `id` of the message that started the analysis.
        defaulted id: CorrelationId,
    }
}

request! {
    /// Continues the last analysis to this depth, with the same options. The server does not repeat
    /// the finished search.
    #[derive(Clone, Debug)]
    #[message_type("deeper")]
    pub(crate) struct Deeper as "LiveDeeper" {
        /// An id of the client's choice. The answers repeat it.
        defaulted id: CorrelationId,
        /// The depth to reach, in plies.
        required depth: NonZeroU64,
    }
}

request! {
    /// Sets the number of lines. A running analysis continues with that number, under the `id` of
    /// this message.
    #[derive(Clone, Debug)]
    #[message_type("multipv")]
    pub(crate) struct MultiPv as "LiveMultiPv" {
        /// An id of the client's choice. The answers repeat it.
        defaulted id: CorrelationId,
        /// The number of best moves to return with a line.
        required value: NonZeroU64,
    }
}

/// The position is set.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LiveReady)]
pub(crate) struct Ready {
    /// The type of the message: `ready`.
    #[schema(schema_with = type_ready)]
    r#type: &'static str,
    #[serde(flatten)]
    state: PositionState,
}

impl Ready {
    pub(super) fn new(state: PositionState) -> Ready {
        Ready { r#type: "ready", state }
    }
}

/// A line with the id of the message that it answers.
#[derive(Debug, Serialize)]
pub(super) struct LineWithId<'a, T> {
    #[serde(flatten)]
    pub(super) line: &'a T,
    pub(super) id: &'a CorrelationId,
}

/// A message of the server: `ready`, a line of an analysis, or the problem with a message.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LiveLine {
    /// The `id` of the message that it answers; null if that has none.
    #[schema(schema_with = CorrelationId::response_schema)]
    id: CorrelationId,
    #[serde(flatten)]
    message: LiveMessage,
}

/// A message of the server without its `id`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the schema only; each line is serialized by itself")]
pub(crate) enum LiveMessage {
    Ready(Ready),
    Line(StreamLine),
}

fn type_ready() -> ObjectBuilder {
    string_enum("The type of the message.", ["ready"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::json;

    fn kind_of(text: &str) -> Result<&'static str, String> {
        match json::read::<ClientMessage>(text.as_bytes(), 10) {
            Ok(ClientMessage { command, .. }) => Ok(match command {
                Command::Position(_) => "position",
                Command::Go(_) => "go",
                Command::Stop => "stop",
                Command::Deeper(_) => "deeper",
                Command::MultiPv(_) => "multipv",
            }),
            Err(problem) => Err(format!("{problem:?}")),
        }
    }

    #[test]
    fn the_type_member_selects_the_command() {
        for (text, kind) in [
            (r#"{"type": "position", "id": 1, "fen": "startpos", "moves": ["e4"]}"#, "position"),
            (r#"{"type": "go", "id": "a", "depth": 12, "multipv": 3}"#, "go"),
            (r#"{"type": "go", "infinite": true, "pov": "white"}"#, "go"),
            (r#"{"id": 3, "type": "stop"}"#, "stop"),
            (r#"{"type": "deeper", "depth": 20}"#, "deeper"),
            (r#"{"type": "multipv", "value": 2}"#, "multipv"),
        ] {
            assert_eq!(kind_of(text), Ok(kind), "{text}");
        }
    }

    #[test]
    fn an_invalid_message_is_refused_with_its_error() {
        for (text, expected) in [
            (r#"{"id": 1}"#, "type is missing"),
            (
                r#"{"type": "pondering", "fen": "startpos"}"#,
                "one of position, go, stop, deeper, multipv",
            ),
            (r#"{"type": "go", "fen": "startpos"}"#, "is not a known member"),
            (r#"{"type": "go", "session": "a"}"#, "a live board is its own session"),
            (r#"{"type": "go", "infinite": true, "depth": 3}"#, "can't be combined with"),
            (r#"{"type": "deeper"}"#, "depth is missing"),
            (r#"{"type": "multipv", "value": 0}"#, "value is 0"),
            (r#"{"type": "stop", "id": []}"#, "it must be a string or a number"),
            (r#"{"id": []}"#, "it must be a string or a number"),
            ("[]", "must be an object"),
        ] {
            let problem = kind_of(text).unwrap_err();
            assert!(problem.contains(expected), "{text}: {problem}");
        }
        let unknown = kind_of(r#"{"type": "pondering", "fen": "startpos"}"#).unwrap_err();
        assert!(!unknown.contains("known member"), "more than one error: {unknown}");
    }
}
