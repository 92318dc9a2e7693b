//! Deployment files of several nodes: Docker Compose with HAProxy, and Kubernetes with Kustomize.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kibitzer::app::memory_bound_mb;
use kibitzer::config::Settings;
use serde_json::{Map, Value, json};

use super::{check_queries, metrics_page, path, text, yaml};
use crate::support::contract::CONTRACT;
use crate::support::{Client, Server};

crate::trials![
    compose_starts_three_equal_nodes,
    only_the_balancer_of_compose_has_a_public_port,
    the_containers_of_compose_have_no_privileges,
    the_balancer_knows_the_nodes,
    the_balancer_notices_a_shutdown_in_time,
    the_balancer_cuts_no_response,
    the_balancer_repeats_only_what_is_safe_to_repeat,
    kustomize_finds_every_file,
    the_deployment_fits_the_settings,
    the_deployment_replaces_nodes_without_a_gap,
    the_services_of_kubernetes_select_pods,
    the_valkey_servers_keep_what_they_must,
    keda_scales_by_the_workers_that_clients_need,
];

const COMPOSE: &str = "config/cluster/compose.yaml";
const HAPROXY: &str = "config/cluster/haproxy.cfg";
const KUBERNETES: &str = "config/kubernetes";

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
    merged(&yaml(COMPOSE))
}

fn members(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no mapping"))
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no sequence"))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no string"))
}

fn strings(value: &Value) -> Vec<&str> {
    items(value).iter().map(string).collect()
}

/// A scalar as the environment and command lines have it.
fn scalar_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number before a unit: 1400 of "1400m".
fn amount(text: &str, unit: &str) -> u64 {
    let number = text.strip_suffix(unit).unwrap_or_else(|| panic!("{text} has the unit {unit}"));
    number.parse().unwrap_or_else(|_| panic!("{text} is no number of {unit}"))
}

/// The settings of the image with this environment. Loading fails for an unknown variable.
fn load(environment: impl IntoIterator<Item = (String, String)>) -> Settings {
    let dockerfile = text("Dockerfile");
    let of_image = dockerfile
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .filter(|(name, _)| name.starts_with("KIBITZER__"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let all: BTreeMap<_, _> = of_image.chain(environment).collect();
    assert!(all.keys().all(|name| name.starts_with("KIBITZER__")), "{all:?}");
    Settings::load_with(None, Some(all)).unwrap_or_else(|error| panic!("{error}"))
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

async fn compose_starts_three_equal_nodes() {
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
        assert!(strings(&node["depends_on"]).contains(&service));
    }
    assert_eq!(compose["networks"]["back"]["internal"], true);

    let limit = amount(string(&node["mem_limit"]), "m");
    let bound = memory_bound_mb(&settings);
    assert!(11 * bound <= 10 * limit, "the memory bound is {bound} MB, the limit {limit} MB");
    let stop = 1_000 * amount(string(&node["stop_grace_period"]), "s");
    assert!(stop > settings.shutdown.grace_ms);
}

async fn only_the_balancer_of_compose_has_a_public_port() {
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

async fn the_containers_of_compose_have_no_privileges() {
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

/// Asserts that an image has a version. Without a tag it would be `latest`.
fn assert_is_pinned(image: &str) {
    let tag = image.rsplit_once(':').map(|(_, tag)| tag);
    assert!(
        tag.is_some_and(|tag| tag.starts_with(|first: char| first.is_ascii_digit())),
        "{image}"
    );
}

/// The lines of haproxy.cfg as words, without comments.
fn haproxy() -> Vec<Vec<String>> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let config = text(HAPROXY);
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
    let mut never = haproxy();
    never.retain(|words| words[0] == "http-request");
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
    for path in [submission[0].as_str(), "/mcp"] {
        assert!(paths.contains_key(path), "{path}");
    }
    let parameters = &paths[&submission[0]]["post"]["parameters"];
    assert!(items(parameters).iter().any(|parameter| parameter["name"] == "idempotency-key"));
}

/// The documents of a file of config/kubernetes.
fn documents(name: &str) -> Vec<Value> {
    let read = |text: &str| yaml_serde::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    text(&format!("{KUBERNETES}/{name}")).split("\n---\n").map(read).collect()
}

/// All objects of the kustomization, without those of the component for KEDA.
fn objects() -> Vec<Value> {
    let kustomization = yaml(&format!("{KUBERNETES}/kustomization.yaml"));
    strings(&kustomization["resources"]).into_iter().flat_map(documents).collect()
}

/// The objects of a kind.
fn objects_of(kind: &str) -> Vec<Value> {
    objects().into_iter().filter(|object| object["kind"] == kind).collect()
}

/// The only object of a kind.
fn object(kind: &str) -> Value {
    let mut found = objects_of(kind);
    assert_eq!(found.len(), 1, "{kind}");
    found.remove(0)
}

/// The variables of an environment file; with `commented`, also those of lines that are comments.
fn variables(name: &str, commented: bool) -> BTreeMap<String, String> {
    let content = text(&format!("{KUBERNETES}/{name}"));
    let lines = content.lines().map(|line| match line.strip_prefix("# ") {
        Some(comment) if commented && comment.starts_with("KIBITZER__") => comment,
        _ => line,
    });
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once('=').unwrap_or_else(|| panic!("{name}: {line}")))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn kubernetes_settings(commented: bool) -> Settings {
    let node = ("KIBITZER__CLUSTER__NODE".to_owned(), "kibitzer-5d9c7b6f4-x2x8z".to_owned());
    let of_files = ["settings.env", "cluster.env"].map(|name| variables(name, commented));
    load(of_files.into_iter().flatten().chain([node]))
}

async fn kustomize_finds_every_file() {
    let kustomization = yaml(&format!("{KUBERNETES}/kustomization.yaml"));
    let mut named: BTreeSet<&str> = strings(&kustomization["resources"]).into_iter().collect();
    let container = object("Deployment")["spec"]["template"]["spec"]["containers"][0].clone();
    for (generator, reference) in
        [("configMapGenerator", "configMapRef"), ("secretGenerator", "secretRef")]
    {
        let generator = &kustomization[generator][0];
        named.extend(strings(&generator["envs"]));
        let references = items(&container["envFrom"]);
        let mut names = references.iter().filter_map(|it| it[reference]["name"].as_str());
        assert_eq!(names.next(), generator["name"].as_str(), "{reference}");
    }
    named.extend(["kustomization.yaml", "keda"]);
    let entries = std::fs::read_dir(path(KUBERNETES)).unwrap();
    let found: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, named.iter().map(|&name| name.to_owned()).collect());

    // The component for KEDA is switched on by removing the signs of a comment.
    let text = text(&format!("{KUBERNETES}/kustomization.yaml"));
    assert!(text.contains("\n# components:\n#   - keda\n"));
    let image = &kustomization["images"][0];
    assert_eq!(image["name"], container["image"]);
    assert_eq!(image["newTag"], env!("CARGO_PKG_VERSION"));
    for server in objects_of("StatefulSet") {
        let container = &server["spec"]["template"]["spec"]["containers"][0];
        assert_is_pinned(string(&container["image"]));
    }
}

async fn the_deployment_fits_the_settings() {
    let settings = kubernetes_settings(false);
    kubernetes_settings(true);
    let deployment = object("Deployment");
    assert_eq!(deployment["spec"]["replicas"], 3);
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["enableServiceLinks"], false, "no KIBITZER_… that is no setting");
    let container = &pod["containers"][0];
    assert_eq!(
        container["env"],
        json!([{
            "name": "KIBITZER__CLUSTER__NODE",
            "valueFrom": { "fieldRef": { "fieldPath": "metadata.name" } },
        }])
    );
    assert!(pod["volumes"].is_null() && !settings.store.is_on(), "the pod has no disk");

    let metrics = settings.metrics.listen.unwrap().port();
    assert_eq!(
        container["ports"],
        json!([
            { "name": "http", "containerPort": settings.listen.port() },
            { "name": "metrics", "containerPort": metrics },
        ])
    );
    let annotations = &deployment["spec"]["template"]["metadata"]["annotations"];
    assert_eq!(annotations["prometheus.io/port"], metrics.to_string());
    for security in [&container["securityContext"], &pod["securityContext"]] {
        let has = |name: &str, value: Value| security[name].is_null() || security[name] == value;
        assert!(has("readOnlyRootFilesystem", json!(true)) && has("runAsNonRoot", json!(true)));
    }
    let user = &pod["securityContext"]["runAsUser"];
    assert!(text("Dockerfile").contains(&format!("\nUSER {user}:{user}\n")));

    let resources = &container["resources"];
    assert_eq!(resources["requests"]["cpu"], settings.search.workers.to_string());
    let limit = amount(string(&resources["limits"]["memory"]), "Mi");
    let bound = memory_bound_mb(&settings);
    assert!(11 * bound <= 10 * limit, "the memory bound is {bound} MB, the limit {limit} MB");
    assert_eq!(resources["requests"]["memory"], resources["limits"]["memory"]);
}

async fn the_deployment_replaces_nodes_without_a_gap() {
    let settings = kubernetes_settings(false);
    let deployment = object("Deployment");
    let strategy = &deployment["spec"]["strategy"]["rollingUpdate"];
    assert_eq!(strategy, &json!({ "maxUnavailable": 0, "maxSurge": 1 }));
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"].as_u64().unwrap();
    let grace = 1_000 * pod["terminationGracePeriodSeconds"].as_u64().unwrap();
    assert!(grace > 1_000 * sleep + settings.shutdown.grace_ms + settings.shutdown.drain_ms);

    let server = Server::start().await;
    for (probe, expected) in
        [("startupProbe", "/readyz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/livez")]
    {
        let request = &container[probe]["httpGet"];
        assert_eq!(request, &json!({ "path": expected, "port": "http" }), "{probe}");
        assert_is_answered(&server, expected).await;
    }
    let budget = object("PodDisruptionBudget");
    assert_eq!(budget["spec"]["maxUnavailable"], 1);
    assert_eq!(budget["spec"]["selector"], deployment["spec"]["selector"]);
}

async fn assert_is_answered(client: &Client, path: &str) {
    assert_eq!(client.get(path).await.status, 200, "{path}");
}

async fn the_services_of_kubernetes_select_pods() {
    let objects = objects();
    let workloads: Vec<&Value> = objects
        .iter()
        .filter(|object| ["Deployment", "StatefulSet"].contains(&string(&object["kind"])))
        .collect();
    for workload in &workloads {
        let labels = &workload["spec"]["template"]["metadata"]["labels"];
        assert_eq!(&workload["spec"]["selector"]["matchLabels"], labels);
    }
    let services = objects_of("Service");
    assert_eq!((services.len(), workloads.len()), (3, 3));
    for service in &services {
        let selector = &service["spec"]["selector"];
        let workload = workloads
            .iter()
            .find(|it| &it["spec"]["template"]["metadata"]["labels"] == selector)
            .unwrap_or_else(|| panic!("{selector} selects nothing"));
        let target = &service["spec"]["ports"][0]["targetPort"];
        let ports = items(&workload["spec"]["template"]["spec"]["containers"][0]["ports"]);
        assert!(ports.iter().any(|port| &port["name"] == target), "{target}");
        assert_eq!(service["metadata"]["name"], workload["metadata"]["name"]);
    }
    let settings = kubernetes_settings(false);
    let port_of = |name: &str| {
        let service = services.iter().find(|service| service["metadata"]["name"] == name).unwrap();
        service["spec"]["ports"][0]["port"].clone()
    };
    for (url, name) in
        [(&settings.cluster.url, "valkey-fast"), (&settings.cluster.jobs_url, "valkey-jobs")]
    {
        assert_eq!(url, &format!("redis://{name}:{}", port_of(name)));
    }
    let policy = object("NetworkPolicy");
    assert_eq!(
        policy["spec"]["podSelector"]["matchExpressions"][0]["values"],
        json!(["valkey-fast", "valkey-jobs"])
    );
    let allowed = &policy["spec"]["ingress"][0]["from"][0]["podSelector"];
    assert_eq!(allowed, &object("Deployment")["spec"]["selector"]);
}

/// The options of a command line of Valkey.
fn valkey_options(words: &[String]) -> BTreeMap<String, String> {
    assert_eq!(words[0], "valkey-server");
    let options = words[1..].chunks(2).map(|option| {
        let name = option[0].strip_prefix("--").unwrap_or_else(|| panic!("{option:?}"));
        (name.to_owned(), option[1].trim_matches('"').to_owned())
    });
    options.collect()
}

async fn the_valkey_servers_keep_what_they_must() {
    let compose = compose();
    let compose_jobs = compose_settings(&compose).jobs;
    let kubernetes_jobs = kubernetes_settings(false).jobs;
    for (role, max_mb) in [("fast", 0), ("jobs", compose_jobs.max_mb)] {
        let service = &compose["services"][role];
        let words: Vec<String> =
            string(&service["command"]).split_whitespace().map(str::to_owned).collect();
        let limit = amount(string(&service["mem_limit"]), "m");
        assert_fits_role(role, &valkey_options(&words), limit, max_mb);
    }
    assert_eq!(compose["services"]["jobs"]["volumes"], json!(["jobs:/data"]));

    let servers = objects_of("StatefulSet");
    for (role, max_mb) in [("fast", 0), ("jobs", kubernetes_jobs.max_mb)] {
        let name = format!("valkey-{role}");
        let server = servers.iter().find(|it| it["metadata"]["name"] == name.as_str()).unwrap();
        let container = &server["spec"]["template"]["spec"]["containers"][0];
        let words: Vec<String> = items(&container["args"]).iter().map(scalar_text).collect();
        let limit = amount(string(&container["resources"]["limits"]["memory"]), "Mi");
        assert_fits_role(role, &valkey_options(&words), limit, max_mb);
        let mounts = &container["volumeMounts"];
        assert_eq!(mounts, &json!([{ "name": "data", "mountPath": "/data" }]), "{name}");
        assert_eq!(server["spec"]["replicas"], 1, "{name}");
        let claim = &server["spec"]["volumeClaimTemplates"][0]["metadata"]["name"];
        assert_eq!(claim == "data", role == "jobs", "only jobs need a disk");
    }
}

/// Asserts that the options of a server fit its role and its container. `max_mb`: of all jobs.
fn assert_fits_role(role: &str, options: &BTreeMap<String, String>, limit: u64, max_mb: u64) {
    let option = |name: &str| options.get(name).map_or("", String::as_str);
    let (durability, eviction) = match role {
        "jobs" => (["yes", "always"], "noeviction"),
        _ => (["no", ""], "allkeys-lfu"),
    };
    assert_eq!([option("appendonly"), option("appendfsync")], durability, "{role}");
    assert_eq!(option("maxmemory-policy"), eviction, "{role}");
    assert_eq!(options.get("save").map(String::as_str), Some(""), "{role}");
    let memory = option("maxmemory");
    let memory =
        if memory.ends_with("gb") { 1_024 * amount(memory, "gb") } else { amount(memory, "mb") };
    assert!(memory >= 4 * max_mb, "{role}");
    // Rewriting the file of the jobs may copy all of the memory.
    let needed = if role == "jobs" { 2 * memory } else { memory };
    assert!(5 * limit >= 6 * needed, "{role}: {limit} MB for {needed} MB");
}

async fn keda_scales_by_the_workers_that_clients_need() {
    let component = yaml(&format!("{KUBERNETES}/keda/kustomization.yaml"));
    assert_eq!(component["kind"], "Component");
    let deployment = object("Deployment");
    let patch = &component["patches"][0];
    assert_eq!(patch["target"]["name"], deployment["metadata"]["name"]);
    let operations: Value = yaml_serde::from_str(string(&patch["patch"])).unwrap();
    assert_eq!(operations, json!([{ "op": "remove", "path": "/spec/replicas" }]));

    assert_eq!(component["resources"], json!(["scaled-object.yaml"]));
    let scaled = &documents("keda/scaled-object.yaml")[0];
    assert_eq!(scaled["spec"]["scaleTargetRef"]["name"], deployment["metadata"]["name"]);
    assert_eq!(scaled["spec"]["minReplicaCount"], deployment["spec"]["replicas"]);
    // KEDA starts as many nodes as the value of the query divided by the threshold, rounded up.
    let trigger = &scaled["spec"]["triggers"][0];
    assert_eq!(
        (&trigger["type"], &trigger["metricType"]),
        (&json!("prometheus"), &json!("AverageValue"))
    );
    let query = string(&trigger["metadata"]["query"]);
    assert_eq!(query, "sum(kibitzer_demand_workers)");
    check_queries(&metrics_page().await, &[query.to_owned()]);
    let workers = kubernetes_settings(false).search.workers;
    assert_eq!(trigger["metadata"]["threshold"], workers.to_string());
}
