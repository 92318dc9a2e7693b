//! A question under way, as its asker follows it.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::select;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::AnalysisError;
use super::answer::{Answer, MemoryVerdict, Reason, Source};
use super::flight::{Landed, Progress, Seat};
use super::known::Remembered;
use super::session::Stay;
use crate::engine::Report;

/// What is heard of a question under way.
#[derive(Clone, Debug)]
pub enum News {
    /// What memory knows, with the lines asked; before anything else.
    Known(Remembered),
    /// It waits for a worker, behind so many others.
    Queued(usize),
    /// The search has finished an iteration that is deeper than all that was told.
    Deeper(Arc<Report>),
    /// The end.
    End(Answer),
}

/// A question under way. Dropping it is leaving; the search ends when its last listener has left.
pub struct Following {
    /// What memory knows, and whether that was told.
    known: Option<Remembered>,
    is_known_told: bool,
    told_depth: u8,
    rest: Rest,
}

/// What comes after that.
enum Rest {
    Answered(Box<Answer>),
    Flying(Box<Flying>),
    Ended,
}

/// A seat in a search.
pub(super) struct Flying {
    pub(super) asked: Instant,
    pub(super) verdict: MemoryVerdict,
    pub(super) seat: Seat,
    /// Its session, where it has one.
    pub(super) stay: Option<Stay>,
    progress: watch::Receiver<Progress>,
    load: watch::Receiver<usize>,
    told_position: Option<usize>,
    /// When it has waited long enough.
    deadline: Instant,
    cut: Option<Cut>,
}

/// An end before the search's own.
#[derive(Clone, Copy)]
struct Cut {
    /// As the asker is told.
    reason: Reason,
    /// Nobody else listens: the search ends too, within milliseconds, and what it has by then
    /// counts.
    ends_the_search: bool,
}

/// What a flight was waited for.
enum Heard {
    Landed(Result<Landed, AnalysisError>),
    /// It was cut short, and the search goes on for others.
    Cut(Reason),
    /// It has waited too long.
    Late,
    Something,
}

impl Following {
    /// One that is answered without a search.
    pub(super) fn answered(known: Option<Remembered>, answer: Answer) -> Following {
        Following::new(known, Rest::Answered(Box::new(answer)))
    }

    /// One that sits in a search.
    pub(super) fn flying(known: Option<Remembered>, flying: Flying) -> Following {
        Following::new(known, Rest::Flying(Box::new(flying)))
    }

    fn new(known: Option<Remembered>, rest: Rest) -> Following {
        Following { known, is_known_told: false, told_depth: 0, rest }
    }

    /// The next that is heard; `None` after [`News::End`] or an error. Depths never fall. It may be
    /// given up and asked again: nothing gets lost.
    ///
    /// # Errors
    /// A shutdown before the search began, or a fault of ours.
    pub async fn next(&mut self) -> Result<Option<News>, AnalysisError> {
        if let Some(known) = self.known.as_ref().filter(|_| !self.is_known_told) {
            self.is_known_told = true;
            self.told_depth = known.report.depth;
            return Ok(Some(News::Known(known.clone())));
        }
        while let Rest::Flying(flying) = &mut self.rest {
            if let Some(news) = flying.news(self.told_depth) {
                if let News::Deeper(report) = &news {
                    self.told_depth = report.depth;
                }
                return Ok(Some(news));
            }
            let answer = match flying.hear().await {
                Heard::Something => continue,
                Heard::Cut(reason) => Ok(flying.cut_short(reason)),
                Heard::Late => Err(flying.late()),
                Heard::Landed(landed) => match (landed, flying.cut) {
                    // Whoever stood in the queue alone took the work along.
                    (Err(_), Some(cut)) => Ok(flying.cut_short(cut.reason)),
                    (landed, _) => landed.map(|landed| flying.landed(landed)),
                },
            };
            self.rest = Rest::Ended;
            let answer = answer?.unless_deeper(self.known.as_ref());
            let last = self.untold(&answer);
            self.rest = Rest::Answered(Box::new(answer));
            if let Some(report) = last {
                self.told_depth = report.depth;
                return Ok(Some(News::Deeper(report)));
            }
        }
        // An equal search may have ended between the look at memory and the search for one to join.
        if let Rest::Answered(answer) = &self.rest
            && answer.report.depth > self.told_depth
        {
            self.told_depth = answer.report.depth;
            return Ok(Some(News::Deeper(answer.report.clone())));
        }
        Ok(match std::mem::replace(&mut self.rest, Rest::Ended) {
            Rest::Answered(answer) => Some(News::End(*answer)),
            _ => None,
        })
    }

    /// What an answer has beyond the last update that was told.
    fn untold(&self, answer: &Answer) -> Option<Arc<Report>> {
        let report = &answer.report;
        if report.depth > self.told_depth {
            return Some(report.clone());
        }
        // The proof of a mate is shallower than the iterations before it, which are finished all
        // the same.
        (answer.reason == Reason::Mate)
            .then(|| Arc::new(Report { depth: self.told_depth, ..(**report).clone() }))
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// As [`Following::next`].
    pub async fn end(&mut self) -> Result<Answer, AnalysisError> {
        while let Some(news) = self.next().await? {
            if let News::End(answer) = news {
                return Ok(answer);
            }
        }
        Err(AnalysisError::Internal("a question was followed beyond its end"))
    }

    /// Waits for the end, at which memory has no say unless it was enough.
    ///
    /// # Errors
    /// As [`Following::next`].
    pub async fn own_end(self) -> Result<Answer, AnalysisError> {
        let Following { known, rest, .. } = self;
        drop(known);
        match rest {
            Rest::Answered(answer) => Ok(*answer),
            // Only who waits has to keep what waiting takes.
            rest => Box::pin(async { Following::new(None, rest).end().await }).await,
        }
    }

    /// Ends the question: what it has found by now is its answer, with the reason `stopped`. An end
    /// that has come already stays.
    pub fn stop(&mut self) {
        self.cut(Reason::Stopped);
    }

    /// The same for a newer question, with the reason `replaced`.
    pub fn replace(&mut self) {
        self.cut(Reason::Replaced);
    }

    fn cut(&mut self, reason: Reason) {
        if let Rest::Flying(flying) = &mut self.rest {
            flying.cut(reason);
        }
    }

    /// How long the search has run, and how many moves it has made; nothing while it waits.
    pub fn effort(&self) -> (Duration, u64) {
        match &self.rest {
            Rest::Flying(flying) => {
                let begun = flying.progress.borrow().begun;
                (begun.map_or(Duration::ZERO, |begun| begun.elapsed()), flying.seat.nodes())
            }
            Rest::Answered(answer) => (answer.report.elapsed, answer.report.nodes),
            Rest::Ended => (Duration::ZERO, 0),
        }
    }
}

impl Flying {
    /// A seat that waits so long for its search to begin.
    pub(super) fn new(
        asked: Instant,
        max_wait: Duration,
        verdict: MemoryVerdict,
        seat: Seat,
        stay: Option<Stay>,
    ) -> Flying {
        let (progress, load) = (seat.progress(), seat.load());
        let deadline = asked + max_wait;
        Flying {
            asked,
            verdict,
            seat,
            stay,
            progress,
            load,
            told_position: None,
            deadline,
            cut: None,
        }
    }

    /// Leaves before the end, for this reason unless there was one before.
    fn cut(&mut self, reason: Reason) {
        if self.cut.is_none() && !self.seat.has_landed() {
            self.cut = Some(Cut { reason, ends_the_search: self.seat.leave() });
        }
    }

    /// What has happened since it was last told.
    fn news(&mut self, told_depth: u8) -> Option<News> {
        let progress = self.progress.borrow_and_update().clone();
        if progress.begun.is_none() {
            self.load.mark_unchanged();
            let position = self.seat.position();
            if position.is_some() && position != self.told_position {
                self.told_position = position;
                return position.map(News::Queued);
            }
        }
        progress.latest.filter(|report| report.depth > told_depth).map(News::Deeper)
    }

    async fn hear(&mut self) -> Heard {
        let Flying { seat, stay, progress, load, deadline, cut, .. } = self;
        if let Some(Cut { reason, ends_the_search: false }) = *cut {
            return Heard::Cut(reason);
        }
        let is_waiting = progress.borrow().begun.is_none();
        let is_cut = cut.is_some();
        let replaced = async {
            match stay {
                Some(stay) => stay.replaced().await,
                None => pending().await,
            }
        };
        // The senders of all of these live as long as the seat.
        select! {
            biased;
            landed = seat.landed() => return Heard::Landed(landed),
            () = replaced, if !is_cut => {}
            _ = progress.changed() => return Heard::Something,
            _ = load.changed(), if is_waiting => return Heard::Something,
            () = sleep_until((*deadline).into()), if is_waiting => return Heard::Late,
        }
        self.cut(Reason::Replaced);
        Heard::Something
    }

    fn late(&self) -> AnalysisError {
        self.seat.late(self.deadline - self.asked)
    }

    /// The end with what the search, which goes on for others, has found so far.
    fn cut_short(&self, reason: Reason) -> Answer {
        let Progress { begun, latest } = self.progress.borrow().clone();
        let (started, ended) = (begun.unwrap_or_else(Instant::now), Instant::now());
        let report = latest.unwrap_or_else(|| Arc::new(Report::nothing()));
        self.landed(Landed { report, reason, started, ended })
    }

    fn landed(&self, Landed { report, reason, started, ended }: Landed) -> Answer {
        Answer {
            report,
            source: Source::Search,
            memory: self.verdict,
            reason: self.cut.map_or(reason, |cut| cut.reason),
            shared: self.seat.shared,
            queued: started.saturating_duration_since(self.asked),
            searched: ended.saturating_duration_since(started.max(self.asked)),
        }
    }
}
