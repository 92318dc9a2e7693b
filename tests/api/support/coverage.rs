//! Coverage of the documented responses.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use libtest_mimic::Trial;

use super::contract::{Operation, operations};

static SEEN_RESPONSES: Mutex<BTreeSet<(String, u16)>> = Mutex::new(BTreeSet::new());

/// Statuses that every route returns in the same way: authentication, rate limit, internal error.
const ROUTE_INDEPENDENT_STATUSES: [u16; 3] = [401, 429, 500];

/// Records a response.
pub(crate) fn record_response(method: &str, path: &str, status: u16) {
    let operation = operations()
        .into_iter()
        .find(|operation| operation.method == method && matches_pattern(path, &operation.path));
    let name = match operation {
        _ if ROUTE_INDEPENDENT_STATUSES.contains(&status) => String::new(),
        Some(operation) => operation_name(&operation),
        None => return,
    };
    SEEN_RESPONSES.lock().unwrap_or_else(PoisonError::into_inner).insert((name, status));
}

fn operation_name(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

/// Whether a path matches a pattern: `/problems/invalid_fen` matches `/problems/{code}`.
fn matches_pattern(path: &str, pattern: &str) -> bool {
    let (path, pattern): (Vec<_>, Vec<_>) =
        (path.split('/').collect(), pattern.split('/').collect());
    path.len() == pattern.len()
        && path.iter().zip(&pattern).all(|(part, name)| name.starts_with('{') || part == name)
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("every_documented_response_was_received", || {
        let seen = SEEN_RESPONSES.lock().unwrap_or_else(PoisonError::into_inner);
        let documented = operations().into_iter().flat_map(|operation| {
            let statuses = operation.statuses();
            statuses.into_iter().map(move |status| match status {
                _ if ROUTE_INDEPENDENT_STATUSES.contains(&status) => (String::new(), status),
                _ => (operation_name(&operation), status),
            })
        });
        let missing: BTreeSet<_> = documented.filter(|response| !seen.contains(response)).collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(format!("documented, but received by no test: {missing:#?}").into())
        }
    })]
}
