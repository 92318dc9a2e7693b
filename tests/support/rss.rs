//! The memory of a process, from `/proc`.

use std::fs;

/// A field of `/proc/PID/status` in KiB, such as `VmRSS` (resident memory) or `VmHWM` (its peak).
/// `None` once the process has ended.
pub(crate) fn status_kib(pid: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    value.trim().strip_suffix(" kB")?.parse().ok()
}
