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
mod batch;
mod best_move;
mod command_line;
mod connections;
mod contract;
mod evaluate;
mod examples;
mod explore;
mod games;
mod gate;
mod http_2;
mod idle;
mod live;
mod memory;
mod metrics;
mod monitoring;
mod panics;
mod positions;
mod probes;
mod requests;
mod sharing;
mod shutdown;
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
        gate::claims(),
        http_2::claims(),
        idle::claims(),
        live::claims(),
        memory::claims(),
        metrics::claims(),
        monitoring::claims(),
        panics::claims(),
        positions::claims(),
        probes::claims(),
        requests::claims(),
        sharing::claims(),
        shutdown::claims(),
        store::claims(),
        traces::claims(),
    ];
    let asked = libtest_mimic::run(&arguments, claims.into_iter().flatten().collect());
    let is_everything = arguments.filter.is_none()
        && arguments.skip.is_empty()
        && !arguments.list
        && !arguments.ignored;
    let conclusion = if asked.has_failed() || !is_everything {
        asked
    } else {
        libtest_mimic::run(&arguments, support::coverage::claims())
    };
    drop(log);
    conclusion.exit_code()
}
