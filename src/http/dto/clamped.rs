//! What was asked beyond a cap.

use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::whole_ms;
use crate::engine::Limits;
use crate::http::Caps;

/// A number that was asked beyond a cap, and what it was lowered to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Clamped {
    /// The request's member.
    member: &'static str,
    /// What was asked; 2⁶⁴ − 1 for anything greater.
    asked: u64,
    /// What was given: the cap.
    given: u64,
}

impl Clamped {
    /// The number asked or, with a note, the cap.
    pub(crate) fn clamp<T>(
        member: &'static str,
        requested: u64,
        cap: T,
        clamped: &mut Vec<Clamped>,
    ) -> T
    where
        T: Copy + Into<u64> + TryFrom<u64>,
    {
        match T::try_from(requested) {
            Ok(number) if requested <= cap.into() => number,
            _ => {
                clamped.push(Clamped { member, asked: requested, given: cap.into() });
                cap
            }
        }
    }

    /// The depth, nodes and milliseconds asked of a search, each within its cap.
    pub(crate) fn clamp_limits(
        depth: Option<u64>,
        nodes: Option<u64>,
        movetime_ms: Option<u64>,
        caps: &Caps,
        clamped: &mut Vec<Clamped>,
    ) -> Limits {
        let depth = depth.map(|depth| Clamped::clamp("depth", depth, caps.depth, clamped));
        let nodes = nodes.map(|nodes| Clamped::clamp("nodes", nodes, caps.nodes, clamped));
        let movetime = movetime_ms
            .map(|ms| Clamped::clamp("movetime_ms", ms, whole_ms(caps.movetime), clamped));
        Limits { depth, nodes, movetime: movetime.map(Duration::from_millis), ..Limits::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_above_the_cap_are_clamped_and_recorded() {
        let mut clamped = Vec::new();
        assert_eq!(Clamped::clamp("depth", 60, 60_u8, &mut clamped), 60);
        assert!(clamped.is_empty());
        assert_eq!(Clamped::clamp("depth", 300, 60_u8, &mut clamped), 60);
        let [only] = clamped.as_slice() else { panic!("one note") };
        assert_eq!((only.member, only.asked, only.given), ("depth", 300, 60));
    }
}
