//! The scaling of a cluster: the same load test on one node, on two, and so on.

use std::fmt;

use serde::Serialize;

use crate::error::LoadError;
use crate::latency::LatencySummary;
use crate::load_test::{LoadModel, LoadTest};
use crate::report::LoadReport;

/// The reports of load tests on 1, 2, … nodes.
#[derive(Clone, Debug, Serialize)]
pub struct ScalingReport {
    /// The row at index `n - 1` is that of `n` nodes.
    rows: Vec<ScalingRow>,
}

/// A load test on some nodes.
#[derive(Clone, Debug, Serialize)]
struct ScalingRow {
    nodes: usize,
    answered_per_second: f64,
    /// Answers per second, as a part of `nodes` times those of the first row.
    efficiency: f64,
    unanswered: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_ms: Option<LatencySummary>,
}

impl LoadTest {
    /// Runs the load test on the first node, on the first two, and so on. Each node adds the same
    /// load. Each row has a part of the positions of its own, so that no node knows the answers.
    ///
    /// # Errors
    ///
    /// As [`LoadTest::run`], and if there are fewer positions than nodes.
    pub async fn run_scaling(self) -> Result<ScalingReport, LoadError> {
        let count = self.target.urls().len();
        let part = self.positions.len() / count;
        if part == 0 {
            return Err(LoadError::NoPositions("not one position for each row".to_owned()));
        }
        let mut rows: Vec<ScalingRow> = Vec::with_capacity(count);
        for (nodes, positions) in (1..=count).zip(self.positions.chunks(part)) {
            let report = self.on_first(nodes, positions).run().await?;
            rows.push(ScalingRow::new(nodes, &report, rows.first()));
        }
        Ok(ScalingReport { rows })
    }

    /// The load test on the first nodes, with so many times the load of one.
    fn on_first(&self, nodes: usize, positions: &[String]) -> LoadTest {
        let model = match self.model {
            LoadModel::Closed { connections } => {
                LoadModel::Closed { connections: connections * nodes }
            }
            LoadModel::Open { rate, in_flight } => {
                LoadModel::Open { rate: rate * nodes as f64, in_flight: in_flight * nodes }
            }
        };
        let target = self.target.first_nodes(nodes);
        LoadTest { target, model, positions: positions.to_vec(), ..self.clone() }
    }
}

impl ScalingRow {
    fn new(nodes: usize, report: &LoadReport, first: Option<&ScalingRow>) -> ScalingRow {
        let answered_per_second = report.answered_per_second();
        let of_one = first.map_or(answered_per_second, |first| first.answered_per_second);
        ScalingRow {
            nodes,
            answered_per_second,
            efficiency: answered_per_second / (nodes as f64 * of_one).max(f64::MIN_POSITIVE),
            unanswered: report.unanswered(),
            answer_ms: report.answer_ms(),
        }
    }
}

impl ScalingReport {
    /// `true` when some row has no answer.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().any(|row| row.answer_ms.is_none())
    }
}

impl fmt::Display for ScalingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>5}{:>12}{:>13}{:>10}{:>10}{:>13}",
            "nodes", "answers/s", "efficiency", "p50 ms", "p99 ms", "unanswered"
        )?;
        for row in &self.rows {
            let ScalingRow { nodes, answered_per_second, efficiency, unanswered, answer_ms } = row;
            let (p50, p99) = answer_ms.map_or((0.0, 0.0), |times| (times.p50, times.p99));
            write!(
                f,
                "\n{nodes:>5}{answered_per_second:>12.1}{efficiency:>13.3}{p50:>10.1}{p99:>10.1}\
                 {unanswered:>13}"
            )?;
        }
        Ok(())
    }
}
