//! Resource usage of the process, under the names that the Prometheus client libraries use.

/// The resource usage at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProcessStats {
    /// User and system CPU time, in seconds.
    pub(super) cpu_seconds: f64,
    /// Resident memory.
    pub(super) resident_bytes: u64,
    /// Virtual memory.
    pub(super) virtual_bytes: u64,
    /// Number of threads.
    pub(super) threads: u64,
    /// Open file descriptors.
    pub(super) open_fds: u64,
    /// Maximum number of open file descriptors; `None` without a limit.
    pub(super) max_fds: Option<u64>,
    /// Start of the process by the system clock, in seconds since 1970.
    pub(super) start_seconds: f64,
}

impl ProcessStats {
    /// The usage of this process, where the system reports it.
    #[cfg(target_os = "linux")]
    pub(super) fn sample() -> Option<ProcessStats> {
        match read_procfs() {
            Ok(process) => Some(process),
            Err(error) => {
                tracing::debug!(error = error.to_string(), "process statistics are unavailable");
                None
            }
        }
    }

    /// The usage of this process, where the system reports it.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn sample() -> Option<ProcessStats> {
        None
    }
}

#[cfg(target_os = "linux")]
fn read_procfs() -> procfs::ProcResult<ProcessStats> {
    use procfs::process::LimitValue;

    let process = procfs::process::Process::myself()?;
    let stat = process.stat()?;
    let ticks = procfs::ticks_per_second() as f64;
    let max_fds = match process.limits()?.max_open_files.soft_limit {
        LimitValue::Value(max) => Some(max),
        LimitValue::Unlimited => None,
    };
    Ok(ProcessStats {
        cpu_seconds: (stat.utime + stat.stime) as f64 / ticks,
        resident_bytes: stat.rss * procfs::page_size(),
        virtual_bytes: stat.vsize,
        threads: u64::try_from(stat.num_threads).unwrap_or_default(),
        open_fds: process.fd_count()? as u64,
        max_fds,
        start_seconds: procfs::boot_time_secs()? as f64 + stat.starttime as f64 / ticks,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn procfs_describes_this_process() {
        let process = read_procfs().unwrap();
        assert!(
            process.resident_bytes > 1 << 20 && process.virtual_bytes >= process.resident_bytes,
            "{process:?}"
        );
        assert!(process.threads >= 1 && process.open_fds >= 3, "{process:?}");
        assert!(process.max_fds.is_none_or(|max| max >= process.open_fds), "{process:?}");
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_secs_f64();
        assert!((now - 86_400.0..=now + 1.0).contains(&process.start_seconds), "{process:?}");
    }
}
