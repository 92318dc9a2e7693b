//! Suggestions for unknown names in a request: a similar name, the member that another word means,
//! the route that a member belongs to, the allowed members, or a similar path.

/// A longer name is no misspelling of a member, and a longer path none of a route. So the work for
/// a suggestion is bounded.
const MAX_NAME_LENGTH: usize = 32;

/// The least similarity of a misspelled name, from 0 to 1. Beginnings count more than ends, so that
/// a name without its unit is similar.
const MIN_SIMILARITY: f64 = 0.9;

/// A misspelled name may differ in one of so many characters. A shorter one must not differ.
const CHARACTERS_PER_ERROR: usize = 3;

/// The members of requests, by name, each with a route that takes it. The route is the one that a
/// client most likely means. A test compares this list with the contract.
pub(crate) const MEMBER_ROUTES: [(&str, &str); 41] = [
    ("after", "/v1/judgement"),
    ("arrows", "/board.svg"),
    ("before", "/v1/judgement"),
    ("best", "/v1/judgement"),
    ("bit_order", "/v1/position"),
    ("castling", "/v1/analysis"),
    ("check", "/board.svg"),
    ("colors", "/board.svg"),
    ("coordinates", "/board.svg"),
    ("depth", "/v1/best-move"),
    ("divide", "/v1/perft"),
    ("dtc", "/standard"),
    ("elo", "/v1/best-move"),
    ("fen", "/v1/best-move"),
    ("fresh", "/v1/best-move"),
    ("id", "/v1/batch"),
    ("infinite", "/v1/analysis"),
    ("input", "/v1"),
    ("lastMove", "/board.svg"),
    ("mate", "/v1/best-move"),
    ("maxThinkingTime", "/v1"),
    ("moves", "/v1/best-move"),
    ("movetime_ms", "/v1/best-move"),
    ("multiPv", "/api/cloud-eval"),
    ("multipv", "/v1/analysis"),
    ("nodes", "/v1/best-move"),
    ("orientation", "/board.svg"),
    ("packed", "/v1/best-move"),
    ("pgn", "/v1/games"),
    ("pov", "/v1/best-move"),
    ("pv_length", "/v1/analysis"),
    ("searchmoves", "/v1/analysis"),
    ("session", "/v1/best-move"),
    ("size", "/board.svg"),
    ("squares", "/board.svg"),
    ("taskId", "/v1"),
    ("threads", "/v1/best-move"),
    ("undo", "/v1/play"),
    ("variant", "/api/cloud-eval"),
    ("variants", "/v1"),
    ("views", "/v1/position"),
];

/// Other words for members, with the member that they mean. Clients know them from UCI and from
/// other chess services.
const MEMBER_SYNONYMS: [(&str, &str); 13] = [
    ("binc", "movetime_ms"),
    ("btime", "movetime_ms"),
    ("clock", "movetime_ms"),
    ("level", "elo"),
    ("lines", "multipv"),
    ("movetime", "movetime_ms"),
    ("position", "fen"),
    ("pv", "multipv"),
    ("rating", "elo"),
    ("skill", "elo"),
    ("time", "movetime_ms"),
    ("winc", "movetime_ms"),
    ("wtime", "movetime_ms"),
];

/// The maximum number of allowed members that an error names.
const MAX_ALLOWED_NAMES: usize = 20;

/// Last segments of paths that clients know from other services, with the route that they mean.
const PATH_SYNONYMS: [(&str, &str); 5] = [
    ("health", "/livez"),
    ("healthz", "/livez"),
    ("review", "/v1/games"),
    ("reviews", "/v1/games"),
    ("status", "/livez"),
];

/// The least similarity of a misspelled path. All paths have beginnings in common.
const MIN_PATH_SIMILARITY: f64 = 0.91;

/// The end of an error message about an unknown member of a request with the members `known`: the
/// member that was meant, with its route if that is another one. Without `suggests_routes` no route
/// is named. Empty if no member is similar.
pub(super) fn member_suggestion(name: &str, known: &[&str], suggests_routes: bool) -> String {
    let synonym = MEMBER_SYNONYMS.into_iter().find(|(word, _)| is_same_name(name, word));
    let meant = synonym.map_or(name, |(_, member)| member);
    if let Some(own) = known.iter().find(|own| is_same_name(meant, own)) {
        return did_you_mean(own);
    }
    match route_of_member(meant).filter(|_| suggests_routes) {
        Some((member, route)) if member == name => format!("; it belongs to {route}"),
        Some((member, route)) => format!("; did you mean {member:?}? It belongs to {route}"),
        None => suggestion(name, known.iter().copied()),
    }
}

/// The end of an error message about an unknown member that has no suggestion: the members of the
/// request, [`MAX_ALLOWED_NAMES`] at most.
pub(super) fn allowed_members(known: &[&str]) -> String {
    if known.is_empty() {
        return "; none is allowed".to_owned();
    }
    let named = known.len().min(MAX_ALLOWED_NAMES);
    let more = if known.len() > named { ", …" } else { "" };
    format!("; allowed are {}{more}", known[..named].join(", "))
}

/// The member with this name, and a route that takes it: one of the server's own routes, if there
/// is one, rather than one in the form of another service.
fn route_of_member(name: &str) -> Option<(&'static str, &'static str)> {
    let same = || MEMBER_ROUTES.into_iter().filter(|(member, _)| is_same_name(name, member));
    same().find(|(_, route)| route.starts_with("/v1/")).or_else(|| same().next())
}

/// Whether two names differ only in upper case, `_` and `-`.
fn is_same_name(one: &str, other: &str) -> bool {
    let letters = |name: &'_ str| {
        let bytes = name.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
        bytes.map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>()
    };
    one.len() <= MAX_NAME_LENGTH && letters(one) == letters(other)
}

/// The path among these that the client may have meant: the path that another word stands for, else
/// the one that shares most words, else the most similar one.
pub(crate) fn similar_path<'n>(
    path: &str,
    paths: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    if path.len() > MAX_NAME_LENGTH {
        return None;
    }
    let path = path.trim_end_matches('/').to_lowercase();
    let synonym = PATH_SYNONYMS.into_iter().find(|(word, _)| *word == last_segment(&path));
    let rank = |other: &str| {
        let is_meant = synonym.is_some_and(|(_, meant)| meant == other);
        let words = if is_meant { usize::MAX } else { shared_words(&path, other) };
        (words, strsim::jaro_winkler(&path, other))
    };
    paths
        .into_iter()
        .map(|other| (rank(other), other))
        .filter(|((words, similarity), _)| *words > 0 || *similarity >= MIN_PATH_SIMILARITY)
        .max_by(|((words, similarity), _), ((more_words, other_similarity), _)| {
            words.cmp(more_words).then(similarity.total_cmp(other_similarity))
        })
        .map(|(_, path)| path)
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The number of words that the last segments of a path and of a route have in common. An equal
/// segment counts more than any words. Single words suggest only the server's own routes.
fn shared_words(path: &str, route: &str) -> usize {
    const SEPARATORS: [char; 2] = ['-', '_'];
    let (segment, other) = (last_segment(path), last_segment(route));
    if segment.is_empty() || other.is_empty() {
        0
    } else if is_same_name(segment, other) {
        usize::MAX
    } else if route.starts_with("/v1/") {
        let words = segment.split(SEPARATORS).filter(|word| !word.is_empty());
        words.filter(|word| other.split(SEPARATORS).any(|other| other == *word)).count()
    } else {
        0
    }
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
    similar_name(name, names).map_or_else(String::new, did_you_mean)
}

fn did_you_mean(name: &str) -> String {
    format!("; did you mean {name:?}?")
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
    fn a_name_in_another_case_is_the_same_name() {
        let known = ["depth", "movetime_ms"];
        for (name, expected) in [
            ("moveTimeMs", "; did you mean \"movetime_ms\"?"),
            ("MOVETIME-MS", "; did you mean \"movetime_ms\"?"),
            ("multiPv", "; did you mean \"multipv\"? It belongs to /v1/analysis"),
            ("multi_pv", "; did you mean \"multipv\"? It belongs to /v1/analysis"),
            ("search-moves", "; did you mean \"searchmoves\"? It belongs to /v1/analysis"),
            ("multipv", "; it belongs to /v1/analysis"),
            ("variant", "; it belongs to /api/cloud-eval"),
            ("callback", ""),
        ] {
            assert_eq!(member_suggestion(name, &known, true), expected, "{name}");
        }
        assert_eq!(member_suggestion("multiPv", &known, false), "");
        assert_eq!(
            member_suggestion("multipv", &["multiPv"], true),
            "; did you mean \"multiPv\"?",
            "the route's own members come first"
        );
    }

    #[test]
    fn another_word_for_a_member_suggests_the_member() {
        let known = ["fen", "elo", "pov", "movetime_ms"];
        for (name, expected) in [
            ("position", "; did you mean \"fen\"?"),
            ("Skill", "; did you mean \"elo\"?"),
            ("level", "; did you mean \"elo\"?"),
            ("rating", "; did you mean \"elo\"?"),
            ("time", "; did you mean \"movetime_ms\"?"),
            ("movetime", "; did you mean \"movetime_ms\"?"),
            ("wtime", "; did you mean \"movetime_ms\"?"),
            ("btime", "; did you mean \"movetime_ms\"?"),
            ("winc", "; did you mean \"movetime_ms\"?"),
            ("binc", "; did you mean \"movetime_ms\"?"),
            ("clock", "; did you mean \"movetime_ms\"?"),
            ("lines", "; did you mean \"multipv\"? It belongs to /v1/analysis"),
            ("pv", "; did you mean \"multipv\"? It belongs to /v1/analysis"),
        ] {
            assert_eq!(member_suggestion(name, &known, true), expected, "{name}");
        }
        assert_eq!(member_suggestion("lines", &["multiPv"], true), "; did you mean \"multiPv\"?");
        assert_eq!(member_suggestion("lines", &known, false), "", "a message has no route");
        for (word, member) in MEMBER_SYNONYMS {
            assert!(MEMBER_ROUTES.iter().any(|(name, _)| *name == member), "{member}");
            assert!(!MEMBER_ROUTES.iter().any(|(name, _)| is_same_name(name, word)), "{word}");
        }
    }

    #[test]
    fn a_bounded_number_of_allowed_members_is_named() {
        assert_eq!(allowed_members(&[]), "; none is allowed");
        assert_eq!(allowed_members(&["fen"]), "; allowed are fen");
        let most = allowed_members(&["fen"; MAX_ALLOWED_NAMES]);
        assert_eq!(most.matches("fen").count(), MAX_ALLOWED_NAMES);
        assert_eq!(allowed_members(&["fen"; 1_000]), most + ", …");
    }

    #[test]
    fn a_misspelled_path_is_recognised() {
        let paths = [
            "/",
            "/api/cloud-eval",
            "/docs",
            "/livez",
            "/v1/analysis",
            "/v1/best-move",
            "/v1/evaluate",
            "/v1/games",
            "/v1/legal-moves",
            "/v1/live",
            "/v1/perft",
            "/v1/play",
        ];
        for (path, expected) in [
            ("/v1/bestmove", "/v1/best-move"),
            ("/v1/best_move", "/v1/best-move"),
            ("/v1/bestMove", "/v1/best-move"),
            ("/v1/best-move/", "/v1/best-move"),
            ("/best-move", "/v1/best-move"),
            ("/v1/analyze", "/v1/analysis"),
            ("/v1/eval", "/v1/evaluate"),
            ("/v1/legal_moves", "/v1/legal-moves"),
            ("/api/cloud_eval", "/api/cloud-eval"),
            ("/doc", "/docs"),
            ("/api/v1/best-move", "/v1/best-move"),
            ("/API/v1/bestMove/", "/v1/best-move"),
            ("/v1/moves", "/v1/legal-moves"),
            ("/moves", "/v1/legal-moves"),
            ("/v1/move", "/v1/best-move"),
            ("/v1/all-legal-moves", "/v1/legal-moves"),
            ("/v1/cloud-eval", "/api/cloud-eval"),
            ("/health", "/livez"),
            ("/healthz", "/livez"),
            ("/status", "/livez"),
            ("/v1/review", "/v1/games"),
        ] {
            assert_eq!(similar_path(path, paths), Some(expected), "{path}");
        }
        for path in ["/v1", "/v1/", "/v1/nowhere", "/favicon.ico", "/-", "//", "*", ""] {
            assert_eq!(similar_path(path, paths), None, "{path}");
        }
        assert_eq!(similar_path(&"/v1/best-move".repeat(1_000), paths), None);
        for (_, meant) in PATH_SYNONYMS {
            assert!(paths.contains(&meant), "{meant}");
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
