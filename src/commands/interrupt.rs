//! Ctrl-C, and readers that leave.

use std::io;
use std::process::ExitCode;

use tokio::sync::watch;

use super::BoxError;

/// The exit code of a command that Ctrl-C has ended, as of a shell.
pub(super) const INTERRUPTED: u8 = 130;

/// A listener for Ctrl-C, from its creation on.
pub(super) struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Listens in a task of the runtime.
    pub(super) fn listen() -> Interrupt {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            match tokio::signal::ctrl_c().await {
                Ok(()) => {
                    sender.send_replace(true);
                    // A second one does not wait for the end of the work.
                    if tokio::signal::ctrl_c().await.is_ok() {
                        std::process::exit(INTERRUPTED.into());
                    }
                }
                // Without a handler the system ends the process at Ctrl-C.
                Err(_) => std::future::pending().await,
            }
        });
        Interrupt(receiver)
    }

    /// Resolves after Ctrl-C.
    pub(super) async fn pressed(&self) {
        let Interrupt(receiver) = self;
        // An error means that the task is gone, which it is only after Ctrl-C.
        let _ = receiver.clone().wait_for(|is_pressed| *is_pressed).await;
    }
}

/// Runs a command that Ctrl-C, or a reader that leaves, may end before all input is read.
pub(super) fn block_on(
    command: impl Future<Output = Result<ExitCode, BoxError>>,
) -> Result<ExitCode, BoxError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(command);
    // A thread that still reads standard input must not delay the exit.
    runtime.shutdown_background();
    allow_closed_pipe(result)
}

/// The result of a command whose reader may leave: `kibitzer review … | head` is no error.
pub(super) fn allow_closed_pipe(result: Result<ExitCode, BoxError>) -> Result<ExitCode, BoxError> {
    match result {
        Err(error) if is_closed_pipe(error.as_ref()) => Ok(ExitCode::SUCCESS),
        result => result,
    }
}

fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
