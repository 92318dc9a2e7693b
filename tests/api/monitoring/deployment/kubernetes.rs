//! Kubernetes with Kustomize: config/kubernetes.

use std::collections::{BTreeMap, BTreeSet};

use kibitzer::config::Settings;
use serde_json::{Value, json};

use super::{amount, assert_fits_role, assert_has_memory, assert_is_pinned, items, load};
use super::{scalar_text, string, strings, valkey_options};
use crate::monitoring::{check_queries, metrics_page, path, text, yaml};
use crate::support::Server;

crate::trials![
    kustomize_finds_every_file,
    the_deployment_fits_the_settings,
    the_containers_have_no_privileges,
    the_deployment_replaces_nodes_without_a_gap,
    the_services_select_pods,
    the_valkey_servers_fit_their_roles,
    keda_scales_by_the_workers_that_clients_need,
];

const FOLDER: &str = "config/kubernetes";

/// The documents of a file of config/kubernetes.
fn documents(name: &str) -> Vec<Value> {
    let read = |text: &str| yaml_serde::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    text(&format!("{FOLDER}/{name}")).split("\n---\n").map(read).collect()
}

/// All objects of the kustomization, without those of the component for KEDA.
fn objects() -> Vec<Value> {
    let kustomization = yaml(&format!("{FOLDER}/kustomization.yaml"));
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
    let content = text(&format!("{FOLDER}/{name}"));
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

fn settings(commented: bool) -> Settings {
    let node = ("KIBITZER__CLUSTER__NODE".to_owned(), "kibitzer-5d9c7b6f4-x2x8z".to_owned());
    let of_files = ["settings.env", "cluster.env"].map(|name| variables(name, commented));
    load(of_files.into_iter().flatten().chain([node]))
}

async fn kustomize_finds_every_file() {
    let kustomization = yaml(&format!("{FOLDER}/kustomization.yaml"));
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
    let entries = std::fs::read_dir(path(FOLDER)).unwrap();
    let found: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, named.iter().map(|&name| name.to_owned()).collect());

    // The component for KEDA is switched on by removing the signs of a comment.
    let text = text(&format!("{FOLDER}/kustomization.yaml"));
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
    // The settings that are comments are valid, too.
    settings(true);
    let settings = settings(false);
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
    let user = &pod["securityContext"]["runAsUser"];
    assert!(text("Dockerfile").contains(&format!("\nUSER {user}:{user}\n")));

    let resources = &container["resources"];
    assert_eq!(resources["requests"]["cpu"], settings.search.workers.to_string());
    let limit = amount(string(&resources["limits"]["memory"]), "Mi");
    assert_has_memory(limit, &settings);
    assert_eq!(resources["requests"]["memory"], resources["limits"]["memory"]);
}

async fn the_containers_have_no_privileges() {
    let workloads = objects_of("Deployment").into_iter().chain(objects_of("StatefulSet"));
    for workload in workloads {
        let pod = &workload["spec"]["template"]["spec"];
        assert_eq!(pod["automountServiceAccountToken"], false);
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        assert_eq!(
            pod["containers"][0]["securityContext"],
            json!({
                "allowPrivilegeEscalation": false,
                "readOnlyRootFilesystem": true,
                "capabilities": { "drop": ["ALL"] },
            })
        );
    }
}

async fn the_deployment_replaces_nodes_without_a_gap() {
    let settings = settings(false);
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
        assert_eq!(server.get(expected).await.status, 200, "{expected}");
    }
    let budget = object("PodDisruptionBudget");
    assert_eq!(budget["spec"]["maxUnavailable"], 1);
    assert_eq!(budget["spec"]["selector"], deployment["spec"]["selector"]);
}

async fn the_services_select_pods() {
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
    let settings = settings(false);
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

async fn the_valkey_servers_fit_their_roles() {
    let max_mb = settings(false).jobs.max_mb;
    let servers = objects_of("StatefulSet");
    for role in ["fast", "jobs"] {
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

async fn keda_scales_by_the_workers_that_clients_need() {
    let component = yaml(&format!("{FOLDER}/keda/kustomization.yaml"));
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
    let workers = settings(false).search.workers;
    assert_eq!(trigger["metadata"]["threshold"], workers.to_string());
}
