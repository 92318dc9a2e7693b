//! The jobs on the server behind the interface of the job service.

use std::collections::HashSet;
use std::time::Duration;

use redis::{Cmd, Value, cmd, pipe};

use super::log::{self, RawChange, RawEntry};
use super::scripts;
use super::server::JobsServer;
use super::value::{Kind, open, seal};
use crate::cluster::error::ClusterError;
use crate::cluster::node::NodeId;
use crate::cluster::options::ClusterOptions;
use crate::store::StoreError;
use crate::store::jobs::{
    AppendError, CLAIM_LIFETIME, Changes, Claim, GameRecord, InsertError, JobBook, JobChange,
    JobEnd, JobId, JobRecord, LogEntry, LogPosition, NewJob, ParsedGame, PositionEval, Snapshot,
};

/// How long uploaded games wait for their job.
const UPLOAD_KEPT: Duration = Duration::from_secs(60);

/// The size of the pieces in which games are uploaded, in bytes.
const UPLOAD_PIECE: usize = 512 << 10;

/// The most jobs of one read or script.
const MAX_JOBS_AT_ONCE: usize = 500;

/// The longest evaluation that is read, in bytes.
const MAX_EVAL_BYTES: usize = 256;

/// The record of a job and the number of its published evaluations, as the server has them.
type JobFields = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The jobs that all nodes share.
#[derive(Debug)]
pub struct RedisJobs {
    server: JobsServer,
    node: NodeId,
}

impl RedisJobs {
    /// Connects to the server of the jobs. If it cannot be reached, it is tried again with each
    /// call. Must be called within a tokio runtime, whose threads must not call the other methods.
    ///
    /// # Errors
    /// The server refuses the user, is too old, or may drop jobs.
    pub async fn connect(options: &ClusterOptions) -> Result<RedisJobs, ClusterError> {
        let server = JobsServer::connect(options).await?;
        Ok(RedisJobs { server, node: options.node.clone() })
    }

    /// The record of a job, given its fields on the server.
    fn decode_job(id: JobId, fields: JobFields) -> Result<Option<JobRecord>, StoreError> {
        let (Some(value), done) = fields else { return Ok(None) };
        let damaged = || StoreError::Failed(format!("the progress of job {id} is damaged"));
        let done = match done {
            Some(text) => {
                let text = std::str::from_utf8(&text).map_err(|_| damaged())?;
                text.parse::<u64>().map_err(|_| damaged())?
            }
            None => 0,
        };
        let body = open(Kind::Job, id, 0, &value)?;
        let record = JobRecord::decode(id, done, body);
        let record = record.map_err(|error| StoreError::Failed(format!("job {id} is {error}")))?;
        // Each game has a position more than moves, at most.
        let positions: u64 = record.plies.iter().map(|&plies| u64::from(plies) + 1).sum();
        if done > positions { Err(damaged()) } else { Ok(Some(record)) }
    }

    /// Reads jobs. Those that cannot be decoded are logged and left out.
    fn read_jobs(&self, ids: &[JobId]) -> Result<Vec<JobRecord>, StoreError> {
        let mut records = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(MAX_JOBS_AT_ONCE) {
            let mut commands = pipe();
            for &id in chunk {
                commands.cmd("HMGET").arg(self.server.key_of("job", id)).arg(&["record", "done"]);
            }
            let answers: Vec<JobFields> = self.server.read_all(&commands)?;
            for (&id, fields) in chunk.iter().zip(answers) {
                match RedisJobs::decode_job(id, fields) {
                    Ok(record) => records.extend(record),
                    Err(error) => {
                        tracing::error!(job = %id, error = error.to_string(), "ignored a job")
                    }
                }
            }
        }
        Ok(records)
    }

    /// Replaces the ids of added jobs by their records. A job that was removed meanwhile, or that
    /// cannot be read, is none.
    fn with_records(&self, raw: Vec<RawEntry>) -> Result<Vec<LogEntry>, StoreError> {
        let added: Vec<JobId> = raw
            .iter()
            .filter_map(|entry| match entry.change {
                RawChange::Added(id) => Some(id),
                _ => None,
            })
            .collect();
        let mut records = self.read_jobs(&added)?;
        let entries = raw.into_iter().map(|RawEntry { position, change }| {
            let change = match change {
                RawChange::Added(id) => {
                    let index = records.iter().position(|record| record.id == id);
                    index.map(|index| JobChange::Added(Box::new(records.swap_remove(index))))
                }
                RawChange::Other(change) => Some(change),
                RawChange::Unknown => None,
            };
            LogEntry { position, change }
        });
        Ok(entries.collect())
    }

    /// The position of the last log entry.
    fn last_position(&self) -> Result<LogPosition, StoreError> {
        let mut command = cmd("XREVRANGE");
        command.arg(self.server.key("log")).arg("+").arg("-").arg("COUNT").arg(1);
        let answer: Vec<Value> = self.server.read(&command)?;
        let Some(entry) = answer.first() else { return Ok(LogPosition::default()) };
        let position = log::entry_of(entry).and_then(|(id, _)| log::position(&id));
        position
            .ok_or_else(|| StoreError::Failed("the log has an entry of another form".to_owned()))
    }

    /// The command that writes evaluations behind those that are there.
    fn append_command(&self, claim: Claim, first: u64, evals: &[PositionEval]) -> Cmd {
        let mut append = self.server.script(scripts::APPEND);
        append.arg(claim.id.to_string()).arg(claim.fence).arg(first);
        for (number, eval) in (first..).zip(evals) {
            append.arg(seal(Kind::Eval, claim.id, number, &eval.encode()));
        }
        append
    }

    /// The command that makes evaluations visible, and the end of the job.
    fn publish_command(
        &self,
        claim: Claim,
        done: u64,
        end: Option<JobEnd>,
    ) -> Result<Cmd, AppendError> {
        let id = claim.id;
        let mut publish = self.server.script(scripts::PUBLISH);
        publish.arg(id.to_string()).arg(claim.fence).arg(done);
        if let Some(JobEnd { at_ms, failed }) = end {
            let record = match self.job(id) {
                Ok(record) => record.ok_or(AppendError::Gone)?,
                Err(error) if error.is_temporary() => return Err(error.into()),
                // No attempt would help. The run ends, and the job waits for an operator.
                Err(error) => {
                    tracing::error!(job = %id, error = error.to_string(), "a job cannot end");
                    return Err(AppendError::ClaimLost);
                }
            };
            let record = JobRecord { end, ..record };
            publish.arg(seal(Kind::Job, id, 0, &record.encode())).arg(at_ms).arg(u8::from(failed));
        } else {
            publish.arg(&["", "", ""]);
        }
        Ok(publish)
    }
}

impl JobBook for RedisJobs {
    fn is_shared(&self) -> bool {
        true
    }

    fn disk_bytes(&self) -> u64 {
        0
    }

    fn now_ms(&self) -> Result<u64, StoreError> {
        let (seconds, micros): (u64, u64) = self.server.read(&cmd("TIME"))?;
        Ok(seconds * 1_000 + micros / 1_000)
    }

    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        // First, so that changes after it are read again.
        let position = self.last_position()?;
        let ids: HashSet<String> = self.server.read(cmd("SMEMBERS").arg(self.server.key("ids")))?;
        let gone: Vec<String> =
            self.server.read(cmd("LRANGE").arg(self.server.key("gone")).arg(0).arg(-1))?;
        let ids: Vec<JobId> = ids.iter().filter_map(|id| JobId::parse(id)).collect();
        let tombstones = gone.iter().filter_map(|id| JobId::parse(id)).collect();
        Ok(Snapshot { position, jobs: self.read_jobs(&ids)?, tombstones })
    }

    fn changes(&self, since: LogPosition, wait: Duration) -> Result<Changes, StoreError> {
        let Some(answer) = self.server.read_log(since, wait)? else { return Ok(Changes::Lost) };
        let raw: Option<Vec<RawEntry>> =
            log::entries_of(answer).and_then(|entries| entries.iter().map(log::parse).collect());
        let raw = raw.ok_or_else(|| StoreError::Failed("the log has another form".to_owned()))?;
        let Some(first) = raw.first() else {
            // A log that has lost entries looks like one without new ones.
            let is_same = self.last_position()? >= since;
            return Ok(if is_same { Changes::Next(Vec::new()) } else { Changes::Lost });
        };
        if !since.is_followed_by(first.position) {
            return Ok(Changes::Lost);
        }
        Ok(Changes::Next(self.with_records(raw)?))
    }

    fn find_by_idempotency_key(
        &self,
        key: &[u8; 32],
    ) -> Result<Option<([u8; 32], JobId)>, StoreError> {
        let value: Option<Vec<u8>> =
            self.server.read(cmd("HGET").arg(self.server.key("keys")).arg(key))?;
        let Some(value) = value else { return Ok(None) };
        let damaged = || StoreError::Failed("an idempotency key has no job".to_owned());
        let (id, sealed) = value.split_at_checked(32).ok_or_else(damaged)?;
        let id = std::str::from_utf8(id).ok().and_then(JobId::parse).ok_or_else(damaged)?;
        let digest = open(Kind::Request, id, 0, sealed)?.try_into().map_err(|_| damaged())?;
        if self.server.has_replicas() {
            // The answer says that the job is durable.
            self.check_writable()?;
        }
        Ok(Some((digest, id)))
    }

    fn job(&self, id: JobId) -> Result<Option<JobRecord>, StoreError> {
        let fields = self
            .server
            .read(cmd("HMGET").arg(self.server.key_of("job", id)).arg(&["record", "done"]))?;
        RedisJobs::decode_job(id, fields)
    }

    fn game_record(&self, id: JobId, number: u32) -> Result<Option<GameRecord>, StoreError> {
        let value: Option<Vec<u8>> =
            self.server.read(cmd("HGET").arg(self.server.key_of("games", id)).arg(number))?;
        let Some(value) = value else { return Ok(None) };
        let body = open(Kind::Game, id, number.into(), &value)?;
        let failed =
            |reason: &str| StoreError::Failed(format!("game {number} of job {id} {reason}"));
        let record = GameRecord::decode(body).map_err(|error| failed(&format!("is {error}")))?;
        match &record.parsed {
            Ok(ParsedGame { start, moves }) if !start.is_legal_line(moves) => {
                Err(failed("has a move that is not legal"))
            }
            _ => Ok(Some(record)),
        }
    }

    fn text(&self, id: JobId, number: u32) -> Result<Option<String>, StoreError> {
        let value: Option<Vec<u8>> =
            self.server.read(cmd("HGET").arg(self.server.key_of("texts", id)).arg(number))?;
        let Some(value) = value else { return Ok(None) };
        let body = open(Kind::Text, id, number.into(), &value)?.to_vec();
        let failed = |_| StoreError::Failed(format!("text {number} of job {id} is not UTF-8"));
        String::from_utf8(body).map(Some).map_err(failed)
    }

    fn evals(&self, id: JobId, first: u64, count: u64) -> Result<Vec<PositionEval>, StoreError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let last = first.saturating_add(count - 1);
        let values: Vec<Vec<u8>> = self
            .server
            .read(cmd("LRANGE").arg(self.server.key_of("find", id)).arg(first).arg(last))?;
        let decode = |(number, value): (u64, Vec<u8>)| {
            let failed = || StoreError::Failed(format!("eval {number} of job {id} is damaged"));
            if value.len() > MAX_EVAL_BYTES {
                return Err(failed());
            }
            PositionEval::decode(open(Kind::Eval, id, number, &value)?).map_err(|_| failed())
        };
        (first..).zip(values).map(decode).collect()
    }

    fn upload_games(&self, job: &NewJob<'_>) -> Result<(), StoreError> {
        let id = job.record.id;
        let (games, texts) = (self.server.key_of("games", id), self.server.key_of("texts", id));
        let mut pieces = pipe();
        let (mut bytes, mut texts_expire) = (0, false);
        let kept_ms = UPLOAD_KEPT.as_millis() as u64;
        let mut rest = (0_u32..).zip(&job.games).peekable();
        while let Some((number, game)) = rest.next() {
            let record = seal(Kind::Game, id, number.into(), game.record);
            bytes += record.len();
            pieces.hset(&games, number, record).ignore();
            if pieces.len() == 1 {
                // At once, because the server may get the beginning of the piece alone.
                pieces.cmd("PEXPIRE").arg(&games).arg(kept_ms).ignore();
            }
            if let Some(text) = game.text {
                let text = seal(Kind::Text, id, number.into(), text.as_bytes());
                bytes += text.len();
                pieces.hset(&texts, number, text).ignore();
                if !std::mem::replace(&mut texts_expire, true) {
                    pieces.cmd("PEXPIRE").arg(&texts).arg(kept_ms).ignore();
                }
            }
            if bytes >= UPLOAD_PIECE || rest.peek().is_none() {
                let piece = std::mem::replace(&mut pieces, pipe());
                self.server.write_all_soon(&piece)?;
                (bytes, texts_expire) = (0, false);
            }
        }
        Ok(())
    }

    fn insert(
        &self,
        job: &NewJob<'_>,
        evicted: &[JobId],
        as_of: LogPosition,
    ) -> Result<(), InsertError> {
        let NewJob { record, request_digest, games } = job;
        let id = record.id;
        let mut insert = self.server.script(scripts::INSERT);
        insert.arg(as_of.version).arg(id.to_string()).arg(seal(Kind::Job, id, 0, &record.encode()));
        insert.arg(u8::from(record.end.is_some()));
        insert.arg(record.idempotency_key.as_ref().map_or(&[][..], |key| &key[..]));
        let digest = seal(Kind::Request, id, 0, request_digest);
        insert.arg([id.to_string().as_bytes(), &digest].concat());
        insert.arg(games.len()).arg(games.iter().filter(|game| game.text.is_some()).count());
        insert.arg(hex_ids(evicted));
        match self.server.write::<String>(&insert)?.as_str() {
            "inserted" => Ok(()),
            "stale" => Err(InsertError::Stale),
            _ => {
                Err(StoreError::Unreachable("the upload of the games took too long".to_owned())
                    .into())
            }
        }
    }

    fn claim(&self, id: JobId) -> Result<Option<Claim>, StoreError> {
        let mut claim = self.server.script(scripts::CLAIM);
        claim.arg(id.to_string()).arg(self.node.as_str()).arg(CLAIM_LIFETIME.as_millis() as u64);
        let fence: Option<u64> = self.server.write(&claim)?;
        Ok(fence.map(|fence| Claim { id, fence }))
    }

    fn renew(&self, Claim { id, fence }: Claim) -> Result<(), StoreError> {
        let mut renew = self.server.script(scripts::RENEW);
        renew.arg(id.to_string()).arg(fence).arg(self.node.as_str());
        renew.arg(CLAIM_LIFETIME.as_millis() as u64);
        self.server.write_soon(&renew)
    }

    fn release(&self, Claim { id, fence }: Claim) -> Result<(), StoreError> {
        let mut release = self.server.script(scripts::RELEASE);
        release.arg(id.to_string()).arg(fence);
        self.server.write_soon(&release)
    }

    fn unclaimed(&self, ids: &[JobId]) -> Result<Vec<JobId>, StoreError> {
        let mut free = Vec::new();
        for chunk in ids.chunks(MAX_JOBS_AT_ONCE) {
            let mut unclaimed = self.server.script(scripts::UNCLAIMED);
            unclaimed.arg(hex_ids(chunk));
            let ids: Vec<String> = self.server.read(&unclaimed)?;
            free.extend(ids.iter().filter_map(|id| JobId::parse(id)));
        }
        Ok(free)
    }

    fn append(
        &self,
        claim: Claim,
        first: u64,
        evals: &[PositionEval],
        end: Option<JobEnd>,
    ) -> Result<(), AppendError> {
        let append = self.append_command(claim, first, evals);
        let publish = self.publish_command(claim, first + evals.len() as u64, end)?;
        let answer = self.server.write_in_order(&append, "appended", &publish)?;
        match answer.as_str() {
            "published" => Ok(()),
            "gone" => Err(AppendError::Gone),
            _ => Err(AppendError::ClaimLost),
        }
    }

    fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        for chunk in ids.chunks(MAX_JOBS_AT_ONCE) {
            let mut remove = self.server.script(scripts::REMOVE);
            remove.arg(hex_ids(chunk));
            self.server.write::<()>(&remove)?;
        }
        Ok(())
    }

    fn check_writable(&self) -> Result<(), StoreError> {
        let mut probe = cmd("SET");
        probe.arg(self.server.key("probe")).arg("").arg("PX").arg(1_000);
        self.server.write(&probe)
    }
}

fn hex_ids(ids: &[JobId]) -> Vec<String> {
    ids.iter().map(JobId::to_string).collect()
}
