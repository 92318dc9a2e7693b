//! The messages of a live board, in both directions.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::http::controllers::analysis::{AnalysisOptions, StreamLine};
use crate::http::dto::{CorrelationId, PositionRequest, PositionState};
use crate::http::json::{FromMembers, FromValue, JsonPath, JsonValue, Members, read_enum};
use crate::http::problem::{InvalidMember, MemberErrorCode};
use crate::http::schema::string_enum;

/// A message may have so many bytes.
pub(super) const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// A message, with the name that its answers bear.
#[derive(Clone, Debug)]
pub(super) struct ClientMessage {
    pub(super) id: CorrelationId,
    pub(super) command: Command,
}

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// Put this position on the board.
    Position(PositionRequest),
    /// Analyse it.
    Go(AnalysisOptions),
    /// Be content with what there is.
    Stop,
    /// Go on to this depth.
    Deeper(u64),
    /// Tell so many lines.
    MultiPv(u64),
}

#[derive(Clone, Copy, Debug)]
enum CommandKind {
    Position,
    Go,
    Stop,
    Deeper,
    MultiPv,
}

impl CommandKind {
    const ALL: [CommandKind; 5] = [
        CommandKind::Position,
        CommandKind::Go,
        CommandKind::Stop,
        CommandKind::Deeper,
        CommandKind::MultiPv,
    ];

    const fn name(self) -> &'static str {
        match self {
            CommandKind::Position => "position",
            CommandKind::Go => "go",
            CommandKind::Stop => "stop",
            CommandKind::Deeper => "deeper",
            CommandKind::MultiPv => "multipv",
        }
    }
}

impl<'a> FromValue<'a> for CommandKind {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<CommandKind> {
        read_enum(value, path, errors, &CommandKind::ALL, |kind| kind.name())
    }
}

impl FromMembers for ClientMessage {
    fn read(members: &mut Members<'_>) -> Option<ClientMessage> {
        let id = members.optional("id").unwrap_or_default();
        let Some(kind) = members.required("type") else {
            // What else a message of no known kind may have, nobody knows.
            members.ignore_rest();
            return None;
        };
        let command = match kind {
            CommandKind::Position => Command::Position(PositionRequest::read(members)?),
            CommandKind::Go => {
                if members.has("session") {
                    members.add_error(
                        MemberErrorCode::UnknownMember,
                        "session",
                        "a board is a session by itself".to_owned(),
                    );
                }
                Command::Go(AnalysisOptions::read(members)?)
            }
            CommandKind::Stop => Command::Stop,
            CommandKind::Deeper => Command::Deeper(members.required_number("depth", 1..=u64::MAX)?),
            CommandKind::MultiPv => {
                Command::MultiPv(members.required_number("value", 1..=u64::MAX)?)
            }
        };
        Some(ClientMessage { id, command })
    }
}

/// Puts a position on the board. It is answered by `ready`; an analysis that runs ends with the
/// reason `replaced`.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = LivePosition)]
#[expect(dead_code, reason = "it only describes; messages are read as `Message`")]
pub(crate) struct SetPosition {
    /// What it is.
    #[schema(schema_with = type_position)]
    r#type: String,
    /// Comes back in what answers it.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    id: CorrelationId,
    position: PositionRequest,
}

/// Analyses the position on the board, which is the starting position before any other. An analysis
/// that runs ends with the reason `replaced`.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = LiveGo)]
#[expect(dead_code, reason = "it only describes; messages are read as `Message`")]
pub(crate) struct Go {
    /// What it is.
    #[schema(schema_with = type_go)]
    r#type: String,
    /// Comes back in what answers it.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    id: CorrelationId,
    options: AnalysisOptions,
}

/// Ends the analysis that runs: its `end` has the reason `stopped`. Without one nothing happens.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = LiveStop)]
#[expect(dead_code, reason = "it only describes; messages are read as `Message`")]
pub(crate) struct Stop {
    /// What it is.
    #[schema(schema_with = type_stop)]
    r#type: String,
    /// Of no consequence: the `end` bears the id of what it ends.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    id: CorrelationId,
}

/// Analyses as the last time, but to this depth: what was found is not searched again.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = LiveDeeper)]
#[expect(dead_code, reason = "it only describes; messages are read as `Message`")]
pub(crate) struct Deeper {
    /// What it is.
    #[schema(schema_with = type_deeper)]
    r#type: String,
    /// Comes back in what answers it.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    id: CorrelationId,
    /// Iterations, in plies.
    #[schema(minimum = 1)]
    depth: u64,
}

/// Tells so many lines from now on: an analysis that runs goes on with as many, under this
/// message's id.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = LiveMultiPv)]
#[expect(dead_code, reason = "it only describes; messages are read as `Message`")]
pub(crate) struct MultiPv {
    /// What it is.
    #[schema(schema_with = type_multipv)]
    r#type: String,
    /// Comes back in what answers it.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    id: CorrelationId,
    /// How many of the best moves get a line.
    #[schema(minimum = 1)]
    value: u64,
}

fn type_of(kind: CommandKind) -> ObjectBuilder {
    string_enum("What it is.", [kind.name()])
}

fn type_position() -> ObjectBuilder {
    type_of(CommandKind::Position)
}

fn type_go() -> ObjectBuilder {
    type_of(CommandKind::Go)
}

fn type_stop() -> ObjectBuilder {
    type_of(CommandKind::Stop)
}

fn type_deeper() -> ObjectBuilder {
    type_of(CommandKind::Deeper)
}

fn type_multipv() -> ObjectBuilder {
    type_of(CommandKind::MultiPv)
}

/// The new position stands on the board.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LiveReady)]
pub(crate) struct Ready {
    /// `ready`
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

/// What a board says: a line of an analysis, `ready`, or the problem with a message, each with the
/// `id` of the message that it answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only describes; each line is written by itself")]
pub(crate) enum LiveLine {
    Ready(Ready),
    Line(StreamLine),
}

fn type_ready() -> ObjectBuilder {
    string_enum("What it is.", ["ready"])
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
    fn a_bad_message_says_what_is_wrong_with_it() {
        for (text, expected) in [
            (r#"{"id": 1}"#, "type is missing"),
            (
                r#"{"type": "pondering", "fen": "startpos"}"#,
                "one of position, go, stop, deeper, multipv",
            ),
            (r#"{"type": "go", "fen": "startpos"}"#, "is not a known member"),
            (r#"{"type": "go", "session": "a"}"#, "a board is a session by itself"),
            (r#"{"type": "go", "infinite": true, "depth": 3}"#, "can't both be given"),
            (r#"{"type": "deeper"}"#, "depth is missing"),
            (r#"{"type": "multipv", "value": 0}"#, "value is 0"),
            (r#"{"type": "stop", "id": []}"#, "it must be a string or a number"),
            ("[]", "must be an object"),
        ] {
            let problem = kind_of(text).unwrap_err();
            assert!(problem.contains(expected), "{text}: {problem}");
        }
        let unknown = kind_of(r#"{"type": "pondering", "fen": "startpos"}"#).unwrap_err();
        assert!(!unknown.contains("known member"), "one fault, not two: {unknown}");
    }
}
