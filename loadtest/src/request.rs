//! The requests: kinds, limits and bodies.

use bytes::Bytes;
use serde::Serialize;

/// The kind of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// `POST /v1/legal-moves`
    LegalMoves,
    /// `POST /v1/best-move`
    BestMove,
    /// `POST /v1/best-move` for positions that are in the evaluation cache, because each was
    /// searched before the measurement.
    Hit,
    /// `POST /v1/analysis` as a stream of lines.
    Analysis,
}

/// The limits of a search. Without one the server decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequestLimits {
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u64>,
    /// Number of lines, for analyses only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipv: Option<u16>,
}

/// Default depth for filling the evaluation cache.
const HIT_DEPTH: u8 = 8;

/// Requests of one kind, one per position.
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
    /// The path.
    pub(crate) const fn route(self) -> &'static str {
        match self {
            RequestKind::LegalMoves => "/v1/legal-moves",
            RequestKind::BestMove | RequestKind::Hit => "/v1/best-move",
            RequestKind::Analysis => "/v1/analysis",
        }
    }

    /// The media type of the response.
    pub(crate) const fn accept(self) -> &'static str {
        match self {
            RequestKind::Analysis => "application/x-ndjson",
            _ => "application/json",
        }
    }

    /// Removes limits that this kind does not have.
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
    /// One request per position.
    pub(crate) fn new(kind: RequestKind, limits: RequestLimits, fens: &[String]) -> RequestSet {
        let limits = kind.restrict_limits(limits);
        // Serializing a struct of strings and numbers cannot fail.
        let body = |fen: &String| {
            serde_json::to_vec(&RequestBody { fen, limits }).unwrap_or_default().into()
        };
        RequestSet { kind, bodies: fens.iter().map(body).collect() }
    }

    /// The body of a request. After the last position the first one follows.
    pub(crate) fn body(&self, index: usize) -> Bytes {
        self.bodies.get(index % self.bodies.len().max(1)).cloned().unwrap_or_default()
    }

    /// Number of requests.
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
            assert_eq!(requests.body(7), body, "the positions repeat");
        }
    }
}
