//! Several nodes as one service: real nodes and a real server of the Redis protocol.
//!
//! `make test-cluster` runs it with each server. `REDIS_SERVER` is the program of the server, by
//! default `redis-server`. Each test has a server and nodes of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod acl;
mod adjacent_versions;
#[path = "../support/authority.rs"]
mod authority;
mod cache;
mod client;
mod cut_off;
mod failures;
mod far_away;
mod findings;
#[path = "../support/full_run.rs"]
mod full_run;
mod job_book;
mod jobs;
mod jobs_outage;
mod kills;
mod leasing;
mod lending;
mod limits;
mod lines;
mod many_jobs;
mod membership;
mod mixed;
mod node;
mod old_server;
mod partition;
mod proxy;
mod redis_server;
mod sentinel;
#[path = "../support/serve.rs"]
mod serve;
mod sessions;
mod start;
mod tls;
mod wait;
