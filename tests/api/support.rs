//! What the claims stand on.

pub(crate) mod client;
pub(crate) mod contract;
pub(crate) mod coverage;
pub(crate) mod exposition;
pub(crate) mod live_board;
pub(crate) mod log;
pub(crate) mod server;
pub(crate) mod server_process;
pub(crate) mod stream;

use std::future::Future;

use libtest_mimic::Trial;

pub(crate) use client::{Client, TestResponse};
pub(crate) use live_board::LiveBoard;
pub(crate) use server::Server;
pub(crate) use stream::Stream;

/// The start position.
pub(crate) const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A claim about the service, on a runtime of its own.
pub(crate) fn claim<F: Future<Output = ()>>(
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

/// The claims of a module, by their functions' names.
#[macro_export]
macro_rules! claims {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn claims() -> Vec<libtest_mimic::Trial> {
            vec![$($crate::support::claim(concat!(module_path!(), "::", stringify!($name)), $name)),*]
        }
    };
}
