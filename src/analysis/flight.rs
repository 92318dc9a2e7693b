//! Searches in flight: equal questions share one search, and who leaves last ends it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dashmap::{DashMap, Entry};
use tokio::sync::watch;
use tracing::{Id, Span};

use super::AnalysisError;
use super::SearchCounts;
use super::address::Address;
use super::answer::Reason;
use super::queue::{Class, Comer, Job, Place, Queue};
use super::tally::{NodesCounted, Running, Tally};
use crate::engine::{Limits, Report, Scope, StopFlag, StopReason};

/// What makes two questions equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FlightKey {
    pub(super) address: Address,
    pub(super) limits: Limits,
    pub(super) scope: Scope,
    /// `fresh` joins only `fresh`.
    pub(super) fresh: bool,
}

/// What a search brought home.
#[derive(Clone, Debug)]
pub(super) struct Landed {
    pub(super) report: Arc<Report>,
    pub(super) reason: Reason,
    pub(super) started: Instant,
    pub(super) ended: Instant,
}

type Outcome = Result<Landed, AnalysisError>;

/// How far a search is.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// When it began; `None` while it waits for a worker.
    pub(super) begun: Option<Instant>,
    /// The last iteration that it has finished.
    pub(super) latest: Option<Arc<Report>>,
}

/// One search, from its place in the queue to its end.
#[derive(Debug)]
pub(super) struct Flight {
    stop: StopFlag,
    for_shutdown: AtomicBool,
    /// Once it fell to zero it never rises again: nobody joins a search that was told to stop.
    listeners: AtomicUsize,
    place: Mutex<Option<Place>>,
    progress: watch::Sender<Progress>,
    outcome: watch::Sender<Option<Outcome>>,
    counted: NodesCounted,
    /// The request that launched it. Whoever can join it finds that span open: the job holds it.
    launcher: Option<Id>,
}

impl Flight {
    fn with_one_listener() -> Flight {
        Flight {
            stop: StopFlag::default(),
            for_shutdown: AtomicBool::new(false),
            listeners: AtomicUsize::new(1),
            place: Mutex::new(None),
            progress: watch::Sender::default(),
            outcome: watch::Sender::new(None),
            counted: NodesCounted::default(),
            launcher: Span::current().id(),
        }
    }

    /// The flag for the search.
    pub(super) fn stop_flag(&self) -> &StopFlag {
        &self.stop
    }

    /// `true` once the last listener has left.
    pub(super) fn is_abandoned(&self) -> bool {
        self.listeners.load(Ordering::Acquire) == 0
    }

    /// Says that the search has finished an iteration.
    pub(super) fn note(&self, report: &Report) {
        self.progress.send_modify(|progress| progress.latest = Some(Arc::new(report.clone())));
    }

    /// Why the search ended, as its listeners are told.
    pub(super) fn reason(&self, report: &Report) -> Reason {
        match report.reason {
            StopReason::Stopped if self.for_shutdown.load(Ordering::Acquire) => Reason::Shutdown,
            reason => reason.into(),
        }
    }

    /// `true` once it has come to its end.
    fn has_landed(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    async fn landed(&self) -> Outcome {
        let mut outcome = self.outcome.subscribe();
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome
                .clone()
                .unwrap_or(Err(AnalysisError::Internal("a search without an outcome"))),
            Err(_) => Err(AnalysisError::Internal("a search without an end")),
        }
    }

    fn place(&self) -> MutexGuard<'_, Option<Place>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&self) -> bool {
        let one_more = |listeners: usize| (listeners > 0).then_some(listeners + 1);
        self.listeners.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).is_ok()
    }

    /// `true` for the last one.
    fn leave(&self) -> bool {
        self.listeners.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// All searches that run or wait for their turn.
#[derive(Clone, Default)]
pub(super) struct Flights {
    aloft: Arc<DashMap<Arc<FlightKey>, Arc<Flight>>>,
    tally: Tally,
}

/// A listener's hold on a flight. Dropping it is leaving.
pub(super) struct Seat {
    key: Arc<FlightKey>,
    flight: Arc<Flight>,
    flights: Flights,
    queue: Arc<Queue>,
    /// Another request had started the search.
    pub(super) shared: bool,
    left: bool,
}

/// The search's side of a flight. If it is dropped before it has landed, the listeners hear of an
/// internal error.
pub(super) struct Crew {
    key: Arc<FlightKey>,
    pub(super) flight: Arc<Flight>,
    flights: Flights,
    running: Option<Running>,
}

impl Flights {
    /// Joins the flight with this key, or launches one by a job that the queue takes; nobody can
    /// join before it has taken it. Who joins one that waits in a slower lane than his own takes it
    /// along into his. `answered` has the last word before a launch: an answer that came in the
    /// meantime.
    pub(super) fn board<A>(
        &self,
        key: Arc<FlightKey>,
        queue: &Arc<Queue>,
        comer: Comer,
        answered: impl FnOnce() -> Option<A>,
        job: impl FnOnce(Crew) -> Job,
    ) -> Result<Boarding<A>, AnalysisError> {
        let seat = |key, flight, shared| Seat {
            key,
            flight,
            flights: self.clone(),
            queue: queue.clone(),
            shared,
            left: false,
        };
        let entry = self.aloft.entry(key.clone());
        if let Entry::Occupied(there) = &entry
            && there.get().join()
        {
            let flight = there.get().clone();
            let mut place = flight.place();
            *place = place.map(|place| queue.hasten(place, comer.class, &comer.client));
            drop(place);
            self.tally.share();
            Span::current().follows_from(flight.launcher.clone());
            tracing::debug!("joined a search that is under way");
            return Ok(Boarding::Seat(seat(key, flight, true)));
        }
        if let Some(answer) = answered() {
            return Ok(Boarding::Answered(answer));
        }
        let flight = Arc::new(Flight::with_one_listener());
        let crew = || Crew {
            key: key.clone(),
            flight: flight.clone(),
            flights: self.clone(),
            running: None,
        };
        let (place, crowded_out) = queue.push(comer, || job(crew()))?;
        *flight.place() = Some(place);
        // A flight that was abandoned a moment ago may still stand here; its leaver looks whose it
        // is before it removes it.
        drop(entry.insert(flight.clone()));
        // Only now: what ends takes its flight out of the map.
        crowded_out.dismiss();
        Ok(Boarding::Seat(seat(key, flight, false)))
    }

    /// Tells all searches to stop and to answer with what they have.
    pub(super) fn stop_all(&self) {
        for flight in self.aloft.iter() {
            flight.for_shutdown.store(true, Ordering::Release);
            flight.stop.stop();
        }
    }

    /// Where searches are counted.
    pub(super) fn tally(&self) -> Tally {
        self.tally.clone()
    }

    /// What was searched so far.
    pub(super) fn counts(&self) -> SearchCounts {
        self.aloft
            .iter()
            .for_each(|flight| self.tally.count_nodes(&flight.counted, flight.stop.nodes()));
        self.tally.counts()
    }

    #[cfg(test)]
    pub(super) fn listeners(&self) -> usize {
        self.aloft.iter().map(|flight| flight.listeners.load(Ordering::Acquire)).sum()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.aloft.len()
    }

    fn remove(&self, key: &FlightKey, flight: &Arc<Flight>) {
        self.aloft.remove_if(key, |_, there| Arc::ptr_eq(there, flight));
    }
}

/// How boarding went.
pub(super) enum Boarding<A> {
    Answered(A),
    Seat(Seat),
}

impl Seat {
    /// Waits for the search's end.
    pub(super) async fn landed(&self) -> Outcome {
        self.flight.landed().await
    }

    /// What is told of the search's progress.
    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.flight.progress.subscribe()
    }

    /// How many stand before the search in the queue; `None` once a worker has it.
    pub(super) fn position(&self) -> Option<usize> {
        let place = *self.flight.place();
        self.queue.position(place?)
    }

    /// Make-moves of the search so far.
    pub(super) fn nodes(&self) -> u64 {
        self.flight.stop.nodes()
    }

    /// Changes whenever somebody comes to the queue, gets his turn or leaves.
    pub(super) fn load(&self) -> watch::Receiver<usize> {
        self.queue.load()
    }

    /// What it is told when it has waited so long and long enough.
    pub(super) fn late(&self, waited: Duration) -> AnalysisError {
        let place = *self.flight.place();
        self.queue.late(place.map_or(Class::Interactive, Place::class), waited)
    }

    /// Leaves before the end; `true` for the last one, who stops the search.
    pub(super) fn leave(&mut self) -> bool {
        if std::mem::replace(&mut self.left, true) || !self.flight.leave() {
            return false;
        }
        if !self.flight.has_landed() {
            self.flights.tally.cancel();
        }
        self.flight.stop.stop();
        self.flights.remove(&self.key, &self.flight);
        let place = *self.flight.place();
        if let Some(place) = place {
            self.queue.leave(place);
        }
        true
    }

    /// `true` once the search has its end.
    pub(super) fn has_landed(&self) -> bool {
        self.flight.outcome.borrow().is_some()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Crew {
    /// Says that a worker has taken the search up.
    pub(super) fn begin(&mut self, now: Instant) {
        self.running = Some(self.flights.tally.begin());
        self.flight.progress.send_modify(|progress| progress.begun = Some(now));
    }

    /// Ends the flight: from here on nobody joins it, and all who sit in it have their answer.
    pub(super) fn land(mut self, outcome: Outcome) {
        let nodes = outcome.as_ref().map_or(0, |landed| landed.report.nodes);
        self.settle(nodes);
        self.flight.outcome.send_replace(Some(outcome));
    }

    /// The search has ended: it counts before anybody hears of it.
    fn settle(&mut self, nodes: u64) {
        let Flights { tally, .. } = &self.flights;
        tally.count_nodes(&self.flight.counted, nodes.max(self.flight.stop.nodes()));
        drop(self.running.take());
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.settle(0);
        self.flights.remove(&self.key, &self.flight);
        self.flight.outcome.send_if_modified(|outcome| {
            let unheard = outcome.is_none();
            outcome
                .get_or_insert(Err(AnalysisError::Internal("the search ended without an answer")));
            unheard
        });
    }
}
