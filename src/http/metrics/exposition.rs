//! The metrics page in OpenMetrics and in the Prometheus text format, written by the encoder of the
//! Prometheus project.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::registry::Registry;

use super::cluster;
use super::family_writer::FamilyWriter;
use super::process::ProcessStats;
use super::requests::{RequestMetrics, RouteMetrics};
use crate::analysis::jobs::JobsStatus;
use crate::analysis::{ClassCounts, ServiceStatus, StoreStatus};
use crate::tablebase::ProbeStatistics;

/// The values of all metrics at one moment.
#[derive(Debug)]
pub(crate) struct MetricsSnapshot {
    /// The request counters.
    pub(crate) requests: Arc<RequestMetrics>,
    /// Open connections.
    pub(crate) connections: usize,
    /// The maximum number of open connections.
    pub(crate) max_connections: usize,
    /// Open streams and live boards.
    pub(crate) streams: usize,
    /// The maximum number of open streams and live boards.
    pub(crate) max_streams: usize,
    /// Running batches.
    pub(crate) batches: usize,
    /// The maximum number of running batches.
    pub(crate) max_batches: usize,
    /// Memory of the requests that are read or answered.
    pub(crate) requests_bytes: usize,
    /// The maximum of that memory.
    pub(crate) max_requests_bytes: usize,
    /// Upper bound of the memory that follows from the settings, in bytes.
    pub(crate) memory_bound_bytes: u64,
    /// Whether the server takes traffic.
    pub(crate) is_ready: bool,
    /// The values of the engine and its services, once they exist.
    pub(crate) core: Option<CoreSnapshot>,
}

/// The values of the engine and its services at one moment.
#[derive(Debug)]
pub(crate) struct CoreSnapshot {
    /// The analysis service.
    pub(crate) status: ServiceStatus,
    /// The name of the evaluation.
    pub(crate) evaluation: String,
    /// Occupancy of the transposition table, per mille.
    pub(crate) hashfull_permille: u32,
    /// The review jobs.
    pub(crate) jobs: JobsStatus,
    /// The probes of the tablebases; `None` without tables.
    pub(crate) tablebase: Option<ProbeStatistics>,
}

/// Renders the metrics in this format. Blocks, because it reads process statistics from files.
///
/// # Errors
/// Fails if a value cannot be written.
pub(crate) fn render(snapshot: MetricsSnapshot, format: TextFormat) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(snapshot));
    let mut text = String::with_capacity(32 << 10);
    prometheus_client::encoding::text::encode(&mut text, &registry)?;
    Ok(format.convert(text))
}

impl Collector for MetricsSnapshot {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut writer = FamilyWriter::new(encoder);
        let evaluation = self.core.as_ref().map_or("", |core| core.evaluation.as_str());
        let build = [("version", env!("CARGO_PKG_VERSION")), ("evaluation", evaluation)];
        writer.gauges(
            "kibitzer_build_info",
            "Version and evaluation of the program; always 1.",
            [(build, 1_u64)],
        )?;
        writer.gauge(
            "kibitzer_ready",
            "1 if the server takes traffic, as /readyz reports.",
            u64::from(self.is_ready),
        )?;
        let bound = self.memory_bound_bytes;
        writer.gauge(
            "kibitzer_memory_bound_bytes",
            "Upper bound of the memory that follows from the settings.",
            bound,
        )?;
        self.http(&mut writer)?;
        if let Some(core) = &self.core {
            core.queue(&mut writer)?;
            core.searches(&mut writer)?;
            core.evaluation_cache(&mut writer)?;
            if let Some(status) = &core.status.cluster {
                cluster::write(status, &mut writer)?;
            }
            core.jobs(&mut writer)?;
            core.tablebase(&mut writer)?;
        }
        ProcessStats::sample().map_or(Ok(()), |process| process.encode(&mut writer))
    }
}

impl MetricsSnapshot {
    fn http(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let routes = self.requests.routes();
        let answered = |route: &RouteMetrics| {
            route.by_status().map(|(status, count)| (status.to_string(), count)).collect()
        };
        let answered: Vec<(&str, Vec<(String, u64)>)> =
            routes.iter().map(|route| (route.pattern(), answered(route))).collect();
        writer.counters(
            "kibitzer_http_requests_total",
            "Requests by route pattern and response status; 499: the client left before the \
                response.",
            answered.iter().flat_map(|(route, by_status)| {
                by_status.iter().map(move |(status, count)| {
                    ([("route", *route), ("status", status.as_str())], *count)
                })
            }),
        )?;
        writer.histograms(
            "kibitzer_http_request_duration_seconds",
            "Time from the request head to the response head, streams included.",
            routes.iter().map(|route| ([("route", route.pattern())], route.durations())),
        )?;
        writer.gauge(
            "kibitzer_http_connections",
            "Open connections of the main address.",
            self.connections,
        )?;
        writer.gauge(
            "kibitzer_http_max_connections",
            "Maximum number of open connections of the main address.",
            self.max_connections,
        )?;
        writer.gauge("kibitzer_streams", "Open streams and live boards.", self.streams)?;
        writer.gauge(
            "kibitzer_max_streams",
            "Maximum number of open streams and live boards.",
            self.max_streams,
        )?;
        writer.gauge(
            "kibitzer_batches",
            "Batches whose response is not read to the end.",
            self.batches,
        )?;
        writer.gauge(
            "kibitzer_max_batches",
            "Maximum number of running batches.",
            self.max_batches,
        )?;
        writer.gauge(
            "kibitzer_requests_memory_bytes",
            "Memory of the requests that are read or answered.",
            self.requests_bytes,
        )?;
        writer.gauge(
            "kibitzer_max_requests_memory_bytes",
            "Maximum memory of the requests that are read or answered.",
            self.max_requests_bytes,
        )
    }
}

impl CoreSnapshot {
    fn queue(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let ServiceStatus { queue_length, batch_length, speculative_length, queue_counts, .. } =
            &self.status;
        let lengths =
            [("interactive", queue_length), ("batch", batch_length), ("idle", speculative_length)];
        let lengths = lengths.map(|(class, length)| ([("class", class)], *length));
        writer.gauges("kibitzer_queue_length", "Requests waiting for a worker.", lengths)?;
        writer.gauge(
            "kibitzer_queue_capacity",
            "Maximum number of waiting requests of each class.",
            self.status.queue_capacity,
        )?;
        writer.histograms(
            "kibitzer_queue_wait_seconds",
            "Wait for a worker, of requests that got one.",
            [
                ("interactive", queue_counts.interactive.waits),
                ("batch", queue_counts.batch.waits),
                ("idle", queue_counts.speculative_waits),
            ]
            .map(|(class, waits)| ([("class", class)], waits)),
        )?;
        let refused = |(class, counts): (&'static str, ClassCounts)| {
            [("full", counts.rejected), ("late", counts.timed_out)]
                .map(|(reason, count)| ([("class", class), ("reason", reason)], count))
        };
        writer.counters(
            "kibitzer_queue_refused_total",
            "Requests that got no worker: the queue was full, or they waited for \
                queue.max_wait_ms.",
            [("interactive", queue_counts.interactive), ("batch", queue_counts.batch)]
                .into_iter()
                .flat_map(refused),
        )
    }

    fn searches(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let ServiceStatus { workers, busy_workers, searches, .. } = &self.status;
        writer.gauge("kibitzer_workers", "Worker threads.", *workers)?;
        writer.gauge(
            "kibitzer_workers_busy",
            "Workers that run a search or a perft.",
            *busy_workers,
        )?;
        writer.gauge(
            "kibitzer_demand_workers",
            "Workers that running and waiting searches of clients need.",
            self.status.demand,
        )?;
        writer.gauge("kibitzer_searches_running", "Running searches.", searches.running)?;
        writer.counter(
            "kibitzer_searches_total",
            "Searches that workers started.",
            searches.started,
        )?;
        writer.counter(
            "kibitzer_searches_cancelled_total",
            "Searches stopped because no client waited any more: clients left, sent a newer \
                request or reached their maximum wait.",
            searches.cancelled,
        )?;
        writer.counter(
            "kibitzer_searches_shared_total",
            "Requests that joined the search of another request.",
            searches.shared,
        )?;
        writer.counter(
            "kibitzer_search_nodes_total",
            "Nodes of requested searches, running searches included.",
            searches.nodes,
        )?;
        writer.counter(
            "kibitzer_idle_searches_total",
            "Speculative searches.",
            searches.speculative,
        )?;
        writer.counter(
            "kibitzer_idle_nodes_total",
            "Nodes of speculative searches.",
            searches.speculative_nodes,
        )?;
        let occupancy = f64::from(self.hashfull_permille) / 1_000.0;
        writer.gauge(
            "kibitzer_table_occupancy_ratio",
            "Occupancy of the transposition table, 0 to 1.",
            occupancy,
        )
    }

    fn evaluation_cache(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let ServiceStatus { cache_lookups: hits, cache_entries, cache_max_entries, store, .. } =
            &self.status;
        writer.counters(
            "kibitzer_dictionary_hits_total",
            "Requests answered by the evaluation cache, by tier.",
            [
                ([("tier", "memory")], hits.memory),
                ([("tier", "disk")], hits.disk),
                ([("tier", "cluster")], hits.cluster),
            ],
        )?;
        writer.counter(
            "kibitzer_dictionary_misses_total",
            "Requests that the evaluation cache could not answer.",
            hits.misses,
        )?;
        writer.gauge(
            "kibitzer_dictionary_entries",
            "Analyses in the evaluation cache, in memory or on disk.",
            *cache_entries,
        )?;
        writer.gauge(
            "kibitzer_dictionary_max_entries",
            "Maximum number of analyses in the evaluation cache.",
            *cache_max_entries,
        )?;
        writer.counter(
            "kibitzer_idle_hits_total",
            "Requests answered by the result of a speculative search.",
            hits.speculative,
        )?;
        let StoreStatus { bytes, waiting, failing } =
            store.unwrap_or(StoreStatus { bytes: 0, waiting: 0, failing: false });
        writer.gauge(
            "kibitzer_store_bytes",
            "Size of the store on disk; 0 without a store.",
            bytes,
        )?;
        writer.gauge(
            "kibitzer_store_waiting",
            "Analyses waiting to be written to disk.",
            waiting,
        )?;
        writer.gauge(
            "kibitzer_store_failing",
            "1 while writing analyses to disk fails.",
            u64::from(failing),
        )
    }

    fn tablebase(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let Some(ProbeStatistics { probes, hits, time }) = self.tablebase else { return Ok(()) };
        writer.counter(
            "kibitzer_tablebase_probes_total",
            "Probes of the tablebases, by searches and by requests.",
            probes,
        )?;
        writer.counter(
            "kibitzer_tablebase_hits_total",
            "Probes of the tablebases that had a result.",
            hits,
        )?;
        writer.counter(
            "kibitzer_tablebase_seconds_total",
            "Time that all probes of the tablebases took together.",
            time.as_secs_f64(),
        )
    }

    fn jobs(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let JobsStatus { total, unfinished, max, positions_evaluated, disk_bytes, failing } =
            self.jobs;
        let states = [("unfinished", unfinished.jobs), ("over", total.jobs - unfinished.jobs)];
        let states = states.map(|(state, count)| ([("state", state)], count));
        writer.gauges("kibitzer_jobs", "Stored review jobs.", states)?;
        writer.gauge("kibitzer_max_jobs", "Maximum number of stored review jobs.", max.jobs)?;
        let states = [("unfinished", unfinished.bytes), ("over", total.bytes - unfinished.bytes)];
        let states = states.map(|(state, bytes)| ([("state", state)], bytes));
        let help = "Space reserved for review jobs, including their future results.";
        writer.gauges("kibitzer_jobs_reserved_bytes", help, states)?;
        writer.gauge("kibitzer_jobs_max_bytes", "Maximum space for review jobs.", max.bytes)?;
        writer.counter(
            "kibitzer_jobs_positions_total",
            "Positions evaluated for review jobs.",
            positions_evaluated,
        )?;
        writer.gauge(
            "kibitzer_jobs_bytes",
            "Size of the review jobs on disk; 0 without a store.",
            disk_bytes,
        )?;
        writer.gauge(
            "kibitzer_jobs_failing",
            "1 while writing review jobs to disk fails.",
            u64::from(failing),
        )
    }
}

impl ProcessStats {
    fn encode(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        writer.counter(
            "process_cpu_seconds_total",
            "User and system CPU time, in seconds.",
            self.cpu_seconds,
        )?;
        writer.gauge("process_resident_memory_bytes", "Resident memory.", self.resident_bytes)?;
        writer.gauge("process_virtual_memory_bytes", "Virtual memory.", self.virtual_bytes)?;
        writer.gauge("process_threads", "Threads of the process.", self.threads)?;
        writer.gauge("process_open_fds", "Open file descriptors.", self.open_fds)?;
        if let Some(max) = self.max_fds {
            writer.gauge("process_max_fds", "Maximum number of open file descriptors.", max)?;
        }
        writer.gauge(
            "process_start_time_seconds",
            "Start of the process, in seconds since 1970.",
            self.start_seconds,
        )
    }
}

/// A text format of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// The Prometheus text format 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl TextFormat {
    /// The format for a client: OpenMetrics if it accepts that by name.
    pub(crate) fn negotiate(headers: &HeaderMap) -> TextFormat {
        let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let accepts_openmetrics =
            accepted.any(|value| value.contains("application/openmetrics-text"));
        if accepts_openmetrics { TextFormat::OpenMetrics } else { TextFormat::Prometheus }
    }

    /// The value of `Content-Type`.
    pub(crate) const fn content_type(self) -> HeaderValue {
        match self {
            TextFormat::Prometheus => {
                HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8")
            }
            TextFormat::OpenMetrics => HeaderValue::from_static(
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
            ),
        }
    }

    /// Converts OpenMetrics text to this format.
    pub(super) fn convert(self, openmetrics: String) -> String {
        match self {
            TextFormat::Prometheus => to_prometheus(&openmetrics),
            TextFormat::OpenMetrics => openmetrics,
        }
    }
}

/// Converts OpenMetrics to the Prometheus format: counter families are named like their samples,
/// and no `# EOF` marks the end.
fn to_prometheus(openmetrics: &str) -> String {
    let counter =
        |line: &'_ str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(str::to_owned);
    let counters: HashSet<String> = openmetrics.lines().filter_map(counter).collect();
    let mut text = String::with_capacity(openmetrics.len() + 8 * counters.len());
    for line in openmetrics.lines().filter(|line| *line != "# EOF") {
        match parse_family_line(line).filter(|(_, name, _)| counters.contains(*name)) {
            Some((keyword, name, rest)) => text.extend([keyword, name, "_total ", rest]),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// Splits a `# HELP` or `# TYPE` line into that keyword, the family's name and the rest.
fn parse_family_line(line: &str) -> Option<(&str, &str, &str)> {
    let keyword = ["# HELP ", "# TYPE "].into_iter().find(|keyword| line.starts_with(keyword))?;
    let (name, rest) = line[keyword.len()..].split_once(' ')?;
    Some((keyword, name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prometheus_format_keeps_total_suffixes_and_has_no_eof() {
        let openmetrics = "# HELP a_b Counts a b.\n\
                           # TYPE a_b counter\n\
                           a_b_total{c=\"d\"} 1\n\
                           # HELP a A gauge.\n\
                           # TYPE a gauge\n\
                           a 2\n\
                           # EOF\n";
        let prometheus = "# HELP a_b_total Counts a b.\n\
                          # TYPE a_b_total counter\n\
                          a_b_total{c=\"d\"} 1\n\
                          # HELP a A gauge.\n\
                          # TYPE a gauge\n\
                          a 2\n";
        assert_eq!(TextFormat::Prometheus.convert(openmetrics.to_owned()), prometheus);
        assert_eq!(TextFormat::OpenMetrics.convert(openmetrics.to_owned()), openmetrics);
    }

    #[test]
    fn openmetrics_is_used_only_when_accepted() {
        let negotiated = |accept: &'static str| {
            TextFormat::negotiate(&HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static(accept),
            )]))
        };
        let prometheus_3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;\
                            q=0.5,text/plain;version=0.0.4;q=0.2";
        assert_eq!(negotiated(prometheus_3), TextFormat::OpenMetrics);
        for accept in ["*/*", "text/plain", "text/html,*/*;q=0.1"] {
            assert_eq!(negotiated(accept), TextFormat::Prometheus, "{accept}");
        }
        assert_eq!(TextFormat::negotiate(&HeaderMap::new()), TextFormat::Prometheus);
    }
}
