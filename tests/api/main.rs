//! The service from outside: a real server on a port of its own, asked over HTTP.
//!
//! First come all claims, then, when all of them were asked, one more: that every answer which
//! openapi.yaml documents was seen.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::print_stderr, reason = "where else should a failed test say what it saw")]

mod analysis;
mod auth_rate_limit;
mod batch;
mod best_move;
mod command_line;
mod connections;
mod contract;
mod evaluate;
mod evaluation_cache;
mod examples;
mod explore;
mod games;
mod http_2;
mod live;
mod metrics;
mod monitoring;
mod panics;
mod positions;
mod probes;
mod requests;
mod shared_searches;
mod shutdown;
mod speculation;
mod store;
mod support;
mod traces;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let log = support::log::start();
    let claims = [
        analysis::claims(),
        batch::claims(),
        best_move::claims(),
        command_line::claims(),
        connections::claims(),
        contract::claims(),
        evaluate::claims(),
        examples::claims(),
        explore::claims(),
        games::claims(),
        auth_rate_limit::claims(),
        http_2::claims(),
        speculation::claims(),
        live::claims(),
        evaluation_cache::claims(),
        metrics::claims(),
        monitoring::claims(),
        panics::claims(),
        positions::claims(),
        probes::claims(),
        requests::claims(),
        shared_searches::claims(),
        shutdown::claims(),
        store::claims(),
        traces::claims(),
    ];
    let results = libtest_mimic::run(&arguments, claims.into_iter().flatten().collect());
    let is_everything = arguments.filter.is_none()
        && arguments.skip.is_empty()
        && !arguments.list
        && !arguments.ignored;
    let conclusion = if results.has_failed() || !is_everything {
        results
    } else {
        libtest_mimic::run(&arguments, support::coverage::claims())
    };
    drop(log);
    conclusion.exit_code()
}
