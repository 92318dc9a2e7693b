//! A book that several job services of a test share, with faults on demand.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::store::StoreError;
use crate::store::jobs::{
    AppendError, Changes, Claim, GameRecord, InsertError, JobBook, JobChange, JobEnd, JobFile,
    JobId, JobRecord, LogEntry, LogPosition, NewJob, PositionEval, Snapshot,
};

/// The server of the jobs.
#[derive(Debug)]
pub(super) struct SharedServer {
    file: JobFile,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    position: LogPosition,
    log: Vec<LogEntry>,
    fences: HashMap<JobId, u64>,
    claims: HashMap<JobId, usize>,
    /// State of the pseudo-random numbers.
    random: u64,
}

/// A node's access to the server.
#[derive(Debug)]
pub(super) struct SharedBook {
    node: usize,
    server: Arc<SharedServer>,
    /// Nothing can be read or written.
    pub(super) is_cut_off: AtomicBool,
    /// Changes come late, twice, or with gaps.
    pub(super) is_unreliable: AtomicBool,
}

impl SharedServer {
    pub(super) fn new() -> Arc<SharedServer> {
        let file = JobFile::in_memory().unwrap();
        Arc::new(SharedServer { file, state: Mutex::default() })
    }

    pub(super) fn book(self: &Arc<SharedServer>, node: usize) -> Arc<SharedBook> {
        Arc::new(SharedBook {
            node,
            server: self.clone(),
            is_cut_off: AtomicBool::new(false),
            is_unreliable: AtomicBool::new(false),
        })
    }

    /// Ends all claims, as if they had not been renewed.
    pub(super) fn expire_claims(&self) {
        self.state().claims.clear();
    }

    /// Drops the entries of the log so far.
    pub(super) fn trim_log(&self) {
        self.state().log.clear();
    }

    /// Loses all data.
    pub(super) fn lose_data(&self) {
        let mut state = self.state();
        let jobs = self.file.snapshot().unwrap().jobs;
        self.file.remove(&jobs.iter().map(|job| job.id).collect::<Vec<_>>()).unwrap();
        *state = State::default();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl State {
    /// Logs a change to the set of jobs.
    fn log_set_change(&mut self, change: JobChange) {
        self.position = LogPosition { version: self.position.version + 1, sequence: 0 };
        self.log.push(LogEntry { position: self.position, change: Some(change) });
    }

    fn log_progress(&mut self, change: JobChange) {
        self.position.sequence += 1;
        self.log.push(LogEntry { position: self.position, change: Some(change) });
    }

    /// The entries after a position, or some others.
    fn unreliable_changes(&mut self, since: LogPosition) -> Vec<LogEntry> {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let draw = (self.random >> 33) as usize;
        let first = self.log.partition_point(|entry| entry.position <= since);
        match draw % 4 {
            0 => Vec::new(),
            1 => self.log[first.saturating_sub(draw / 4 % 5)..].to_vec(),
            2 => self.log[(first + draw / 4 % 3).min(self.log.len())..].to_vec(),
            _ => self.log[first..].to_vec(),
        }
    }
}

impl SharedBook {
    fn file(&self) -> Result<&JobFile, StoreError> {
        if self.is_cut_off.load(Ordering::SeqCst) {
            return Err(StoreError::Unreachable("cut off".to_owned()));
        }
        Ok(&self.server.file)
    }
}

impl JobBook for SharedBook {
    fn is_shared(&self) -> bool {
        true
    }

    fn disk_bytes(&self) -> u64 {
        0
    }

    fn now_ms(&self) -> Result<u64, StoreError> {
        self.file()?.now_ms()
    }

    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let state = self.server.state();
        let snapshot = self.file()?.snapshot()?;
        Ok(Snapshot { position: state.position, ..snapshot })
    }

    fn changes(&self, since: LogPosition, wait: Duration) -> Result<Changes, StoreError> {
        self.file()?;
        if !wait.is_zero() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut state = self.server.state();
        if wait > Duration::ZERO && self.is_unreliable.load(Ordering::SeqCst) {
            return Ok(Changes::Next(state.unreliable_changes(since)));
        }
        let first = state.log.partition_point(|entry| entry.position <= since);
        let next = state.log[first..].to_vec();
        let is_lost = match next.first() {
            Some(entry) => !since.is_followed_by(entry.position),
            None => since != state.position,
        };
        Ok(if is_lost { Changes::Lost } else { Changes::Next(next) })
    }

    fn find_by_idempotency_key(
        &self,
        key: &[u8; 32],
    ) -> Result<Option<([u8; 32], JobId)>, StoreError> {
        self.file()?.find_by_idempotency_key(key)
    }

    fn job(&self, id: JobId) -> Result<Option<JobRecord>, StoreError> {
        self.file()?.job(id)
    }

    fn game_record(&self, id: JobId, number: u32) -> Result<Option<GameRecord>, StoreError> {
        self.file()?.game_record(id, number)
    }

    fn text(&self, id: JobId, number: u32) -> Result<Option<String>, StoreError> {
        self.file()?.text(id, number)
    }

    fn evals(&self, id: JobId, first: u64, count: u64) -> Result<Vec<PositionEval>, StoreError> {
        self.file()?.evals(id, first, count)
    }

    fn upload_games(&self, _job: &NewJob<'_>) -> Result<(), StoreError> {
        self.file().map(drop)
    }

    fn insert(
        &self,
        job: &NewJob<'_>,
        evicted: &[JobId],
        as_of: LogPosition,
    ) -> Result<(), InsertError> {
        let mut state = self.server.state();
        if state.position.version != as_of.version {
            return Err(InsertError::Stale);
        }
        self.file()?.insert(job, evicted, as_of)?;
        evicted.iter().for_each(|&id| state.log_set_change(JobChange::Removed(id)));
        state.log_set_change(JobChange::Added(Box::new(job.record.clone())));
        Ok(())
    }

    fn claim(&self, id: JobId) -> Result<Option<Claim>, StoreError> {
        let mut state = self.server.state();
        let job = self.file()?.job(id)?;
        let Some(record) = job.filter(|job| job.end.is_none()) else { return Ok(None) };
        if state.claims.get(&id).is_some_and(|&node| node != self.node) {
            return Ok(None);
        }
        state.claims.insert(id, self.node);
        let fence = state.fences.entry(id).or_default();
        *fence += 1;
        let claim = Claim { id, fence: *fence };
        state.log_progress(JobChange::Running { id, positions_done: record.positions_done });
        Ok(Some(claim))
    }

    fn renew(&self, _claim: Claim) -> Result<(), StoreError> {
        self.file().map(drop)
    }

    fn release(&self, claim: Claim) -> Result<(), StoreError> {
        let mut state = self.server.state();
        self.file()?;
        if state.fences.get(&claim.id) == Some(&claim.fence) {
            state.claims.remove(&claim.id);
            state.log_progress(JobChange::Released(claim.id));
        }
        Ok(())
    }

    fn unclaimed(&self, ids: &[JobId]) -> Result<Vec<JobId>, StoreError> {
        self.file()?;
        let state = self.server.state();
        Ok(ids.iter().copied().filter(|id| !state.claims.contains_key(id)).collect())
    }

    fn append(
        &self,
        claim: Claim,
        first: u64,
        evals: &[PositionEval],
        end: Option<JobEnd>,
    ) -> Result<(), AppendError> {
        let mut state = self.server.state();
        let record = self.file()?.job(claim.id)?.ok_or(AppendError::Gone)?;
        if state.fences.get(&claim.id) != Some(&claim.fence) {
            return Err(AppendError::ClaimLost);
        }
        assert_eq!(record.positions_done, first, "evaluations have no gaps");
        self.file()?.append(claim, first, evals, end)?;
        let (id, positions_done) = (claim.id, first + evals.len() as u64);
        match end {
            Some(end) => {
                state.claims.remove(&id);
                state.log_set_change(JobChange::Ended { id, positions_done, end });
            }
            None => state.log_progress(JobChange::Running { id, positions_done }),
        }
        Ok(())
    }

    fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        let mut state = self.server.state();
        for &id in ids {
            if self.file()?.job(id)?.is_some() {
                self.file()?.remove(&[id])?;
                state.log_set_change(JobChange::Removed(id));
            }
        }
        Ok(())
    }

    fn check_writable(&self) -> Result<(), StoreError> {
        self.file().map(drop)
    }
}
