//! Support for the API tests: servers, clients and readers of their output.

pub(crate) mod client;
pub(crate) mod contract;
pub(crate) mod coverage;
pub(crate) mod exposition;
pub(crate) mod http2_client;
pub(crate) mod live_board;
pub(crate) mod log;
#[path = "../support/rss.rs"]
pub(crate) mod rss;
#[path = "../support/serve.rs"]
pub(crate) mod serve;
pub(crate) mod server;
pub(crate) mod server_process;
#[path = "../support/sse.rs"]
pub(crate) mod sse;
pub(crate) mod stream;
#[cfg(unix)]
pub(crate) mod terminal;

use std::future::Future;

use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) use client::{Client, TestResponse};
pub(crate) use live_board::LiveBoard;
pub(crate) use server::Server;
pub(crate) use stream::Stream;

/// The start position.
pub(crate) const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Lichess's win chance in percent at a score that is no checkmate.
pub(crate) fn win_chance(score: &Value) -> f64 {
    let value = score["value"].as_f64().expect("a number");
    let centipawns = match score["type"].as_str() {
        Some("mate") => 1_000.0 * value.signum(),
        _ => value.clamp(-1_000.0, 1_000.0),
    };
    100.0 / (1.0 + (-0.003_682_08 * centipawns).exp())
}

/// Asserts that each line of an analysis has the win chance of its score.
pub(crate) fn assert_win_chances(lines: &Value) {
    for line in lines.as_array().expect("lines") {
        let (found, expected) = (line["win_chance"].as_f64(), win_chance(&line["score"]));
        assert!(found.is_some_and(|found| (found - expected).abs() < 0.006), "{line}");
    }
}

/// A test on its own runtime.
pub(crate) fn trial<F: Future<Output = ()>>(
    name: &str,
    check: impl FnOnce() -> F + Send + 'static,
) -> Trial {
    Trial::test(name, move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(check());
        runtime.shutdown_background();
        Ok(())
    })
}

/// Defines `trials()`, the tests of a module, from the names of their functions.
#[macro_export]
macro_rules! trials {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn trials() -> Vec<libtest_mimic::Trial> {
            vec![$(
                $crate::support::trial(concat!(module_path!(), "::", stringify!($name)), $name)
            ),*]
        }
    };
}
