//! Signals that interrupt a command, and readers that leave.

use std::io;
use std::process::ExitCode;

use tokio::sync::watch;

use super::BoxError;
use super::signals::{EndSignal, Signals};

/// A listener for the first signal, from its creation on. The second one ends the process.
pub(super) struct Interrupt(watch::Receiver<Option<EndSignal>>);

impl Interrupt {
    /// Listens in a task of the runtime.
    ///
    /// # Errors
    /// The system takes no signal handler.
    pub(super) fn listen() -> io::Result<Interrupt> {
        let (sender, receiver) = watch::channel(None);
        let mut signals = Signals::listen()?;
        tokio::spawn(async move {
            sender.send_replace(Some(signals.next().await));
            // A second one does not wait for the end of the work.
            std::process::exit(signals.next().await.code().into());
        });
        Ok(Interrupt(receiver))
    }

    /// Resolves after the signal.
    pub(super) async fn received(&self) -> EndSignal {
        let Interrupt(receiver) = self;
        let received = receiver.clone().wait_for(Option::is_some).await.map(|signal| *signal);
        // The task ends only with the runtime.
        received.ok().flatten().unwrap_or(EndSignal::Interrupt)
    }
}

/// Runs a command that a signal, or a reader that leaves, may end before all input is read.
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
