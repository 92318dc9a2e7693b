//! The timer of a connection for the heads of its requests.
//!
//! Hyper creates a sleep before each request and drops it when the head has arrived. With tokio's
//! timer each sleep would enter the timer wheel and leave it again, under a lock, and nearly none
//! fires. So a connection keeps one tokio sleep. It fires at the first deadline, checks the current
//! one, and sleeps again. docs/decisions/header-timer.md has the measurement.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

/// The timer of one connection. It serves one deadline at a time.
#[derive(Clone)]
pub(super) struct HeaderTimer(Arc<Mutex<Pin<Box<tokio::time::Sleep>>>>);

impl HeaderTimer {
    /// A timer whose sleep first fires after `first`.
    pub(super) fn new(first: Duration) -> HeaderTimer {
        HeaderTimer(Arc::new(Mutex::new(Box::pin(tokio::time::sleep(first)))))
    }
}

impl Timer for HeaderTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(TimerSleep { deadline: deadline.into(), timer: self.clone() })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

/// A sleep that resolves at its deadline.
struct TimerSleep {
    deadline: tokio::time::Instant,
    timer: HeaderTimer,
}

impl Sleep for TimerSleep {}

impl Future for TimerSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut sleep = self.timer.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sleep.deadline() > self.deadline {
            sleep.as_mut().reset(self.deadline);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= self.deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(self.deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    async fn fires_after(timer: &HeaderTimer, after: Duration) -> Duration {
        let set = timer.now();
        timer.sleep(after).await;
        timer.now() - set
    }

    #[tokio::test(start_paused = true)]
    async fn each_deadline_fires_whatever_was_set_before() {
        let timer = HeaderTimer::new(TIME);
        for after in [TIME, TIME / 2, 3 * TIME, TIME] {
            assert_eq!(fires_after(&timer, after).await.as_secs(), after.as_secs());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_deadline_does_not_fire() {
        let timer = HeaderTimer::new(TIME);
        let dropped = tokio::time::timeout(TIME / 2, timer.sleep(TIME)).await;
        assert!(dropped.is_err());
        assert_eq!(
            fires_after(&timer, TIME).await.as_secs(),
            TIME.as_secs(),
            "not at the dropped deadline"
        );
    }
}
