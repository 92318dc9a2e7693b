//! Suggestions for unknown names in a request: a similar name, or the route that a member belongs
//! to.

/// A longer name is no misspelling of a member.
const MAX_NAME_LENGTH: usize = 32;

/// The least similarity of a misspelled name, from 0 to 1. Beginnings count more than ends, so that
/// a name without its unit is similar.
const MIN_SIMILARITY: f64 = 0.9;

/// A misspelled name may differ in one of so many characters. A shorter one must not differ.
const CHARACTERS_PER_ERROR: usize = 3;

/// The members of requests, by name, each with a route that takes it. The route is the one that a
/// client most likely means. A test compares this list with the contract.
pub(crate) const MEMBER_ROUTES: [(&str, &str); 25] = [
    ("bit_order", "/v1/position"),
    ("castling", "/v1/analysis"),
    ("depth", "/v1/best-move"),
    ("divide", "/v1/perft"),
    ("elo", "/v1/best-move"),
    ("fen", "/v1/best-move"),
    ("fresh", "/v1/best-move"),
    ("id", "/v1/batch"),
    ("infinite", "/v1/analysis"),
    ("mate", "/v1/best-move"),
    ("moves", "/v1/best-move"),
    ("movetime_ms", "/v1/best-move"),
    ("multiPv", "/api/cloud-eval"),
    ("multipv", "/v1/analysis"),
    ("nodes", "/v1/best-move"),
    ("packed", "/v1/best-move"),
    ("pgn", "/v1/games"),
    ("pov", "/v1/best-move"),
    ("pv_length", "/v1/analysis"),
    ("searchmoves", "/v1/analysis"),
    ("session", "/v1/best-move"),
    ("threads", "/v1/best-move"),
    ("undo", "/v1/play"),
    ("variant", "/api/cloud-eval"),
    ("views", "/v1/position"),
];

/// The route that takes a member.
pub(super) fn route_of_member(name: &str) -> Option<&'static str> {
    MEMBER_ROUTES.iter().find(|(member, _)| *member == name).map(|(_, route)| *route)
}

/// The most similar of these names, if the name may be a misspelling of it.
pub(super) fn similar_name<'n>(
    name: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    if name.len() > MAX_NAME_LENGTH {
        return None;
    }
    let name = name.to_lowercase();
    names
        .into_iter()
        .filter_map(|other| {
            let lower = other.to_lowercase();
            let similarity = strsim::jaro_winkler(&name, &lower);
            let max_errors = lower.len() / CHARACTERS_PER_ERROR;
            let is_similar =
                similarity >= MIN_SIMILARITY || strsim::osa_distance(&name, &lower) <= max_errors;
            is_similar.then_some((similarity, other))
        })
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

/// The end of an error message that suggests the most similar of these names; empty without one.
pub(super) fn suggestion<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    similar_name(name, names).map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] =
        ["depth", "fen", "mate", "moves", "movetime_ms", "multipv", "pgn", "threads"];

    #[test]
    fn a_misspelled_name_is_recognised() {
        for (name, expected) in [
            ("deth", "depth"),
            ("Depth", "depth"),
            ("movetime", "movetime_ms"),
            ("move_time_ms", "movetime_ms"),
            ("moveTimeMs", "movetime_ms"),
            ("move", "moves"),
            ("multi_pv", "multipv"),
            ("multiPV", "multipv"),
            ("png", "pgn"),
            ("thread", "threads"),
            ("FEN", "fen"),
        ] {
            assert_eq!(similar_name(name, NAMES), Some(expected), "{name}");
        }
    }

    #[test]
    fn a_different_name_is_not_taken_for_a_misspelling() {
        assert_eq!(similar_name("h8", ["a1", "a8"]), None);
        for name in
            ["", "position", "x", "level", "callback", "depth_of_the_whole_search_tree_in_plies"]
        {
            assert_eq!(similar_name(name, NAMES), None, "{name}");
        }
    }
}
