//! The two text forms of metrics: OpenMetrics, which Prometheus asks for and the library writes,
//! and the older form of Prometheus, for all who do not ask.

use std::collections::HashSet;

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

/// A form of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// Prometheus's text format 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl TextForm {
    /// The form that a client wants: the newer one when it names it.
    pub(crate) fn wanted(headers: &HeaderMap) -> TextForm {
        let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let names_it = accepted.any(|value| value.contains("application/openmetrics-text"));
        if names_it { TextForm::OpenMetrics } else { TextForm::Prometheus }
    }

    /// What stands in `Content-Type`.
    pub(crate) const fn content_type(self) -> HeaderValue {
        match self {
            TextForm::Prometheus => {
                HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8")
            }
            TextForm::OpenMetrics => HeaderValue::from_static(
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
            ),
        }
    }

    /// This form of a text in OpenMetrics.
    pub(super) fn of(self, open: String) -> String {
        match self {
            TextForm::Prometheus => prometheus(&open),
            TextForm::OpenMetrics => open,
        }
    }
}

/// In the older form a family of counters has the name of its samples, and nothing marks the end.
fn prometheus(open: &str) -> String {
    let counter =
        |line: &'_ str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(str::to_owned);
    let counters: HashSet<String> = open.lines().filter_map(counter).collect();
    let mut text = String::with_capacity(open.len() + 8 * counters.len());
    for line in open.lines().filter(|line| *line != "# EOF") {
        match family(line).filter(|(_, name, _)| counters.contains(*name)) {
            Some((what, name, rest)) => text.extend([what, name, "_total ", rest]),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// A line about a family: what it tells, the family's name, and the rest.
fn family(line: &str) -> Option<(&str, &str, &str)> {
    let what = ["# HELP ", "# TYPE "].into_iter().find(|what| line.starts_with(what))?;
    let (name, rest) = line[what.len()..].split_once(' ')?;
    Some((what, name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_form_names_counters_as_their_samples_and_has_no_end() {
        let open = "# HELP a_b Counts a b.\n# TYPE a_b counter\na_b_total{c=\"d\"} 1\n\
                    # HELP a A gauge.\n# TYPE a gauge\na 2\n# EOF\n";
        let old = "# HELP a_b_total Counts a b.\n# TYPE a_b_total counter\na_b_total{c=\"d\"} 1\n\
                   # HELP a A gauge.\n# TYPE a gauge\na 2\n";
        assert_eq!(TextForm::Prometheus.of(open.to_owned()), old);
        assert_eq!(TextForm::OpenMetrics.of(open.to_owned()), open);
    }

    #[test]
    fn who_names_the_newer_form_gets_it() {
        let wanted = |accept: &'static str| {
            TextForm::wanted(&HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]))
        };
        let prometheus_3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.2";
        assert_eq!(wanted(prometheus_3), TextForm::OpenMetrics);
        for accept in ["*/*", "text/plain", "text/html,*/*;q=0.1"] {
            assert_eq!(wanted(accept), TextForm::Prometheus, "{accept}");
        }
        assert_eq!(TextForm::wanted(&HeaderMap::new()), TextForm::Prometheus);
    }
}
