//! What the server is asked.

use bytes::Bytes;
use serde::Serialize;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
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
pub struct RequestLimits {
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
pub(crate) struct RequestSet {
    pub(crate) kind: RequestKind,
    bodies: Vec<Bytes>,
}

#[derive(Serialize)]
struct RequestBody<'a> {
    fen: &'a str,
    #[serde(flatten)]
    limits: RequestLimits,
}

impl RequestKind {
    /// Where it is asked.
    pub(crate) const fn route(self) -> &'static str {
        match self {
            RequestKind::LegalMoves => "/v1/legal-moves",
            RequestKind::BestMove | RequestKind::Hit => "/v1/best-move",
            RequestKind::Analysis => "/v1/analysis",
        }
    }

    /// In which form it is answered.
    pub(crate) const fn accept(self) -> &'static str {
        match self {
            RequestKind::Analysis => "application/x-ndjson",
            _ => "application/json",
        }
    }

    /// The limits that this kind of request may have.
    fn restrict_limits(self, limits: RequestLimits) -> RequestLimits {
        match self {
            RequestKind::LegalMoves => RequestLimits::default(),
            RequestKind::BestMove => RequestLimits { multipv: None, ..limits },
            RequestKind::Hit if limits == RequestLimits::default() => {
                RequestLimits { depth: Some(HIT_DEPTH), ..limits }
            }
            RequestKind::Hit => RequestLimits { multipv: None, ..limits },
            RequestKind::Analysis => limits,
        }
    }
}

impl RequestSet {
    /// One request about each position.
    pub(crate) fn new(kind: RequestKind, limits: RequestLimits, fens: &[String]) -> RequestSet {
        let limits = kind.restrict_limits(limits);
        // A struct of texts and numbers can always be written.
        let body = |fen: &String| {
            serde_json::to_vec(&RequestBody { fen, limits }).unwrap_or_default().into()
        };
        RequestSet { kind, bodies: fens.iter().map(body).collect() }
    }

    /// The body of a request; when all positions were asked about, the first one comes again.
    pub(crate) fn body(&self, index: usize) -> Bytes {
        self.bodies.get(index % self.bodies.len().max(1)).cloned().unwrap_or_default()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.bodies.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_limits_of_its_kind() {
        let limits = RequestLimits { depth: Some(3), multipv: Some(2), ..RequestLimits::default() };
        let fens = ["startpos".to_owned()];
        for (kind, limits, body) in [
            (RequestKind::LegalMoves, limits, r#"{"fen":"startpos"}"#),
            (RequestKind::BestMove, limits, r#"{"fen":"startpos","depth":3}"#),
            (RequestKind::Analysis, limits, r#"{"fen":"startpos","depth":3,"multipv":2}"#),
            (RequestKind::Hit, RequestLimits::default(), r#"{"fen":"startpos","depth":8}"#),
        ] {
            let requests = RequestSet::new(kind, limits, &fens);
            assert_eq!(requests.body(0), body);
            assert_eq!(requests.body(7), body, "the positions come round again");
        }
    }
}
