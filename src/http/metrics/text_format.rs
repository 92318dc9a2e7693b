//! The two text forms of metrics: OpenMetrics, which Prometheus asks for and the library writes,
//! and the older form of Prometheus, for all who do not ask.

use std::collections::HashSet;

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

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
