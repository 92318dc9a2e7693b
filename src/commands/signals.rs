//! The signals that end the process: SIGTERM and SIGINT.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// A signal that ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndSignal {
    /// SIGINT, which Ctrl-C sends.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl EndSignal {
    /// The exit code of a process that the signal has ended: 128 and the number of the signal, as
    /// in a shell.
    pub(super) const fn code(self) -> u8 {
        match self {
            EndSignal::Interrupt => 130,
            EndSignal::Terminate => 143,
        }
    }

    /// The same as the result of a command.
    pub(super) fn exit_code(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

impl fmt::Display for EndSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndSignal::Interrupt => "SIGINT",
            EndSignal::Terminate => "SIGTERM",
        })
    }
}

/// A listener for these signals.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    /// Installs the signal handlers. Earlier signals have their default effect.
    pub(super) fn listen() -> io::Result<Signals> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Signals {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Signals {})
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> EndSignal {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => EndSignal::Terminate,
            _ = self.interrupt.recv() => EndSignal::Interrupt,
        }
        #[cfg(not(unix))]
        {
            if let Err(error) = tokio::signal::ctrl_c().await {
                tracing::error!(error = error.to_string(), "cannot wait for Ctrl-C");
                std::future::pending::<()>().await;
            }
            EndSignal::Interrupt
        }
    }
}
