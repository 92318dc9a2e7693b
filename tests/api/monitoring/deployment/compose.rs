//! Docker Compose with HAProxy: config/cluster.

use std::collections::BTreeSet;
use std::path::Path;

use kibitzer::config::Settings;
use serde_json::{Map, Value, json};

use super::{amount, assert_fits_role, assert_has_memory, assert_is_pinned, items, load, members};
use super::{scalar_text, string, strings, valkey_options};
use crate::monitoring::{path, text, yaml};
use crate::support::Server;
use crate::support::contract::CONTRACT;

crate::trials![
    three_nodes_have_one_definition,
    only_the_balancer_has_a_public_port,
    prometheus_scrapes_each_node,
    the_containers_have_no_privileges,
    the_valkey_servers_fit_their_roles,
    the_balancer_knows_the_nodes,
    the_balancer_notices_a_shutdown_in_time,
    the_balancer_cuts_no_response,
    the_balancer_repeats_only_what_is_safe_to_repeat,
];

/// The YAML value with its merge keys (`<<`) applied. An own member has precedence.
fn merged(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut result = Map::new();
            if let Some(base) = members.get("<<") {
                result = merged(base).as_object().expect("a mapping").clone();
            }
            for (name, member) in members.iter().filter(|(name, _)| *name != "<<") {
                result.insert(name.clone(), merged(member));
            }
            Value::Object(result)
        }
        Value::Array(items) => items.iter().map(merged).collect(),
        _ => value.clone(),
    }
}

fn compose() -> Value {
    merged(&yaml("config/cluster/compose.yaml"))
}

/// The services of compose.yaml that are nodes.
fn compose_nodes(compose: &Value) -> Vec<(&String, &Value)> {
    members(&compose["services"]).iter().filter(|(_, it)| it["image"] == "kibitzer").collect()
}

fn compose_settings(compose: &Value) -> Settings {
    let (_, node) = compose_nodes(compose)[0];
    load(
        members(&node["environment"])
            .iter()
            .map(|(name, value)| (name.clone(), scalar_text(value))),
    )
}

async fn three_nodes_have_one_definition() {
    let compose = compose();
    let nodes = compose_nodes(&compose);
    assert_eq!(nodes.len(), 3);
    let mut stores = BTreeSet::new();
    let common = |node: &Value| {
        let mut node = members(node).clone();
        node.retain(|name, _| !["hostname", "volumes"].contains(&name.as_str()));
        node
    };
    let settings = compose_settings(&compose);
    for (name, node) in &nodes {
        assert_eq!(common(node), common(nodes[0].1), "{name}");
        assert_eq!(node["hostname"], name.as_str(), "it is the name of the node");
        let volume = strings(&node["volumes"])[0];
        let (volume, folder) = volume.split_once(':').unwrap();
        assert_eq!(Path::new(folder), settings.store.path);
        assert!(members(&compose["volumes"]).contains_key(volume), "{volume}");
        assert!(stores.insert(volume.to_owned()), "two nodes have the volume {volume}");
        assert!(path("config/cluster").join(string(&node["build"])).join("Dockerfile").is_file());
    }
    // A node finds the servers of the cluster by the names of their services.
    let node = nodes[0].1;
    for (url, service) in [(&settings.cluster.url, "fast"), (&settings.cluster.jobs_url, "jobs")] {
        assert_eq!(url, &format!("redis://{service}:6379"));
        let networks = strings(&compose["services"][service]["networks"]);
        assert_eq!(networks, ["back"], "{service}");
        assert!(strings(&node["networks"]).contains(&"back"));
        // A node starts once they answer.
        assert_eq!(node["depends_on"][service]["condition"], "service_healthy", "{service}");
        let check = strings(&compose["services"][service]["healthcheck"]["test"]);
        assert_eq!(check, ["CMD", "valkey-cli", "-e", "ping"], "{service}");
    }
    assert_eq!(compose["networks"]["back"]["internal"], true);

    let limit = amount(string(&node["mem_limit"]), "m");
    assert_has_memory(limit, &settings);
    let stop = 1_000 * amount(string(&node["stop_grace_period"]), "s");
    assert!(stop > settings.shutdown.grace_ms);
}

async fn only_the_balancer_has_a_public_port() {
    let compose = compose();
    for (name, service) in members(&compose["services"]) {
        let expected =
            if name == "balancer" { json!(["127.0.0.1:8080:8080"]) } else { Value::Null };
        assert_eq!(service["ports"], expected, "{name}");
    }
    assert_eq!(strings(&compose["services"]["balancer"]["networks"]), ["front"]);
    let settings = compose_settings(&compose);
    // The balancer connects from the subnet of `front`.
    let subnet = string(&compose["networks"]["front"]["ipam"]["config"][0]["subnet"]);
    assert_eq!(settings.access.trusted_proxies, [subnet.parse().unwrap()]);
    assert!(settings.metrics.listen.is_some(), "the public port must not have /metrics");
}

async fn prometheus_scrapes_each_node() {
    let compose = compose();
    let port = compose_settings(&compose).metrics.listen.expect("an address for metrics").port();
    let nodes = compose_nodes(&compose);
    let expected: Vec<String> = nodes.iter().map(|(name, _)| format!("{name}:{port}")).collect();
    let prometheus = yaml("config/cluster/prometheus.yml");
    let [job] = items(&prometheus["scrape_configs"]) else { panic!("the nodes are one job") };
    assert_eq!(strings(&job["static_configs"][0]["targets"]), expected);
    for file in strings(&prometheus["rule_files"]) {
        assert!(path("config").join(file).is_file(), "{file}");
    }
}

async fn the_containers_have_no_privileges() {
    let compose = compose();
    for (name, service) in members(&compose["services"]) {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(service["security_opt"], json!(["no-new-privileges:true"]), "{name}");
        assert_eq!(service["restart"], "unless-stopped", "{name}");
        assert!(service["mem_limit"].is_string() && service["stop_grace_period"].is_string());
        if service["build"].is_null() {
            assert_is_pinned(string(&service["image"]));
        }
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let (source, _) = string(volume).split_once(':').unwrap();
            match source.strip_prefix("./") {
                Some(file) => assert!(path("config/cluster").join(file).is_file(), "{file}"),
                None => assert!(members(&compose["volumes"]).contains_key(source), "{source}"),
            }
        }
        for network in strings(&service["networks"]) {
            assert!(members(&compose["networks"]).contains_key(network), "{network}");
        }
    }
}

async fn the_valkey_servers_fit_their_roles() {
    let compose = compose();
    let max_mb = compose_settings(&compose).jobs.max_mb;
    for role in ["fast", "jobs"] {
        let service = &compose["services"][role];
        let words: Vec<String> =
            string(&service["command"]).split_whitespace().map(str::to_owned).collect();
        let limit = amount(string(&service["mem_limit"]), "m");
        assert_fits_role(role, &valkey_options(&words), limit, max_mb);
    }
    assert_eq!(compose["services"]["jobs"]["volumes"], json!(["jobs:/data"]));
}

/// The lines of haproxy.cfg as words, without comments.
fn haproxy() -> Vec<Vec<String>> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let config = text("config/cluster/haproxy.cfg");
    let lines = config.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.map(words).filter(|words| !words.is_empty()).collect()
}

/// The words after the only line that begins with these.
fn directive(name: &str) -> Vec<String> {
    let name: Vec<&str> = name.split(' ').collect();
    let mut found: Vec<Vec<String>> = haproxy();
    found.retain(|words| words.len() >= name.len() && words[..name.len()] == name);
    assert_eq!(found.len(), 1, "{name:?}: {found:?}");
    found.remove(0).split_off(name.len())
}

/// A time of haproxy.cfg in milliseconds.
fn milliseconds(text: &str) -> u64 {
    let seconds = |text: &str| 1_000 * amount(text, "s");
    if text.ends_with("ms") { amount(text, "ms") } else { seconds(text) }
}

fn time_of(name: &str) -> u64 {
    milliseconds(&directive(name)[0])
}

/// The value after a word of `default-server`.
fn of_server(word: &str) -> String {
    let lines: Vec<Vec<String>> = haproxy();
    let of_servers = lines.iter().filter(|words| words[0] == "default-server");
    let mut values = of_servers.filter_map(|words| {
        let place = words.iter().position(|it| it == word)?;
        words.get(place + 1).cloned()
    });
    values.next().unwrap_or_else(|| panic!("{word} is not set"))
}

async fn the_balancer_knows_the_nodes() {
    let compose = compose();
    let settings = compose_settings(&compose);
    let expected: Vec<Vec<String>> = compose_nodes(&compose)
        .iter()
        .map(|(name, _)| {
            let address = format!("{name}:{}", settings.listen.port());
            vec!["server".to_owned(), (*name).clone(), address]
        })
        .collect();
    let mut servers = haproxy();
    servers.retain(|words| words[0] == "server");
    assert_eq!(servers, expected);

    let balancer = &compose["services"]["balancer"];
    let published = string(&balancer["ports"][0]).rsplit_once(':').unwrap().1;
    assert_eq!(directive("bind"), [format!(":{published}")]);
    assert!(directive("option forwardfor").is_empty());
    assert_eq!(of_server("resolvers"), directive("resolvers")[0]);

    let per_node: usize = of_server("maxconn").parse().unwrap();
    assert!(per_node < settings.http.connections, "the nodes refuse no connection");
    let total: usize = directive("maxconn")[0].parse().unwrap();
    assert!(total <= 3 * per_node);
    // HAProxy keeps 1 KB of a buffer free for headers that it adds.
    let buffer: usize = directive("tune.bufsize")[0].parse().unwrap();
    assert!(buffer >= settings.http.head_bytes + 1_024);
    let memory = amount(string(&balancer["mem_limit"]), "m") << 20;
    assert!(memory as usize > 3 * total * buffer / 2, "{memory} bytes for {total} connections");
}

async fn the_balancer_notices_a_shutdown_in_time() {
    let compose = compose();
    let settings = compose_settings(&compose);
    assert_eq!(directive("option httpchk"), ["GET", "/readyz"]);
    assert_eq!(directive("http-check expect"), ["status", "200"]);
    let probe = Server::start().await.get("/readyz").await;
    assert_eq!(probe.status, 200);
    let failures: u64 = of_server("fall").parse().unwrap();
    let first = milliseconds(&of_server("inter"));
    let noticed = first + (failures - 1) * milliseconds(&of_server("fastinter"));
    assert!(first < settings.shutdown.drain_ms);
    assert!(2 * noticed < settings.shutdown.drain_ms, "it takes {noticed} ms");
    let stop = milliseconds(string(&compose["services"]["balancer"]["stop_grace_period"]));
    assert!(time_of("hard-stop-after") < stop);
}

async fn the_balancer_cuts_no_response() {
    let settings = compose_settings(&compose());
    let longest_wait = settings.limits.movetime_ms + settings.queue.max_wait_ms;
    for timeout in ["timeout client", "timeout server"] {
        assert!(time_of(timeout) > longest_wait, "{timeout}");
        assert!(time_of(timeout) > 2 * settings.stream.heartbeat_ms, "{timeout}");
    }
    assert!(time_of("timeout tunnel") > 2 * settings.live.ping_ms);
    assert!(time_of("timeout http-request") >= settings.http.head_timeout_ms);
    assert!(directive("option http-no-delay").is_empty());
    assert!(haproxy().iter().all(|words| words[0] != "compression"));
}

async fn the_balancer_repeats_only_what_is_safe_to_repeat() {
    assert_eq!(directive("retry-on"), ["conn-failure", "empty-response", "503"]);
    assert_eq!(directive("option redispatch"), ["1"], "a retry goes to another node");
    assert_eq!(directive("retries"), ["1"]);
    // HAProxy repeats only requests that have arrived as a whole.
    let [time, wait @ ..] = &directive("http-request wait-for-body time")[..] else { panic!() };
    let body_timeout_ms = compose_settings(&compose()).http.body_timeout_ms;
    assert_eq!(milliseconds(time), body_timeout_ms);
    assert_eq!(wait.join(" "), "unless { path /v1/batch }");

    let mut never = haproxy();
    never.retain(|words| words[0] == "http-request" && words[1] == "disable-l7-retry");
    let conditions: Vec<String> = never.iter().map(|words| words[1..].join(" ")).collect();
    assert_eq!(
        conditions,
        [
            "disable-l7-retry if METH_POST is_submission !has_key",
            "disable-l7-retry if { path /mcp }",
            "disable-l7-retry if METH_DELETE",
            "disable-l7-retry if { url_param(ticket) -m found }",
        ]
    );
    let submission = directive("acl is_submission path");
    assert_eq!(directive("acl has_key"), ["req.hdr(idempotency-key)", "-m", "found"]);
    let paths = members(&CONTRACT["paths"]);
    for path in [submission[0].as_str(), "/mcp", "/v1/batch"] {
        assert!(paths.contains_key(path), "{path}");
    }
    let parameters = &paths[&submission[0]]["post"]["parameters"];
    assert!(items(parameters).iter().any(|parameter| parameter["name"] == "idempotency-key"));
}
