//! A bound on the HTTP/2 streams that are open at once on all connections.
//!
//! A client can open the streams of all its connections with a few packets. Each of them takes some
//! kilobytes until the server has refused it. So while too many are open, the server reads nothing
//! from HTTP/2 connections. Admitted requests alone never close the gate, because their own memory
//! bounds their number. The others are refused without a body, so that no closed flow-control
//! window keeps them open. Thus the gate opens again at once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// The count of the open streams of all connections.
#[derive(Debug)]
pub(super) struct StreamGate {
    open_streams: AtomicUsize,
    /// With so many open streams the gate closes.
    max: usize,
    is_closed: AtomicBool,
    reopened: Arc<Notify>,
}

impl StreamGate {
    /// A gate for so many open streams. One read of each runtime thread may exceed it.
    pub(super) fn new(max: usize) -> Arc<StreamGate> {
        let (open_streams, is_closed) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(StreamGate { open_streams, max, is_closed, reopened: Arc::default() })
    }

    /// The number of open streams at which a closed gate opens again. The distance keeps the
    /// waiting connections from waking for each single stream.
    fn low_water(&self) -> usize {
        self.max - self.max.div_ceil(8)
    }

    /// Counts a stream until the guard is dropped.
    pub(super) fn enter(self: &Arc<Self>) -> CountedStream {
        if self.open_streams.fetch_add(1, Ordering::SeqCst) + 1 >= self.max {
            self.close();
        }
        CountedStream(self.clone())
    }

    /// Closes the gate, unless enough streams have ended since it was full.
    fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.open_at(self.open_streams.load(Ordering::SeqCst));
    }

    /// Opens a closed gate if few enough streams are left.
    fn open_at(&self, open_streams: usize) {
        if open_streams <= self.low_water() && self.is_closed.swap(false, Ordering::SeqCst) {
            self.reopened.notify_waiters();
        }
    }
}

/// An open stream, counted until it is dropped.
#[derive(Debug)]
pub(super) struct CountedStream(Arc<StreamGate>);

impl Drop for CountedStream {
    fn drop(&mut self) {
        let left = self.0.open_streams.fetch_sub(1, Ordering::SeqCst) - 1;
        self.0.open_at(left);
    }
}

/// The wait of one connection at the gate.
#[derive(Debug)]
pub(super) struct GateWait {
    gate: Arc<StreamGate>,
    waiting: Option<Pin<Box<OwnedNotified>>>,
}

impl GateWait {
    /// A connection that does not wait yet.
    pub(super) fn new(gate: Arc<StreamGate>) -> GateWait {
        GateWait { gate, waiting: None }
    }

    /// Resolves while the gate is open.
    pub(super) fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.gate.is_closed.load(Ordering::SeqCst) {
            let reopened = &self.gate.reopened;
            let waiting =
                self.waiting.get_or_insert_with(|| Box::pin(reopened.clone().notified_owned()));
            let woken = waiting.as_mut().poll(context);
            // The gate may have opened before the wait was registered.
            if woken.is_pending() && !self.gate.is_closed.load(Ordering::SeqCst) {
                break;
            }
            ready!(woken);
            self.waiting = None;
        }
        self.waiting = None;
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_full_gate_opens_again_at_its_low_water() {
        let gate = StreamGate::new(16);
        let mut wait = GateWait::new(gate.clone());
        let mut streams: Vec<_> = (0..15).map(|_| gate.enter()).collect();
        assert!(poll_fn(|context| wait.poll_open(context)).now_or_never().is_some());
        streams.push(gate.enter());
        let mut opened = tokio::spawn(async move {
            poll_fn(|context| wait.poll_open(context)).await;
        });
        streams.pop();
        tokio::task::yield_now().await;
        assert!((&mut opened).now_or_never().is_none(), "15 are too many for a closed gate");
        streams.pop();
        opened.await.unwrap();
    }

    #[tokio::test]
    async fn a_gate_opens_for_all_connections_that_wait() {
        let gate = StreamGate::new(8);
        for _ in 0..100 {
            let streams: Vec<_> = (0..8).map(|_| gate.enter()).collect();
            let waits: Vec<_> = (0..10)
                .map(|_| {
                    let mut wait = GateWait::new(gate.clone());
                    tokio::spawn(async move { poll_fn(|context| wait.poll_open(context)).await })
                })
                .collect();
            tokio::task::yield_now().await;
            drop(streams);
            for wait in waits {
                wait.await.unwrap();
            }
        }
    }

    #[test]
    fn a_gate_whose_streams_ended_before_it_was_closed_is_open() {
        let gate = StreamGate::new(8);
        let streams: Vec<_> = (0..7).map(|_| gate.enter()).collect();
        drop(streams);
        gate.close();
        assert!(!gate.is_closed.load(Ordering::SeqCst));
    }
}
