//! From the news of an analysis to the lines that tell it.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::lines::{End, Heartbeat, Info, Queued, StreamLine};
use super::telling::Telling;
use crate::analysis::{AnalysisError, Answer, Following, News};
use crate::engine::Report;

/// Two infos are so far apart at least.
const INFO_EVERY: Duration = Duration::from_millis(100);

/// Tells an analysis line by line: not too often, and never silent for long.
pub(crate) struct Narrator {
    telling: Telling,
    heartbeat: Duration,
    /// Of the last info.
    seq: u64,
    /// When the last line was told.
    told: Instant,
    /// The next info is not told before.
    info_at: Instant,
    /// An info that waits for that, or for the end.
    pending: Option<Arc<Report>>,
    /// The end, behind the last info.
    end: Option<Answer>,
}

/// What happens next.
enum Event {
    News(Option<News>),
    /// It is time for the info that waits.
    Info,
    Heartbeat,
}

impl Narrator {
    /// One that says something at least so often.
    pub(crate) fn new(telling: Telling, heartbeat: Duration) -> Narrator {
        let now = Instant::now();
        Narrator { telling, heartbeat, seq: 0, told: now, info_at: now, pending: None, end: None }
    }

    /// The next line; `None` after the end. It may be given up and asked again: nothing gets lost.
    ///
    /// # Errors
    /// What ends the analysis before its end.
    pub(crate) async fn next(
        &mut self,
        following: &mut Following,
    ) -> Result<Option<StreamLine>, AnalysisError> {
        loop {
            if let Some(answer) = self.end.take() {
                if let Some(report) = self.pending.take() {
                    self.end = Some(answer);
                    return Ok(Some(self.searched(&report)));
                }
                return Ok(Some(StreamLine::End(End::new(&self.telling, &answer))));
            }
            let event = self.hear(following).await?;
            let line = match event {
                Event::News(None) => return Ok(None),
                Event::News(Some(News::Known(known))) => {
                    self.seq += 1;
                    Some(StreamLine::Info(Info::remembered(self.seq, &self.telling, &known)))
                }
                Event::News(Some(News::Queued(others))) => {
                    Some(StreamLine::Queued(Queued::behind(others)))
                }
                Event::News(Some(News::Deeper(report))) => {
                    self.pending = Some(report);
                    None
                }
                Event::News(Some(News::End(answer))) => {
                    self.end = Some(answer);
                    None
                }
                Event::Info => self.pending.take().map(|report| self.searched(&report)),
                Event::Heartbeat => {
                    let (time, nodes) = following.effort();
                    Some(StreamLine::Heartbeat(Heartbeat::after(time, nodes)))
                }
            };
            if let Some(line) = line {
                self.told = Instant::now();
                return Ok(Some(line));
            }
        }
    }

    async fn hear(&mut self, following: &mut Following) -> Result<Event, AnalysisError> {
        let info = async {
            match self.pending {
                Some(_) => sleep_until(self.info_at).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = info => Ok(Event::Info),
            news = following.next() => news.map(Event::News),
            () = sleep_until(self.told + self.heartbeat) => Ok(Event::Heartbeat),
        }
    }

    fn searched(&mut self, report: &Report) -> StreamLine {
        self.seq += 1;
        self.info_at = Instant::now() + INFO_EVERY;
        self.told = Instant::now();
        StreamLine::Info(Info::searched(self.seq, &self.telling, report))
    }
}
