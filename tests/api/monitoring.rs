//! Files for operators. Those for Prometheus and Grafana use only metrics that the server has.
//! Those for systemd and Caddy fit the settings.

pub(crate) mod deployment;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kibitzer::app::memory_bound_mb;
use kibitzer::config::Settings;
use serde_json::{Value, json};

use crate::support::Server;
use crate::support::exposition::Exposition;

crate::trials![
    the_files_parse_and_reference_each_other,
    the_container_limit_exceeds_the_memory_bound,
    the_dashboard_uses_existing_metrics,
    the_alerts_use_existing_metrics,
    the_alerts_do_not_depend_on_the_name_of_the_scrape_job,
    every_alert_has_a_runbook,
    the_cluster_page_links_to_the_runbooks_of_its_alerts,
    streams_and_batches_are_shown_and_watched,
    the_unit_fits_the_production_settings,
    the_proxy_example_fits_the_production_settings,
    every_metric_is_documented,
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn yaml(name: &str) -> Value {
    yaml_serde::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn rules() -> Vec<Value> {
    let groups = yaml("config/prometheus-alerts.yml")["groups"].as_array().unwrap().clone();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

/// Collects every string of this member at any depth.
fn collect_member(member: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get(member).and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| collect_member(member, value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_member(member, item, found)),
        _ => {}
    }
}

/// The metrics of a node of a cluster after a search, with every figure. The node works alone,
/// because no server listens on port 1.
async fn metrics_page() -> Exposition {
    let server = Server::start_with(|settings| {
        settings.cluster.url = "redis://127.0.0.1:1".to_owned();
    })
    .await;
    server.post_ok("/v1/best-move", &json!({ "fen": "startpos", "depth": 2 })).await;
    Exposition::fetch(&server).await
}

/// The metrics of a query, each with the labels of its selector.
fn metrics_in_query(query: &str) -> Vec<(String, Vec<String>)> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for prefix in ["kibitzer_", "process_"] {
        for (start, _) in query.match_indices(prefix) {
            let rest = &query[start..];
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            let selector = rest[end..]
                .strip_prefix('{')
                .and_then(|rest| rest.split_once('}'))
                .map_or("", |(inside, _)| inside);
            let matchers = selector.split(',').filter(|matcher| !matcher.trim().is_empty());
            let label = |matcher: &str| {
                matcher.trim().chars().take_while(|&letter| is_word(letter)).collect()
            };
            found.push((rest[..end].to_owned(), matchers.map(label).collect()));
        }
    }
    found
}

/// Labels that Prometheus adds.
const PROMETHEUS_LABELS: [&str; 2] = ["instance", "job"];

fn check_queries(page: &Exposition, queries: &[String]) -> BTreeSet<String> {
    let names = page.names();
    let mut seen = BTreeSet::new();
    for query in queries {
        for (name, labels) in metrics_in_query(query) {
            assert!(names.contains(&name), "{name} is not among the metrics: {query}");
            let known = page.labels(&name);
            for label in labels.iter().filter(|label| !PROMETHEUS_LABELS.contains(&label.as_str()))
            {
                assert!(known.contains(label), "{name} has no label {label}: {query}");
            }
            seen.insert(name);
        }
    }
    seen
}

async fn the_files_parse_and_reference_each_other() {
    let compose = yaml("config/compose.yaml");
    for service in ["kibitzer", "prometheus", "grafana"] {
        let volumes = compose["services"][service]["volumes"].as_array().unwrap();
        let files = volumes
            .iter()
            .filter_map(|volume| volume.as_str()?.strip_prefix("./")?.split(':').next());
        for file in files {
            assert!(
                path("config").join(file).is_file(),
                "{service} mounts config/{file}, which does not exist"
            );
        }
    }
    let listen = compose["services"]["kibitzer"]["environment"]["KIBITZER__METRICS__LISTEN"]
        .as_str()
        .unwrap();
    let prometheus = yaml("config/prometheus.yml");
    let target =
        prometheus["scrape_configs"][0]["static_configs"][0]["targets"][0].as_str().unwrap();
    assert_eq!(target.split_once(':').unwrap(), ("kibitzer", listen.split_once(':').unwrap().1));
    for file in prometheus["rule_files"].as_array().unwrap() {
        assert!(path("config").join(file.as_str().unwrap()).is_file(), "{file}");
    }
    for file in ["config/grafana-datasource.yml", "config/grafana-provider.yml"] {
        assert_eq!(yaml(file)["apiVersion"], 1, "{file}");
    }
}

/// With eight workers and a tenth in reserve, both with the settings of compose.yaml alone and with
/// production.toml.
async fn the_container_limit_exceeds_the_memory_bound() {
    let compose = yaml("config/compose.yaml");
    let kibitzer = &compose["services"]["kibitzer"];
    let limit = kibitzer["mem_limit"]
        .as_str()
        .unwrap()
        .strip_suffix('m')
        .expect("megabytes")
        .parse::<u64>()
        .unwrap();
    let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let given = kibitzer["environment"].as_object().unwrap();
    let mut environment: BTreeMap<String, String> =
        given.iter().map(|(name, value)| (name.clone(), text_of(value))).collect();
    environment.insert("KIBITZER__STORE__PATH".to_owned(), "/var/lib/kibitzer".to_owned());
    let production = path("config/production.toml");
    for file in [None, Some(production.as_path())] {
        let mut settings = Settings::load_with(file, Some(environment.clone())).unwrap();
        settings.search.workers = 8;
        let bound = memory_bound_mb(&settings);
        assert!(
            11 * bound <= 10 * limit,
            "{file:?}: the memory bound is {bound} MB, the container limit {limit} MB"
        );
    }
}

async fn the_dashboard_uses_existing_metrics() {
    let dashboard: Value = serde_json::from_str(&text("config/grafana-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "two panels have the same id");
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        assert!(
            panel["description"].as_str().is_some_and(|text| !text.is_empty()),
            "{}",
            panel["title"]
        );
        assert!(!panel["targets"].as_array().unwrap().is_empty(), "{}", panel["title"]);
    }
    let mut queries = Vec::new();
    collect_member("expr", &dashboard, &mut queries);
    collect_member("definition", &dashboard, &mut queries);
    assert!(queries.iter().all(|query| !query.contains("job=")), "{queries:?}");
    let page = metrics_page().await;
    let shown = check_queries(&page, &queries);
    for name in [
        "kibitzer_http_requests_total",
        "kibitzer_http_request_duration_seconds_bucket",
        "kibitzer_queue_length",
        "kibitzer_queue_wait_seconds_bucket",
        "kibitzer_queue_refused_total",
        "kibitzer_searches_running",
        "kibitzer_search_nodes_total",
        "kibitzer_searches_cancelled_total",
        "kibitzer_searches_shared_total",
        "kibitzer_dictionary_hits_total",
        "kibitzer_dictionary_misses_total",
        "kibitzer_table_occupancy_ratio",
        "kibitzer_store_bytes",
        "kibitzer_idle_hits_total",
    ] {
        assert!(shown.contains(name), "the dashboard does not show {name}");
    }
    for name in page.names().iter().filter(|name| name.starts_with("kibitzer_cluster_")) {
        assert!(shown.contains(name), "the dashboard does not show {name}");
    }
}

async fn the_alerts_use_existing_metrics() {
    let rules = rules();
    assert!(rules.len() >= 8, "{}", rules.len());
    let queries: Vec<String> =
        rules.iter().map(|rule| rule["expr"].as_str().unwrap().to_owned()).collect();
    assert!(queries.iter().all(|query| query.contains("kibitzer")), "{queries:?}");
    check_queries(&metrics_page().await, &queries);
    for rule in rules {
        assert!(
            ["warning", "critical"].contains(&rule["labels"]["severity"].as_str().unwrap()),
            "{rule}"
        );
        for annotation in ["summary", "description"] {
            assert!(
                rule["annotations"][annotation].as_str().is_some_and(|text| !text.is_empty()),
                "{rule}"
            );
        }
    }
}

async fn the_alerts_do_not_depend_on_the_name_of_the_scrape_job() {
    for rule in rules() {
        let query = rule["expr"].as_str().unwrap();
        assert!(!query.contains("job=") && !query.contains("job!"), "{query}");
        // Every process has the metrics of Prometheus's client libraries.
        let has_foreign_metric = query.contains("process_") || query.contains("up ");
        assert!(!has_foreign_metric || query.contains("kibitzer_"), "{query}");
    }
}

/// `runbook_url` is the path of a section, which has the anchor that GitHub gives it.
async fn every_alert_has_a_runbook() {
    let operations = text("docs/operations.md");
    let sections: BTreeMap<String, &str> = operations
        .split("\n### ")
        .skip(1)
        .map(|section| section.split_once('\n').unwrap())
        .map(|(title, content)| (title.to_lowercase().replace(' ', "-"), content))
        .collect();
    for rule in rules() {
        let url = rule["annotations"]["runbook_url"].as_str().expect("a URL");
        let anchor = url.strip_prefix("docs/operations.md#").expect("a path in the repository");
        assert_eq!(anchor, rule["alert"].as_str().unwrap().to_lowercase());
        let content = sections.get(anchor).unwrap_or_else(|| panic!("{url} does not exist"));
        let paragraphs = content.split("\n\n").filter(|text| !text.trim().is_empty());
        assert!(paragraphs.count() >= 2, "{anchor} needs a meaning and an action");
    }
}

async fn the_cluster_page_links_to_the_runbooks_of_its_alerts() {
    let cluster = text("docs/cluster.md");
    let rules = rules();
    let alerts = rules.iter().filter_map(|rule| rule["alert"].as_str());
    for alert in alerts.filter(|alert| alert.starts_with("KibitzerCluster")) {
        let link = format!("[{alert}](operations.md#{})", alert.to_lowercase());
        assert!(cluster.contains(&link), "docs/cluster.md does not explain {alert}");
    }
}

async fn streams_and_batches_are_shown_and_watched() {
    let dashboard = text("config/grafana-dashboard.json");
    for (used, most) in
        [("kibitzer_streams", "kibitzer_max_streams"), ("kibitzer_batches", "kibitzer_max_batches")]
    {
        for name in [used, most] {
            assert!(dashboard.contains(&format!("sum({name}{{")), "{name}");
        }
        let ratio = format!("{used} / {most} > ");
        assert!(rules().iter().any(|rule| rule["expr"].as_str().unwrap().starts_with(&ratio)));
    }
}

fn production_settings() -> Settings {
    Settings::load_with(Some(&path("config/production.toml")), Some(BTreeMap::new())).unwrap()
}

async fn the_unit_fits_the_production_settings() {
    let unit = text("config/kibitzer.service");
    let value = |key: &str| {
        let mut values = unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        values.next().unwrap_or_else(|| panic!("{key} is not set"))
    };
    let number = |key: &str| value(key).trim_end_matches('M').parse::<u64>().unwrap();
    let settings = production_settings();
    let other_files = 1_024;
    assert!(number("LimitNOFILE") >= settings.http.connections as u64 + other_files);
    assert!(1_000 * number("TimeoutStopSec") > settings.shutdown.grace_ms);
    assert!(10 * number("MemoryMax") >= 11 * settings.memory.max_mb);
    let folder = Path::new("/var/lib").join(value("StateDirectory"));
    assert_eq!(settings.store.path, folder, "the unit lets the server write to its store");
    for (key, expected) in [
        ("DynamicUser", "yes"),
        ("ProtectSystem", "strict"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("SystemCallErrorNumber", "EPERM"),
        ("Restart", "always"),
    ] {
        assert_eq!(value(key), expected, "{key}");
    }
    for key in ["ExecStartPre", "ExecStart"] {
        assert!(value(key).ends_with(" --config /etc/kibitzer/kibitzer.toml"), "{key}");
    }
}

async fn the_proxy_example_fits_the_production_settings() {
    let caddy = text("config/Caddyfile");
    let settings = production_settings();
    assert!(caddy.contains(&format!("reverse_proxy {} {{", settings.listen)));
    for proxy in ["127.0.0.1/32", "::1/128"] {
        assert!(settings.access.trusted_proxies.contains(&proxy.parse().unwrap()), "{proxy}");
        assert!(caddy.contains(proxy), "{proxy}");
    }
    for directive in ["flush_interval -1", "respond @metrics 404", "max_size 8MB"] {
        assert!(caddy.lines().any(|line| line.trim() == directive), "{directive}");
    }
    assert!(settings.jobs.bytes.max(settings.batch.bytes) < 8_000_000);
    assert!(settings.limits.movetime_ms + settings.queue.max_wait_ms < 90_000);
}

async fn every_metric_is_documented() {
    let operations = text("docs/operations.md");
    let suffixes = ["_bucket", "_sum", "_count"];
    for name in metrics_page()
        .await
        .names()
        .iter()
        .filter(|name| !suffixes.iter().any(|suffix| name.ends_with(suffix)))
    {
        assert!(operations.contains(name.as_str()), "docs/operations.md does not document {name}");
    }
}
