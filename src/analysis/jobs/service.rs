//! The use cases themselves: a job is taken, looked up, deleted, and worked at.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::entry::Entry;
use super::index::Index;
use super::room::Room;
use super::runner::{Rest, Runner};
use super::submission::{Contents, GameRow, Submission};
use super::{Job, JobError, JobStatus, upkeep};
use crate::analysis::Service;
use crate::analysis::known::Stored;
use crate::store::StoreError;
use crate::store::jobs::{Ending, JobFile, JobId, JobRecord, Kept};

/// A job that could not be begun is tried again after so long.
const BEGIN_AGAIN: Duration = Duration::from_secs(1);

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRules {
    /// What all jobs together may take, those that are over among them.
    pub room: Room,
    /// How long a job is kept that is over.
    pub keep: Duration,
}

/// Takes jobs and works at them. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    service: Service,
    file: JobFile,
    rules: JobRules,
    index: Mutex<Index>,
    /// One text is read at a time: its games take several times its length in memory.
    reading: Arc<Semaphore>,
    /// One for each search under way or next: all workers are busy, and no job crowds the lane.
    places: Arc<Semaphore>,
    /// Positions whose findings were kept since the start.
    found: AtomicU64,
    /// `true` while the disk refuses.
    failing: watch::Sender<bool>,
    /// `true` once the service was told to end.
    ending: watch::Sender<bool>,
    /// Jobs that are worked at.
    at_work: watch::Sender<usize>,
}

/// What is answered to a job that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub id: JobId,
    /// Games of the text, those that cannot be read among them.
    pub games: usize,
    /// Moves that are reviewed.
    pub moves: u64,
    /// Whether anything is done about it.
    pub status: JobStatus,
}

/// How many jobs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobsStatus {
    /// All that are kept.
    pub kept: Room,
    /// Those among them that are not over.
    pub unfinished: Room,
    /// The most that may be kept.
    pub most: Room,
    /// Positions whose findings were kept since the start.
    pub found: u64,
    /// What they take on disk, in bytes; 0 in memory.
    pub bytes: u64,
    /// `true` while the disk refuses.
    pub failing: bool,
}

impl Jobs {
    /// Goes on with the jobs that a store keeps. To be called within a tokio runtime, which works
    /// at them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn start(service: Service, file: JobFile, rules: JobRules) -> Result<Jobs, StoreError> {
        let mut index = Index::default();
        file.gone()?.into_iter().for_each(|id| index.add_gone(id));
        let mut kept = file.jobs()?;
        kept.sort_by_key(|kept| (kept.record.created_ms, kept.id));
        kept.iter().for_each(|kept| {
            index.add(Arc::new(Entry::new(kept)), kept.record.ending.map(|ending| ending.at_ms))
        });
        if index.kept().jobs > 0 {
            tracing::info!(
                jobs = index.kept().jobs,
                unfinished = index.unfinished().jobs,
                "jobs found"
            );
        }
        let places = Arc::new(Semaphore::new(2 * service.status().workers));
        let jobs = Jobs(Arc::new(Inner {
            service,
            file,
            rules,
            index: Mutex::new(index),
            reading: Arc::new(Semaphore::new(1)),
            places,
            found: AtomicU64::new(0),
            failing: watch::Sender::new(false),
            ending: watch::Sender::new(false),
            at_work: watch::Sender::new(0),
        }));
        jobs.begin_waiting();
        tokio::spawn(upkeep::expire(jobs.clone()));
        tokio::spawn(upkeep::recover(jobs.clone()));
        Ok(jobs)
    }

    /// Takes a job. When this returns the job outlasts the process, if anything does. Given again
    /// under the same key, it is the same job.
    ///
    /// # Errors
    /// When the text has no game or too many, when another job has the key, when there is no room,
    /// and when it cannot be written.
    pub async fn submit(&self, submission: Submission) -> Result<Summary, JobError> {
        if self.is_ending() {
            return Err(JobError::ShuttingDown);
        }
        let Ok(turn) = self.reading().acquire_owned().await else {
            return Err(JobError::ShuttingDown);
        };
        let jobs = self.clone();
        blocking(move || {
            let admitted = jobs.admit(submission);
            drop(turn);
            admitted
        })
        .await
    }

    /// The job of that name.
    ///
    /// # Errors
    /// When there is none, or none any more, or it cannot be read now.
    pub async fn find(&self, id: JobId) -> Result<Job, JobError> {
        let entry = self.index().find(id)?;
        let jobs = self.clone();
        blocking(move || {
            let record = jobs.file().job(id)?.ok_or(JobError::Gone)?;
            Ok(Job::new(jobs, entry, &record))
        })
        .await
    }

    /// Deletes a job, done or not. When this returns that outlasts the process, if anything does.
    /// One that is gone is gone.
    ///
    /// # Errors
    /// When there has never been such a job, and when it cannot be written.
    pub async fn delete(&self, id: JobId) -> Result<(), JobError> {
        match self.index().find(id) {
            Err(JobError::Gone) => return Ok(()),
            found => drop(found?),
        }
        let jobs = self.clone();
        blocking(move || Ok(jobs.remove(&[id])?)).await
    }

    /// How many jobs there are.
    pub fn status(&self) -> JobsStatus {
        let (kept, unfinished) = {
            let index = self.index();
            (index.kept(), index.unfinished())
        };
        let found = self.0.found.load(Ordering::Relaxed);
        JobsStatus {
            kept,
            unfinished,
            most: self.0.rules.room,
            found,
            bytes: self.0.file.bytes(),
            failing: self.is_failing(),
        }
    }

    /// `true` while the disk refuses.
    pub fn is_failing(&self) -> bool {
        *self.0.failing.borrow()
    }

    /// Takes no new job and stops the work; all of it goes on with the next start, where it can.
    /// Returns at once.
    pub fn shut_down(&self) {
        self.0.ending.send_replace(true);
    }

    /// Resolves when nobody works at a job, after [`Jobs::shut_down`] and that of the [`Service`]:
    /// what was found by then is kept.
    pub async fn stopped(&self) {
        // The sender lives in `self`, so that the only error, its end, cannot come.
        let _ = self.0.at_work.subscribe().wait_for(|&at_work| at_work == 0).await;
    }

    /// Changes to `true` when the service is told to end.
    pub fn ending(&self) -> watch::Receiver<bool> {
        self.0.ending.subscribe()
    }

    /// Changes to `true` when the disk refuses, and back.
    pub(super) fn failing(&self) -> watch::Receiver<bool> {
        self.0.failing.subscribe()
    }

    pub(super) fn is_ending(&self) -> bool {
        *self.0.ending.borrow()
    }

    pub(super) fn service(&self) -> &Service {
        &self.0.service
    }

    pub(super) fn file(&self) -> &JobFile {
        &self.0.file
    }

    /// How much is kept.
    pub(super) fn rules(&self) -> JobRules {
        self.0.rules
    }

    pub(super) fn reading(&self) -> Arc<Semaphore> {
        self.0.reading.clone()
    }

    pub(super) fn places(&self) -> Arc<Semaphore> {
        self.0.places.clone()
    }

    /// Those that were over for long enough at that time, in milliseconds since 1970.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<JobId> {
        let keep = u64::try_from(self.0.rules.keep.as_millis()).unwrap_or(u64::MAX);
        self.index().over_before(now_ms.saturating_sub(keep))
    }

    /// Lets jobs go. Blocks.
    ///
    /// # Errors
    /// When that cannot be written.
    pub(super) fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.noted(self.file().remove(ids))?;
        ids.iter().for_each(|id| self.index().let_go(*id));
        Ok(())
    }

    /// `true` when the place of a job would serve another client's.
    pub(super) fn wants_place(&self) -> bool {
        self.index().is_wanted()
    }

    /// So many more findings are kept.
    pub(super) fn note_found(&self, count: usize) {
        self.0.found.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// A job is over: that is on disk.
    pub(super) fn note_end(&self, entry: &Entry, ending: Ending) {
        self.index().end(entry, ending.at_ms);
        let status = JobStatus::of(ending).name();
        tracing::info!(job = %entry.id, games = entry.games, moves = entry.moves, status, "job ended");
    }

    /// Passes on what became of a write, and notes it.
    pub(super) fn noted<T>(&self, written: Result<T, StoreError>) -> Result<T, StoreError> {
        self.note_write(written.as_ref().err());
        written
    }

    /// Notes whether the disk takes what it is given; the log says so when that changes.
    pub(super) fn note_write(&self, error: Option<&StoreError>) {
        let changed = self.0.failing.send_if_modified(|failing| {
            std::mem::replace(failing, error.is_some()) != error.is_some()
        });
        match error {
            Some(error) if changed => {
                let error = error.to_string();
                tracing::error!(
                    error,
                    "the jobs cannot be written; nothing new of them is shown, and it is tried again and again"
                );
            }
            None if changed => tracing::info!("the jobs are written again"),
            _ => {}
        }
    }

    /// Blocks; one at a time.
    fn admit(&self, submission: Submission) -> Result<Summary, JobError> {
        let (key, digest) = (submission.key_digest(), submission.digest());
        if let Some(key) = &key
            && let Some((taken, id)) = self.file().keyed(key)?
        {
            return if taken == digest {
                self.index().find(id).map(|entry| summary(&entry))
            } else {
                Err(JobError::KeyTaken)
            };
        }
        let contents = Contents::read(&submission.text)?;
        let leaving =
            self.index().make_way(&submission.client, contents.bytes, self.0.rules.room)?;
        let (id, now) = (
            JobId::random().map_err(|error| JobError::Internal(error.to_string()))?,
            Stored::now().milliseconds,
        );
        let has_work = contents.plies.iter().any(|&plies| plies > 0);
        let record = JobRecord {
            client: submission.client.to_string(),
            asked: submission.asked,
            created_ms: now,
            ending: (!has_work).then_some(Ending { at_ms: now, failed: false }),
            bytes: contents.bytes,
            key,
            plies: contents.plies,
        };
        let text = |game: &GameRow| submission.text.get(game.text.clone()?);
        let games = contents.games.iter().map(|game| (game.sheet.as_slice(), text(game)));
        self.noted(self.file().insert(id, &record, &digest, games, &leaving))?;
        let entry = Arc::new(Entry::new(&Kept { id, record, found: 0 }));
        let summary = summary(&entry);
        {
            let mut index = self.index();
            leaving.into_iter().for_each(|id| index.let_go(id));
            index.add(entry, (!has_work).then_some(now));
        }
        let Summary { games, moves, .. } = summary;
        tracing::info!(job = %id, games, moves, "job taken");
        self.begin_waiting();
        Ok(summary)
    }

    /// Begins to work at those whose turn it is.
    fn begin_waiting(&self) {
        while let Some(entry) = (!self.is_ending()).then(|| self.index().begin()).flatten() {
            self.0.at_work.send_modify(|at_work| *at_work += 1);
            tokio::spawn(self.clone().work_at(entry));
        }
    }

    async fn work_at(self, entry: Arc<Entry>) {
        let (jobs, its) = (self.clone(), entry.clone());
        // A task of its own, so that whatever becomes of it the place is given back.
        let worked = match blocking(move || Runner::new(jobs, its)).await {
            Ok(runner) => tokio::spawn(runner.run())
                .await
                .map_err(|error| JobError::Internal(error.to_string())),
            Err(error) => Err(error),
        };
        match worked {
            Ok(Rest::Parked) => tracing::debug!(job = %entry.id, "job waits for another client's"),
            Ok(Rest::Over | Rest::Left) => {}
            Err(JobError::Gone) => self.has_vanished(&entry),
            Err(error) => {
                tracing::error!(job = %entry.id, error = error.to_string(), "the work at a job broke off; it is tried again");
                sleep(BEGIN_AGAIN).await;
            }
        }
        self.index().rest(&entry);
        self.begin_waiting();
        self.0.at_work.send_modify(|at_work| *at_work -= 1);
    }

    /// The file has no such job any more, be it that somebody deletes it now or that the file was
    /// damaged: it would be begun without end.
    fn has_vanished(&self, entry: &Entry) {
        tracing::warn!(job = %entry.id, "a job is not in the file any more");
        self.index().let_go(entry.id);
    }

    /// No code of others runs under the lock, so that a panic cannot have left it half done.
    fn index(&self) -> MutexGuard<'_, Index> {
        self.0.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads or writes without holding up the async threads.
pub(super) async fn blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T, JobError> + Send + 'static,
) -> Result<T, JobError> {
    // Whatever is begun is brought to its end, also when nobody waits for it any more.
    spawn_blocking(operation)
        .await
        .unwrap_or_else(|error| Err(JobError::Internal(error.to_string())))
}

fn summary(entry: &Entry) -> Summary {
    Summary {
        id: entry.id,
        games: entry.games,
        moves: entry.moves,
        status: entry.progress().status,
    }
}
