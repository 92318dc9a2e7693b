//! The metrics page, in OpenMetrics and in the Prometheus text format, by the encoder of the
//! Prometheus project.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, MetricEncoder, NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use super::process::ProcessStats;
use super::requests::{RequestMetrics, RouteMetrics};
use crate::analysis::jobs::JobsStatus;
use crate::analysis::{
    ClassCounts, DURATION_BUCKET_BOUNDS, DurationSnapshot, ServiceStatus, StoreStatus,
};

/// Every figure at one moment.
#[derive(Debug)]
pub(crate) struct MetricsSnapshot {
    /// Requests.
    pub(crate) requests: Arc<RequestMetrics>,
    /// Open connections.
    pub(crate) connections: usize,
    /// How many there may be.
    pub(crate) max_connections: usize,
    /// Open streams.
    pub(crate) streams: usize,
    /// How many there may be.
    pub(crate) max_streams: usize,
    /// Batches under way.
    pub(crate) batches: usize,
    /// How many there may be.
    pub(crate) max_batches: usize,
    /// The most memory that the settings lead to.
    pub(crate) memory_bound_bytes: u64,
    /// Whether the server takes traffic.
    pub(crate) is_ready: bool,
    /// What searches, once that is there.
    pub(crate) core: Option<CoreSnapshot>,
}

/// What searches, at one moment.
#[derive(Debug)]
pub(crate) struct CoreSnapshot {
    /// The use cases.
    pub(crate) status: ServiceStatus,
    /// The evaluation's name.
    pub(crate) evaluation: String,
    /// How full the table is, in thousandths.
    pub(crate) hash_permille: u32,
    /// Reviews of games.
    pub(crate) jobs: JobsStatus,
}

/// The figures in this form. Reads files that tell of the process: for a thread that may block.
///
/// # Errors
/// When a value cannot be written.
pub(crate) fn render(snapshot: MetricsSnapshot, format: TextFormat) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(snapshot));
    let mut text = String::with_capacity(32 << 10);
    prometheus_client::encoding::text::encode(&mut text, &registry)?;
    Ok(format.convert(text))
}

impl Collector for MetricsSnapshot {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut writer = FamilyWriter(encoder);
        let evaluation = self.core.as_ref().map_or("", |core| core.evaluation.as_str());
        let build = [("version", env!("CARGO_PKG_VERSION")), ("evaluation", evaluation)];
        writer.gauges(
            "kibitzer_build_info",
            "The program and its evaluation; always 1.",
            [(build, 1_u64)],
        )?;
        writer.gauge(
            "kibitzer_ready",
            "1 while the server takes traffic, as /readyz tells.",
            u64::from(self.is_ready),
        )?;
        let bound = self.memory_bound_bytes;
        writer.gauge(
            "kibitzer_memory_bound_bytes",
            "The most memory that the settings lead to.",
            bound,
        )?;
        self.http(&mut writer)?;
        if let Some(core) = &self.core {
            core.queue(&mut writer)?;
            core.searches(&mut writer)?;
            core.evaluation_cache(&mut writer)?;
            core.jobs(&mut writer)?;
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
            "Requests by the pattern of their route and the status of their answer; 499 where the client left before it.",
            answered.iter().flat_map(|(route, by_status)| {
                by_status.iter().map(move |(status, count)| ([("route", *route), ("status", status.as_str())], *count))
            }),
        )?;
        writer.histograms(
            "kibitzer_http_request_duration_seconds",
            "Time from a request's head to the head of its answer, streams included.",
            routes.iter().map(|route| ([("route", route.pattern())], route.durations())),
        )?;
        writer.gauge(
            "kibitzer_http_connections",
            "Open connections of the main address.",
            self.connections,
        )?;
        writer.gauge(
            "kibitzer_http_max_connections",
            "How many there may be.",
            self.max_connections,
        )?;
        writer.gauge(
            "kibitzer_streams",
            "Answers that come line by line, and boards, now.",
            self.streams,
        )?;
        writer.gauge("kibitzer_max_streams", "How many there may be.", self.max_streams)?;
        writer.gauge(
            "kibitzer_batches",
            "Batches whose answers are not read to the end.",
            self.batches,
        )?;
        writer.gauge("kibitzer_max_batches", "How many there may be.", self.max_batches)
    }
}

impl CoreSnapshot {
    fn queue(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let ServiceStatus {
            queue_length,
            batch_length,
            speculative_length: idle_length,
            queue_counts: turns,
            ..
        } = &self.status;
        let lengths =
            [("interactive", queue_length), ("batch", batch_length), ("idle", idle_length)];
        let lengths = lengths.map(|(class, length)| ([("class", class)], *length));
        writer.gauges("kibitzer_queue_length", "Requests that wait for a worker.", lengths)?;
        writer.gauge(
            "kibitzer_queue_capacity",
            "How many of each class may wait.",
            self.status.queue_capacity,
        )?;
        writer.histograms(
            "kibitzer_queue_wait_seconds",
            "How long those waited for a worker who got one.",
            [
                ("interactive", turns.interactive.waits),
                ("batch", turns.batch.waits),
                ("idle", turns.speculative_waits),
            ]
            .map(|(class, waits)| ([("class", class)], waits)),
        )?;
        let refused = |(class, lane): (&'static str, ClassCounts)| {
            [("full", lane.rejected), ("late", lane.timed_out)]
                .map(|(reason, count)| ([("class", class), ("reason", reason)], count))
        };
        writer.counters(
            "kibitzer_queue_refused_total",
            "Requests that got no worker: the queue was full, or they had waited queue.max_wait_ms.",
            [("interactive", turns.interactive), ("batch", turns.batch)].into_iter().flat_map(refused),
        )
    }

    fn searches(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let ServiceStatus { workers, busy_workers: running, searches, .. } = &self.status;
        writer.gauge("kibitzer_workers", "Worker threads.", *workers)?;
        writer.gauge("kibitzer_workers_busy", "Workers that search or count now.", *running)?;
        writer.gauge("kibitzer_searches_running", "Searches that run now.", searches.running)?;
        writer.counter(
            "kibitzer_searches_total",
            "Searches that workers took up.",
            searches.started,
        )?;
        writer.counter(
            "kibitzer_searches_cancelled_total",
            "Searches that nobody waited for any more: clients left, asked for something newer, or had waited too long.",
            searches.cancelled,
        )?;
        writer.counter(
            "kibitzer_searches_shared_total",
            "Questions that joined the search of another one.",
            searches.shared,
        )?;
        writer.counter(
            "kibitzer_search_nodes_total",
            "Moves made in searches that were asked for, those under way included.",
            searches.nodes,
        )?;
        writer.counter(
            "kibitzer_idle_searches_total",
            "Searches that nobody had asked for.",
            searches.speculative,
        )?;
        writer.counter(
            "kibitzer_idle_nodes_total",
            "Moves made in searches that nobody had asked for.",
            searches.speculative_nodes,
        )?;
        let occupancy = f64::from(self.hash_permille) / 1_000.0;
        writer.gauge(
            "kibitzer_table_occupancy_ratio",
            "How full the transposition table is, 0 to 1.",
            occupancy,
        )
    }

    fn evaluation_cache(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let ServiceStatus {
            cache_hits: hits,
            cache_entries: dictionary_entries,
            cache_max_entries: dictionary_max_entries,
            store,
            ..
        } = &self.status;
        writer.counters(
            "kibitzer_dictionary_hits_total",
            "Questions that the dictionary answered, by where it found the answer.",
            [([("tier", "memory")], hits.memory), ([("tier", "disk")], hits.disk)],
        )?;
        writer.counter(
            "kibitzer_dictionary_misses_total",
            "Questions that the dictionary could not answer.",
            hits.misses,
        )?;
        writer.gauge(
            "kibitzer_dictionary_entries",
            "Analyses remembered, in memory or on disk.",
            *dictionary_entries,
        )?;
        writer.gauge(
            "kibitzer_dictionary_max_entries",
            "How many may be remembered.",
            *dictionary_max_entries,
        )?;
        writer.counter(
            "kibitzer_idle_hits_total",
            "Questions that were answered by what was searched before anybody asked.",
            hits.speculative,
        )?;
        let StoreStatus { bytes, waiting, failing } =
            store.unwrap_or(StoreStatus { bytes: 0, waiting: 0, failing: false });
        writer.gauge(
            "kibitzer_store_bytes",
            "What the store takes on disk; 0 without one.",
            bytes,
        )?;
        writer.gauge(
            "kibitzer_store_waiting",
            "Analyses that wait to be written to disk.",
            waiting,
        )?;
        writer.gauge(
            "kibitzer_store_failing",
            "1 while the disk refuses what is to be written.",
            u64::from(failing),
        )
    }

    fn jobs(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        let JobsStatus {
            total: kept,
            unfinished,
            max: most,
            positions_evaluated: found,
            disk_bytes: bytes,
            failing,
        } = self.jobs;
        let states = [("unfinished", unfinished.jobs), ("over", kept.jobs - unfinished.jobs)];
        let states = states.map(|(state, count)| ([("state", state)], count));
        writer.gauges("kibitzer_jobs", "Reviews of games that are kept.", states)?;
        writer.gauge("kibitzer_max_jobs", "How many may be kept.", most.jobs)?;
        let states = [("unfinished", unfinished.bytes), ("over", kept.bytes - unfinished.bytes)];
        let states = states.map(|(state, bytes)| ([("state", state)], bytes));
        let help = "Room for reviews of games, with all that will be found for them.";
        writer.gauges("kibitzer_jobs_reserved_bytes", help, states)?;
        writer.gauge("kibitzer_jobs_max_bytes", "How much room there is.", most.bytes)?;
        writer.counter(
            "kibitzer_jobs_positions_total",
            "Positions of games whose review is kept.",
            found,
        )?;
        writer.gauge(
            "kibitzer_jobs_bytes",
            "What the reviews take on disk; 0 without a store.",
            bytes,
        )?;
        writer.gauge(
            "kibitzer_jobs_failing",
            "1 while the disk refuses what is to be kept of reviews.",
            u64::from(failing),
        )
    }
}

impl ProcessStats {
    fn encode(&self, writer: &mut FamilyWriter<'_>) -> fmt::Result {
        writer.counter(
            "process_cpu_seconds_total",
            "Time on processors, in seconds.",
            self.cpu_seconds,
        )?;
        writer.gauge(
            "process_resident_memory_bytes",
            "Memory that the process has in the machine.",
            self.resident_bytes,
        )?;
        writer.gauge(
            "process_virtual_memory_bytes",
            "Memory that the process could address.",
            self.virtual_bytes,
        )?;
        writer.gauge("process_threads", "Threads of the process.", self.threads)?;
        writer.gauge("process_open_fds", "Open files and connections.", self.open_fds)?;
        if let Some(max) = self.max_fds {
            writer.gauge("process_max_fds", "How many files and connections may be open.", max)?;
        }
        writer.gauge(
            "process_start_time_seconds",
            "When the process began, in seconds since 1970.",
            self.start_seconds,
        )
    }
}

/// Writes families one after the other. A family without series is left out.
struct FamilyWriter<'a>(DescriptorEncoder<'a>);

impl FamilyWriter<'_> {
    fn counter(&mut self, name: &str, help: &str, value: impl EncodeCounterValue) -> fmt::Result {
        self.family(name, help, MetricType::Counter)?
            .encode_counter::<NoLabelSet, _, f64>(&value, None)
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl EncodeGaugeValue) -> fmt::Result {
        self.family(name, help, MetricType::Gauge)?.encode_gauge(&value)
    }

    fn counters<'l, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], u64)>,
    ) -> fmt::Result {
        self.series(name, help, MetricType::Counter, series, |mut encoder, value| {
            encoder.encode_counter::<NoLabelSet, _, f64>(&value, None)
        })
    }

    fn gauges<'l, const N: usize, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], V)>,
    ) -> fmt::Result {
        self.series(name, help, MetricType::Gauge, series, |mut encoder, value| {
            encoder.encode_gauge(&value)
        })
    }

    fn histograms<'l, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], DurationSnapshot)>,
    ) -> fmt::Result {
        self.series(name, help, MetricType::Histogram, series, |mut encoder, counts| {
            let bounds = DURATION_BUCKET_BOUNDS
                .iter()
                .map(|bound| bound.as_secs_f64())
                .chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = bounds.zip(counts.buckets).collect();
            encoder.encode_histogram::<NoLabelSet>(
                counts.sum.as_secs_f64(),
                counts.count(),
                &buckets,
                None,
            )
        })
    }

    fn series<'l, const N: usize, V>(
        &mut self,
        name: &str,
        help: &str,
        kind: MetricType,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], V)>,
        mut write: impl FnMut(MetricEncoder<'_>, V) -> fmt::Result,
    ) -> fmt::Result {
        let mut series = series.into_iter().peekable();
        if series.peek().is_none() {
            return Ok(());
        }
        let mut family = self.family(name, help, kind)?;
        series.try_for_each(|(labels, value)| write(family.encode_family(&labels)?, value))
    }

    /// The encoder adds to the names of counters what these must end in.
    fn family<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
        kind: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        let name = if let MetricType::Counter = kind {
            name.strip_suffix("_total").unwrap_or(name)
        } else {
            name
        };
        self.0.encode_descriptor(name, help, None, kind)
    }
}

/// A form of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// Prometheus's text format 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl TextFormat {
    /// The form that a client wants: the newer one when it names it.
    pub(crate) fn negotiate(headers: &HeaderMap) -> TextFormat {
        let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let accepts_openmetrics =
            accepted.any(|value| value.contains("application/openmetrics-text"));
        if accepts_openmetrics { TextFormat::OpenMetrics } else { TextFormat::Prometheus }
    }

    /// What stands in `Content-Type`.
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

    /// This form of a text in OpenMetrics.
    pub(super) fn convert(self, openmetrics: String) -> String {
        match self {
            TextFormat::Prometheus => to_prometheus(&openmetrics),
            TextFormat::OpenMetrics => openmetrics,
        }
    }
}

/// In the older form a family of counters has the name of its samples, and nothing marks the end.
fn to_prometheus(openmetrics: &str) -> String {
    let counter =
        |line: &'_ str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(str::to_owned);
    let counters: HashSet<String> = openmetrics.lines().filter_map(counter).collect();
    let mut text = String::with_capacity(openmetrics.len() + 8 * counters.len());
    for line in openmetrics.lines().filter(|line| *line != "# EOF") {
        match parse_family_line(line).filter(|(_, name, _)| counters.contains(*name)) {
            Some((what, name, rest)) => text.extend([what, name, "_total ", rest]),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// A line about a family: what it tells, the family's name, and the rest.
fn parse_family_line(line: &str) -> Option<(&str, &str, &str)> {
    let keyword = ["# HELP ", "# TYPE "].into_iter().find(|what| line.starts_with(what))?;
    let (name, rest) = line[keyword.len()..].split_once(' ')?;
    Some((keyword, name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prometheus_format_keeps_total_suffixes_and_has_no_eof() {
        let open = "# HELP a_b Counts a b.\n# TYPE a_b counter\na_b_total{c=\"d\"} 1\n\
                    # HELP a A gauge.\n# TYPE a gauge\na 2\n# EOF\n";
        let old = "# HELP a_b_total Counts a b.\n# TYPE a_b_total counter\na_b_total{c=\"d\"} 1\n\
                   # HELP a A gauge.\n# TYPE a gauge\na 2\n";
        assert_eq!(TextFormat::Prometheus.convert(open.to_owned()), old);
        assert_eq!(TextFormat::OpenMetrics.convert(open.to_owned()), open);
    }

    #[test]
    fn openmetrics_is_used_only_when_accepted() {
        let wanted = |accept: &'static str| {
            TextFormat::negotiate(&HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static(accept),
            )]))
        };
        let prometheus_3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.2";
        assert_eq!(wanted(prometheus_3), TextFormat::OpenMetrics);
        for accept in ["*/*", "text/plain", "text/html,*/*;q=0.1"] {
            assert_eq!(wanted(accept), TextFormat::Prometheus, "{accept}");
        }
        assert_eq!(TextFormat::negotiate(&HeaderMap::new()), TextFormat::Prometheus);
    }
}
