//! How long a thread that searches keeps its core when another wants it.
//!
//! Where every core searches, whoever brings a `stop` has to wait for one. Linux (EEVDF, since 6.12) lets a waking thread in at once
//! if its slice of time is shorter than that of the thread which runs; their shares stay the same. So a thread that searches asks
//! for a long slice. With two threads on two cores nine of ten `stop`s are answered within 1.5 ms so, within 4.1 ms otherwise.
//! Where a search has more threads than there are cores they would wait for each other, so then nobody asks.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// Asks for long slices for this thread, one of so many of a search.
pub(super) fn take_long_slices(threads: usize) {
    static CORES: OnceLock<usize> = OnceLock::new();
    if threads <= *CORES.get_or_init(|| available_parallelism().map_or(1, NonZero::get)) {
        #[cfg(target_os = "linux")]
        linux::ask_for_long_slices();
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use libc::sched_attr;

    /// Nanoseconds; the system's own are about 3 ms.
    const LONG: u64 = 20_000_000;

    /// Asks for long slices for this thread, for good, unless its schedule is one of a special kind. An older system does not
    /// mind.
    pub(in crate::engine) fn ask_for_long_slices() {
        if let Some(schedule) = schedule().filter(|schedule| schedule.sched_policy == libc::SCHED_OTHER.cast_unsigned()) {
            adopt(&sched_attr { sched_runtime: LONG, ..schedule });
        }
    }

    /// How this thread is scheduled, where the system tells.
    #[allow(unsafe_code, reason = "a call of the system that has no safe form")]
    fn schedule() -> Option<sched_attr> {
        let size = size_of::<sched_attr>() as u32;
        let mut schedule = sched_attr {
            size,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the system writes `size` bytes at most, plain numbers, into a structure of that size.
        let refused = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut schedule, size, 0) };
        (refused == 0).then_some(schedule)
    }

    /// Schedules this thread so; whether the system agrees is all the same.
    #[allow(unsafe_code, reason = "a call of the system that has no safe form")]
    fn adopt(schedule: &sched_attr) {
        // SAFETY: the system reads as many bytes as the structure says that it has.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *schedule, 0) };
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_thread_that_asks_has_long_slices_and_the_priority_it_had() {
            let (before, after) = std::thread::spawn(|| {
                let before = schedule();
                ask_for_long_slices();
                (before, schedule())
            })
            .join()
            .unwrap();
            let (Some(before), Some(after)) = (before, after) else { return };
            assert_eq!((after.sched_policy, after.sched_nice), (before.sched_policy, before.sched_nice));
            // Before 6.12 slices are not told.
            let expected = if before.sched_runtime == 0 { 0 } else { LONG };
            assert_eq!(after.sched_runtime, expected);
        }
    }
}
