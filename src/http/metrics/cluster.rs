//! The metrics of a node in a cluster.

use std::fmt;

use super::family_writer::FamilyWriter;
use crate::analysis::ClusterStatus;

/// Writes the metrics of the cluster as this node sees it.
pub(super) fn write(status: &ClusterStatus, writer: &mut FamilyWriter<'_>) -> fmt::Result {
    let ClusterStatus {
        nodes,
        workers,
        free_workers,
        is_unreachable,
        cache,
        lent_searches,
        helped_searches,
        watched_searches,
    } = *status;
    writer.gauge(
        "kibitzer_cluster_unreachable",
        "1 while the cluster's server cannot be reached and the node works alone.",
        u64::from(is_unreachable),
    )?;
    writer.gauge(
        "kibitzer_cluster_nodes",
        "Nodes that share searches and analyses with this one, itself included.",
        nodes,
    )?;
    writer.gauge("kibitzer_cluster_workers", "Workers of these nodes.", workers)?;
    writer.gauge(
        "kibitzer_cluster_workers_free",
        "Workers of these nodes without a search.",
        free_workers,
    )?;
    writer.counters(
        "kibitzer_cluster_cache_reads_total",
        "Reads of the shared evaluation cache, by outcome.",
        [
            ([("outcome", "answered")], cache.reads),
            ([("outcome", "late")], cache.late_reads),
            ([("outcome", "skipped")], cache.skipped_reads),
        ],
    )?;
    writer.counters(
        "kibitzer_cluster_cache_writes_total",
        "Analyses for the shared evaluation cache, by outcome.",
        [
            ([("outcome", "written")], cache.writes),
            ([("outcome", "dropped")], cache.dropped_writes),
        ],
    )?;
    writer.counter(
        "kibitzer_cluster_cache_invalid_total",
        "Analyses of the shared evaluation cache that were damaged or not legal.",
        cache.invalid,
    )?;
    writer.counters(
        "kibitzer_cluster_searches_total",
        "Searches of this node that others run, of others that it runs, and of others that it \
         watches.",
        [
            ([("role", "lent")], lent_searches),
            ([("role", "helped")], helped_searches),
            ([("role", "watched")], watched_searches),
        ],
    )
}
