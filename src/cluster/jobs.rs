//! The jobs that all nodes share, on a server that keeps them on disk.
//!
//! - `scripts`: the changes, each of which is one step for everybody else;
//! - `log`: the feed of changes;
//! - `value`: the encoding of records, games and evaluations;
//! - `link`: a connection;
//! - `server`: the connections, and the durability of writes;
//! - `redis_jobs`: the jobs behind the interface of the job service.
//!
//! | key | what |
//! |---|---|
//! | `version` | the number of changes to the set of jobs |
//! | `log` | the last changes (stream) |
//! | `ids` | the ids of all jobs (set) |
//! | `gone` | the ids of removed jobs, the oldest first (list) |
//! | `keys` | request digest and job by the digest of an idempotency key (hash) |
//! | `job:<id>` | record, number of published evaluations, fencing number, whether it has ended, digest of its idempotency key (hash) |
//! | `games:<id>`, `texts:<id>` | games and PGN texts by number (hashes) |
//! | `find:<id>` | evaluations in the order of their positions (list) |
//! | `lease:<id>` | the node that runs the job, while it renews its claim |
//! | `probe` | written to learn whether the server takes writes; soon expires |

mod link;
mod log;
mod redis_jobs;
mod scripts;
mod server;
mod value;

pub use redis_jobs::RedisJobs;
