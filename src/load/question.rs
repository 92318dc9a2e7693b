//! What the server is asked.

use hyper::body::Bytes;
use serde::Serialize;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `POST /v1/legal-moves`
    LegalMoves,
    /// `POST /v1/best-move`
    BestMove,
    /// The same about positions that were searched before the measurement: the dictionary answers.
    Hit,
    /// `POST /v1/analysis`, line by line.
    Analysis,
}

/// How hard a position is to be searched. Without any limit the server decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Iterations, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Moves that the search makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u64>,
    /// Lines; of analyses alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipv: Option<u16>,
}

/// The depth to which the dictionary is filled unless something else is asked.
const HIT_DEPTH: u8 = 8;

/// Requests of one kind, each about a position of its own.
#[derive(Clone, Debug)]
pub(super) struct Questions {
    pub(super) kind: Kind,
    bodies: Vec<Bytes>,
}

#[derive(Serialize)]
struct Body<'a> {
    fen: &'a str,
    #[serde(flatten)]
    limits: Limits,
}

impl Kind {
    /// Where it is asked.
    pub(super) const fn route(self) -> &'static str {
        match self {
            Kind::LegalMoves => "/v1/legal-moves",
            Kind::BestMove | Kind::Hit => "/v1/best-move",
            Kind::Analysis => "/v1/analysis",
        }
    }

    /// In which form it is answered.
    pub(super) const fn accept(self) -> &'static str {
        match self {
            Kind::Analysis => "application/x-ndjson",
            _ => "application/json",
        }
    }

    /// The limits that this kind of request may have.
    fn admit(self, limits: Limits) -> Limits {
        match self {
            Kind::LegalMoves => Limits::default(),
            Kind::BestMove => Limits { multipv: None, ..limits },
            Kind::Hit if limits == Limits::default() => Limits { depth: Some(HIT_DEPTH), ..limits },
            Kind::Hit => Limits { multipv: None, ..limits },
            Kind::Analysis => limits,
        }
    }
}

impl Questions {
    /// One request about each position.
    pub(super) fn new(kind: Kind, limits: Limits, fens: &[String]) -> Questions {
        let limits = kind.admit(limits);
        // A struct of texts and numbers can always be written.
        let body =
            |fen: &String| serde_json::to_vec(&Body { fen, limits }).unwrap_or_default().into();
        Questions { kind, bodies: fens.iter().map(body).collect() }
    }

    /// The body of a request; when all positions were asked about, the first one comes again.
    pub(super) fn body(&self, number: usize) -> Bytes {
        self.bodies.get(number % self.bodies.len().max(1)).cloned().unwrap_or_default()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.bodies.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_limits_of_its_kind() {
        let limits = Limits { depth: Some(3), multipv: Some(2), ..Limits::default() };
        let fens = ["startpos".to_owned()];
        for (kind, limits, body) in [
            (Kind::LegalMoves, limits, r#"{"fen":"startpos"}"#),
            (Kind::BestMove, limits, r#"{"fen":"startpos","depth":3}"#),
            (Kind::Analysis, limits, r#"{"fen":"startpos","depth":3,"multipv":2}"#),
            (Kind::Hit, Limits::default(), r#"{"fen":"startpos","depth":8}"#),
        ] {
            let questions = Questions::new(kind, limits, &fens);
            assert_eq!(questions.body(0), body);
            assert_eq!(questions.body(7), body, "the positions come round again");
        }
    }
}
