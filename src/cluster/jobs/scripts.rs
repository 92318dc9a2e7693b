//! The scripts that change jobs, each of which the server runs without interruption.
//!
//! `KEYS[1]` of each is the prefix of all keys. A change to the set of jobs (added, ended, removed)
//! begins a new version: the id of its log entry is `<version>-0`. Other entries have the ids
//! `<version>-1`, `<version>-2` and so on. So the ids have no gaps, and a node that compares them
//! notices each entry that it has missed.

/// Functions of all scripts.
macro_rules! library {
    () => {
        "
local root = KEYS[1]
local function log(id, ...)
  redis.call('XADD', root .. 'log', 'MAXLEN', '~', 10000, id, ...)
end
local function changed(...)
  log(string.format('%.0f-0', redis.call('INCR', root .. 'version')), ...)
end
local function progressed(...)
  log((redis.call('GET', root .. 'version') or '0') .. '-*', ...)
end
"
    };
}

/// `function remove(id)`: removes a job and adds a tombstone. At most 50,000 are kept.
macro_rules! remove {
    () => {
        "
local function remove(id)
  if redis.call('SREM', root .. 'ids', id) == 0 then return end
  local key = redis.call('HGET', root .. 'job:' .. id, 'key')
  if key then redis.call('HDEL', root .. 'keys', key) end
  redis.call('UNLINK', root .. 'job:' .. id, root .. 'find:' .. id, root .. 'games:' .. id,
    root .. 'texts:' .. id, root .. 'lease:' .. id)
  redis.call('RPUSH', root .. 'gone', id)
  redis.call('LTRIM', root .. 'gone', -50000, -1)
  changed('change', 'removed', 'job', id)
end
"
    };
}

/// Inserts a job whose games were uploaded, and removes others. Returns `stale` if the version is
/// another one or the idempotency key is taken, and `late` if some of the games have expired.
///
/// `ARGV`: the expected version, the job, its record, `1` if it has ended, the idempotency key or
/// an empty text, the value of the key, how many games and how many texts it has, the jobs to
/// remove.
pub(super) const INSERT: &str = concat!(
    library!(),
    remove!(),
    "
local id, key = ARGV[2], ARGV[5]
if (redis.call('GET', root .. 'version') or '0') ~= ARGV[1] then return 'stale' end
if key ~= '' and redis.call('HEXISTS', root .. 'keys', key) == 1 then return 'stale' end
if redis.call('HLEN', root .. 'games:' .. id) ~= tonumber(ARGV[7])
  or redis.call('HLEN', root .. 'texts:' .. id) ~= tonumber(ARGV[8]) then return 'late' end
redis.call('PERSIST', root .. 'games:' .. id)
redis.call('PERSIST', root .. 'texts:' .. id)
for i = 9, #ARGV do remove(ARGV[i]) end
redis.call('SADD', root .. 'ids', id)
redis.call('HSET', root .. 'job:' .. id, 'record', ARGV[3])
if ARGV[4] == '1' then redis.call('HSET', root .. 'job:' .. id, 'ended', 1) end
if key ~= '' then
  redis.call('HSET', root .. 'job:' .. id, 'key', key)
  redis.call('HSET', root .. 'keys', key, ARGV[6])
end
changed('change', 'added', 'job', id)
return 'inserted'"
);

/// Removes jobs.
///
/// `ARGV`: the jobs.
pub(super) const REMOVE: &str = concat!(
    library!(),
    remove!(),
    "
for i = 1, #ARGV do remove(ARGV[i]) end"
);

/// Claims a job. Returns the fencing number, or nothing if another node runs the job, or it has
/// ended or was removed.
///
/// `ARGV`: the job, the node, the lifetime of the claim in milliseconds.
pub(super) const CLAIM: &str = concat!(
    library!(),
    "
local job, lease = root .. 'job:' .. ARGV[1], root .. 'lease:' .. ARGV[1]
if redis.call('EXISTS', job) == 0 or redis.call('HEXISTS', job, 'ended') == 1 then return false end
local holder = redis.call('GET', lease)
if holder and holder ~= ARGV[2] then return false end
redis.call('SET', lease, ARGV[2], 'PX', ARGV[3])
progressed('change', 'running', 'job', ARGV[1], 'done', redis.call('HGET', job, 'done') or '0')
return redis.call('HINCRBY', job, 'fence', 1)"
);

/// Renews a claim, unless another node has claimed the job since.
///
/// `ARGV`: the job, the fencing number, the node, the lifetime of the claim in milliseconds.
pub(super) const RENEW: &str = "
local root = KEYS[1]
local job = root .. 'job:' .. ARGV[1]
if redis.call('HGET', job, 'fence') == ARGV[2] and redis.call('HEXISTS', job, 'ended') == 0 then
  redis.call('SET', root .. 'lease:' .. ARGV[1], ARGV[3], 'PX', ARGV[4])
end";

/// Gives a claim up. What its node has sent before and arrives later has no effect.
///
/// `ARGV`: the job, the fencing number.
pub(super) const RELEASE: &str = concat!(
    library!(),
    "
if redis.call('HGET', root .. 'job:' .. ARGV[1], 'fence') == ARGV[2] then
  redis.call('HINCRBY', root .. 'job:' .. ARGV[1], 'fence', 1)
  redis.call('DEL', root .. 'lease:' .. ARGV[1])
  progressed('change', 'released', 'job', ARGV[1])
end"
);

/// Appends evaluations of a claimed job. Those that are there already stay as they are. Returns
/// `gone` if there is no such job, and `lost` if the claim is not the last one.
///
/// `ARGV`: the job, the fencing number, the number of the first evaluation, the evaluations.
pub(super) const APPEND: &str = "
local root = KEYS[1]
local job, find = root .. 'job:' .. ARGV[1], root .. 'find:' .. ARGV[1]
if redis.call('EXISTS', job) == 0 then return 'gone' end
local stored, first = redis.call('LLEN', find), tonumber(ARGV[3])
if redis.call('HGET', job, 'fence') ~= ARGV[2] or first > stored then return 'lost' end
for i = 4 + stored - first, #ARGV do redis.call('RPUSH', find, ARGV[i]) end
return 'appended'";

/// Publishes the evaluations of a claimed job, once they are durable, and its end. Returns as
/// [`APPEND`] does.
///
/// `ARGV`: the job, the fencing number, the number of evaluations, the record with the end or an
/// empty text, the time of the end in milliseconds, `1` if the job failed.
pub(super) const PUBLISH: &str = concat!(
    library!(),
    "
local id, done = ARGV[1], ARGV[3]
local job = root .. 'job:' .. id
if redis.call('EXISTS', job) == 0 then return 'gone' end
if redis.call('HGET', job, 'fence') ~= ARGV[2]
  or tonumber(done) > redis.call('LLEN', root .. 'find:' .. id) then return 'lost' end
-- A command that was long on its way must not take anything back.
if redis.call('HEXISTS', job, 'ended') == 1 then return 'published' end
local is_more = tonumber(done) > tonumber(redis.call('HGET', job, 'done') or '0')
if is_more then redis.call('HSET', job, 'done', done) end
if ARGV[4] ~= '' then
  redis.call('HSET', job, 'record', ARGV[4], 'ended', 1)
  redis.call('DEL', root .. 'lease:' .. id)
  changed('change', 'ended', 'job', id, 'done', done, 'at', ARGV[5], 'failed', ARGV[6])
elseif is_more then
  progressed('change', 'running', 'job', id, 'done', done)
end
return 'published'"
);

/// Returns those of the jobs that exist and that no node runs.
///
/// `ARGV`: the jobs.
pub(super) const UNCLAIMED: &str = "
local root = KEYS[1]
local free = {}
for i = 1, #ARGV do
  if redis.call('EXISTS', root .. 'lease:' .. ARGV[i]) == 0
    and redis.call('EXISTS', root .. 'job:' .. ARGV[i]) == 1 then table.insert(free, ARGV[i]) end
end
return free";
