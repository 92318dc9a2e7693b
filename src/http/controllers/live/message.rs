//! What a client says to its board.

use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::http::controllers::analysis::Manner;
use crate::http::dto::{Id, PositionRequest, names_of};
use crate::http::json::{FromMembers, FromTree, Members, Place, Tree, read_name};
use crate::http::problem::{InvalidMember, MemberFault};

/// A message, with the name that its answers bear.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) id: Id,
    pub(super) command: Command,
}

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// Put this position on the board.
    Position(PositionRequest),
    /// Analyse it.
    Go(Manner),
    /// Be content with what there is.
    Stop,
    /// Go on to this depth.
    Deeper(u64),
    /// Tell so many lines.
    MultiPv(u64),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Position,
    Go,
    Stop,
    Deeper,
    MultiPv,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Position, Kind::Go, Kind::Stop, Kind::Deeper, Kind::MultiPv];

    const fn name(self) -> &'static str {
        match self {
            Kind::Position => "position",
            Kind::Go => "go",
            Kind::Stop => "stop",
            Kind::Deeper => "deeper",
            Kind::MultiPv => "multipv",
        }
    }
}

impl<'a> FromTree<'a> for Kind {
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<Kind> {
        read_name(tree, place, faults, &Kind::ALL, |kind| kind.name())
    }
}

impl FromMembers for Message {
    fn read(members: &mut Members<'_>) -> Option<Message> {
        let id = members.optional("id").unwrap_or_default();
        let Some(kind) = members.required("type") else {
            // What else a message of no known kind may have, nobody knows.
            members.pass_over();
            return None;
        };
        let command = match kind {
            Kind::Position => Command::Position(PositionRequest::read(members)?),
            Kind::Go => {
                if members.has("session") {
                    members.fault(
                        MemberFault::UnknownMember,
                        "session",
                        "a board is a session by itself".to_owned(),
                    );
                }
                Command::Go(Manner::read(members)?)
            }
            Kind::Stop => Command::Stop,
            Kind::Deeper => Command::Deeper(members.required_number("depth", 1..=u64::MAX)?),
            Kind::MultiPv => Command::MultiPv(members.required_number("value", 1..=u64::MAX)?),
        };
        Some(Message { id, command })
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
    #[schema(required = false, schema_with = Id::schema)]
    id: Id,
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
    #[schema(required = false, schema_with = Id::schema)]
    id: Id,
    manner: Manner,
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
    #[schema(required = false, schema_with = Id::schema)]
    id: Id,
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
    #[schema(required = false, schema_with = Id::schema)]
    id: Id,
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
    #[schema(required = false, schema_with = Id::schema)]
    id: Id,
    /// How many of the best moves get a line.
    #[schema(minimum = 1)]
    value: u64,
}

fn type_of(kind: Kind) -> ObjectBuilder {
    names_of("What it is.", [kind.name()])
}

fn type_position() -> ObjectBuilder {
    type_of(Kind::Position)
}

fn type_go() -> ObjectBuilder {
    type_of(Kind::Go)
}

fn type_stop() -> ObjectBuilder {
    type_of(Kind::Stop)
}

fn type_deeper() -> ObjectBuilder {
    type_of(Kind::Deeper)
}

fn type_multipv() -> ObjectBuilder {
    type_of(Kind::MultiPv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::json;

    fn kind_of(text: &str) -> Result<&'static str, String> {
        match json::read::<Message>(text.as_bytes(), 10) {
            Ok(Message { command, .. }) => Ok(match command {
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
    fn messages_are_told_by_their_type() {
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
        for (text, fault) in [
            (r#"{"id": 1}"#, "type is missing"),
            (
                r#"{"type": "pondering", "fen": "startpos"}"#,
                "one of position, go, stop, deeper, multipv",
            ),
            (r#"{"type": "go", "fen": "startpos"}"#, "there is no member"),
            (r#"{"type": "go", "session": "a"}"#, "a board is a session by itself"),
            (r#"{"type": "go", "infinite": true, "depth": 3}"#, "can't both be given"),
            (r#"{"type": "deeper"}"#, "depth is missing"),
            (r#"{"type": "multipv", "value": 0}"#, "value is 0"),
            (r#"{"type": "stop", "id": []}"#, "id must be a string or a number"),
            ("[]", "must be an object"),
        ] {
            let problem = kind_of(text).unwrap_err();
            assert!(problem.contains(fault), "{text}: {problem}");
        }
        let unknown = kind_of(r#"{"type": "pondering", "fen": "startpos"}"#).unwrap_err();
        assert!(!unknown.contains("no member"), "one fault, not two: {unknown}");
    }
}
