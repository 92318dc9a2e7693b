//! A strict parser of Prometheus's text formats. It fails on everything that a scraper may reject.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::{Client, TestResponse};

/// A page of metrics.
#[derive(Debug)]
pub(crate) struct Exposition {
    families: BTreeMap<String, Family>,
}

/// The series of one name and kind.
#[derive(Debug)]
struct Family {
    kind: String,
    series: BTreeMap<String, f64>,
}

/// The name, labels and value of a sample.
struct Sample<'a> {
    name: &'a str,
    labels: Vec<(&'a str, String)>,
    value: f64,
}

impl Exposition {
    /// Fetches the metrics of a server.
    pub(crate) async fn fetch(client: &Client) -> Exposition {
        let answer = client.get("/metrics").await;
        assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
        Exposition::parse(&answer)
    }

    /// Fetches the metrics until a condition holds; `what` describes it.
    pub(crate) async fn wait_until(
        client: &Client,
        what: &str,
        condition: impl Fn(&Exposition) -> bool,
    ) -> Exposition {
        let wait = async {
            loop {
                let page = Exposition::fetch(client).await;
                if condition(&page) {
                    return page;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(30), wait)
            .await
            .unwrap_or_else(|_| panic!("timed out waiting until {what}"))
    }

    /// Parses a response in either format.
    pub(crate) fn parse(answer: &TestResponse) -> Exposition {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let is_open = answer.header("content-type").starts_with("application/openmetrics-text");
        let mut families = BTreeMap::new();
        let text = match answer.body.strip_suffix("# EOF\n") {
            Some(text) if is_open => text,
            None if !is_open => &answer.body,
            _ => panic!("the end marker belongs to OpenMetrics only"),
        };
        assert!(text.ends_with('\n') && !text.contains("\n\n"), "a line is empty or has no end");
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let (name, help) = line
                .strip_prefix("# HELP ")
                .and_then(|line| line.split_once(' '))
                .expect("HELP comes first");
            assert!(help.ends_with('.'), "the help of {name} is not a sentence");
            let kind = lines
                .next()
                .and_then(|line| line.strip_prefix(&format!("# TYPE {name} ")))
                .expect("then TYPE");
            let mut family = Family { kind: kind.to_owned(), series: BTreeMap::new() };
            let mut samples = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
                let sample = Sample::parse(line);
                assert!(
                    belongs_to_family(name, kind, sample.name, is_open),
                    "{line} does not belong to {name}, a {kind}"
                );
                let is_new = family.series.insert(sample.series(), sample.value).is_none();
                assert!(is_new, "the series of {line} is there twice");
                assert!(kind != "counter" || sample.value >= 0.0, "{line}");
                samples.push(sample);
            }
            assert!(!samples.is_empty(), "{name} has no series");
            if kind == "histogram" {
                check_histogram(name, &samples);
            }
            assert!(families.insert(name.to_owned(), family).is_none(), "{name} is there twice");
        }
        Exposition { families }
    }

    /// The value of a series, written as on the page with its labels sorted; 0 if the page does not
    /// have it.
    pub(crate) fn value(&self, series: &str) -> f64 {
        self.families.values().find_map(|family| family.series.get(series)).copied().unwrap_or(0.0)
    }

    /// The names of all samples and families.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let name = |series: &String| series.split('{').next().unwrap().to_owned();
        let samples = self.families.values().flat_map(|family| family.series.keys().map(name));
        self.families.keys().cloned().chain(samples).collect()
    }

    /// The label names of a family's samples.
    pub(crate) fn labels(&self, sample: &str) -> BTreeSet<String> {
        let series = self.families.values().flat_map(|family| family.series.keys());
        let labels = series
            .filter_map(|series| series.strip_prefix(sample)?.strip_prefix('{')?.strip_suffix('}'));
        labels
            .flat_map(|labels| labels.split("\","))
            .map(|label| label.split('=').next().unwrap().to_owned())
            .collect()
    }

    /// The kind of a family.
    pub(crate) fn kind(&self, family: &str) -> &str {
        &self.families[family].kind
    }
}

impl<'a> Sample<'a> {
    fn parse(line: &'a str) -> Sample<'a> {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let value = match value {
            "+Inf" => f64::INFINITY,
            number => number.parse().unwrap_or_else(|_| panic!("{line}: not a number")),
        };
        let (name, labels) = match series.split_once('{') {
            Some((name, labels)) => {
                (name, parse_labels(labels.strip_suffix('}').expect("a closing brace")))
            }
            None => (series, Vec::new()),
        };
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        assert!(!name.is_empty() && name.chars().all(is_letter), "{line}");
        Sample { name, labels, value }
    }

    /// The name and the sorted labels.
    fn series(&self) -> String {
        self.series_without("")
    }

    fn series_without(&self, excluded_label: &str) -> String {
        let mut labels: Vec<_> =
            self.labels.iter().filter(|(name, _)| *name != excluded_label).collect();
        labels.sort();
        let labels: Vec<_> =
            labels.into_iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        if labels.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}{{{}}}", self.name, labels.join(","))
        }
    }

    fn label(&self, wanted: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str())
    }
}

fn parse_labels(mut text: &str) -> Vec<(&str, String)> {
    let mut labels: Vec<(&str, String)> = Vec::new();
    while !text.is_empty() {
        let (name, rest) = text.split_once("=\"").expect("a label has a value in quotes");
        assert!(labels.iter().all(|(other, _)| *other != name), "{name} is there twice");
        let (mut value, mut letters) = (String::new(), rest.char_indices());
        let end = loop {
            match letters.next().expect("the quotes are closed") {
                (end, '"') => break end,
                (_, '\\') => value.push(match letters.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, letter @ ('\\' | '"'))) => letter,
                    other => panic!("{text}: \\ before {other:?}"),
                }),
                (_, letter) => value.push(letter),
            }
        };
        labels.push((name, value));
        text = &rest[end + 1..];
        assert!(text.is_empty() || text.starts_with(','), "{text}");
        text = text.trim_start_matches(',');
    }
    labels
}

/// Whether a sample may belong to a family.
fn belongs_to_family(family: &str, kind: &str, sample: &str, is_open: bool) -> bool {
    match (kind, sample.strip_prefix(family)) {
        ("counter", Some("_total")) => is_open,
        ("counter", Some("")) => !is_open && family.ends_with("_total"),
        ("gauge", Some("")) => true,
        ("histogram", Some(suffix)) => ["_bucket", "_sum", "_count"].contains(&suffix),
        _ => false,
    }
}

/// Checks that buckets rise and that the last one equals the count.
fn check_histogram(name: &str, samples: &[Sample<'_>]) {
    let of = |suffix: &str| {
        samples.iter().filter(|sample| sample.name == format!("{name}{suffix}")).collect::<Vec<_>>()
    };
    let [buckets, sums, counts] = ["_bucket", "_sum", "_count"].map(of);
    assert!(!counts.is_empty() && counts.len() == sums.len(), "{name}");
    for (count, sum) in counts.into_iter().zip(sums) {
        assert_eq!(count.labels, sum.labels, "{name}");
        let own = buckets.iter().filter(|bucket| {
            let labels: Vec<_> =
                bucket.labels.iter().filter(|(name, _)| *name != "le").cloned().collect();
            labels == count.labels
        });
        let own: Vec<(f64, f64)> = own.map(|bucket| (bucket_bound(bucket), bucket.value)).collect();
        assert!(
            own.is_sorted_by(|less, more| less.0 < more.0 && less.1 <= more.1),
            "{name}: {own:?}"
        );
        assert_eq!(own.last(), Some(&(f64::INFINITY, count.value)), "{name}");
        assert!(sum.value >= 0.0 && (count.value > 0.0 || sum.value == 0.0), "{name}");
    }
}

fn bucket_bound(bucket: &Sample<'_>) -> f64 {
    match bucket.label("le").expect("a bucket has a bound") {
        "+Inf" => f64::INFINITY,
        number => number.parse().expect("a bound is a number"),
    }
}
