//! The findings of review jobs, and the record of a client that has seen them.

use std::collections::{BTreeMap, HashMap};

use redis::AsyncTypedCommands;
use serde_json::Value;

use crate::redis_server::RedisServer;

/// The findings that clients were shown, by the path of their job.
#[derive(Debug, Default)]
pub(crate) struct ShownFindings(HashMap<String, Findings>);

/// Findings by the number of their game and their half-move.
type Findings = BTreeMap<(usize, u64), Value>;

/// The findings of a job.
fn findings_of(job: &Value) -> Findings {
    let games = job["games"].as_array().unwrap().iter().enumerate();
    let findings = games.flat_map(|(number, game)| {
        let moves = game["moves"].as_array().unwrap().iter();
        moves.map(move |finding| ((number, finding["ply"].as_u64().unwrap()), finding.clone()))
    });
    findings.collect()
}

impl ShownFindings {
    /// Notes the findings that a job shows now.
    ///
    /// # Panics
    /// Panics if a finding that was shown before has changed or is missing.
    pub(crate) fn note(&mut self, path: &str, job: &Value) {
        let now = findings_of(job);
        let shown = self.0.entry(path.to_owned()).or_default();
        for (place, finding) in &*shown {
            assert_eq!(now.get(place), Some(finding), "a finding of {path} was shown: {place:?}");
        }
        *shown = now;
    }

    /// The number of findings that a job has shown.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.0.get(path).map_or(0, Findings::len)
    }
}

/// Checks that a job has one finding for each half-move of its games, which have so many each.
pub(crate) fn assert_complete(job: &Value, games: usize, plies: u64) {
    let moves = |game: &Value| {
        let moves = game["moves"].as_array().unwrap().iter();
        moves.map(|finding| finding["ply"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let found: Vec<_> = job["games"].as_array().unwrap().iter().map(moves).collect();
    assert_eq!(found, vec![(1..=plies).collect::<Vec<_>>(); games], "one for each half-move");
}

/// How many evaluations of a job the server has stored. A game has one more than half-moves.
pub(crate) async fn stored_evaluations(jobs: &RedisServer, path: &str) -> usize {
    let key = path.replace("/v1/games/", "k1:{j}:find:");
    jobs.connect().await.llen(key).await.unwrap()
}
