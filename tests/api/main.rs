//! The HTTP API: tests send requests to real servers on their own ports.
//!
//! If no test is filtered out, a last test checks that the others received every response that
//! openapi.yaml documents.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::print_stderr, reason = "a failed test prints what it saw")]

mod analysis;
mod auth_rate_limit;
mod batch;
mod best_move;
mod board;
mod command_line;
mod commands;
mod compat;
mod connections;
mod contract;
mod evaluate;
mod evaluation_cache;
mod examples;
mod explore;
mod games;
mod http_2;
mod judgement;
mod live;
mod mcp;
mod metrics;
mod monitoring;
mod panics;
mod pictures;
mod positions;
mod probes;
mod queries;
mod requests;
mod required_keys;
mod shared_searches;
mod shutdown;
mod speculation;
mod store;
mod support;
mod tablebase;
mod traces;
mod unknown_names;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let log = support::log::start();
    let trials = [
        analysis::trials(),
        batch::trials(),
        batch::lifecycle::trials(),
        best_move::trials(),
        board::trials(),
        command_line::trials(),
        commands::pipes::trials(),
        commands::reviews::trials(),
        commands::screen_trials(),
        compat::trials(),
        compat::errors::trials(),
        compat::socket::trials(),
        connections::trials(),
        contract::trials(),
        evaluate::trials(),
        examples::trials(),
        explore::trials(),
        games::trials(),
        auth_rate_limit::trials(),
        http_2::trials(),
        judgement::trials(),
        speculation::trials(),
        live::trials(),
        live::access::trials(),
        live::protocol::trials(),
        mcp::trials(),
        mcp::fuzz::trials(),
        mcp::stdio::trials(),
        evaluation_cache::trials(),
        metrics::trials(),
        monitoring::trials(),
        monitoring::deployment::compose::trials(),
        monitoring::deployment::kubernetes::trials(),
        panics::trials(),
        pictures::trials(),
        positions::trials(),
        probes::trials(),
        queries::trials(),
        requests::trials(),
        required_keys::trials(),
        shared_searches::trials(),
        shutdown::trials(),
        store::trials(),
        tablebase::trials(),
        traces::trials(),
        unknown_names::trials(),
    ];
    let results = libtest_mimic::run(&arguments, trials.into_iter().flatten().collect());
    let is_everything = arguments.filter.is_none()
        && arguments.skip.is_empty()
        && !arguments.list
        && !arguments.ignored;
    let conclusion = if results.has_failed() || !is_everything {
        results
    } else {
        libtest_mimic::run(&arguments, support::coverage::trials())
    };
    drop(log);
    conclusion.exit_code()
}
