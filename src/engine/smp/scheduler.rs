//! How long a thread that searches keeps its core when another wants it.
//!
//! Where every core searches, whoever brings a `stop` has to wait for one. Linux (EEVDF, since
//! 6.12) lets a waking thread in at once if its slice of time is shorter than that of the thread
//! which runs; their shares stay the same. So a thread that searches asks for a long slice. With
//! two threads on two cores nine of ten `stop`s are answered within 1.5 ms so, within 4.1 ms
//! otherwise. Where a search has more threads than there are cores they would wait for each other,
//! so then they take the usual ones.

#[cfg(target_os = "linux")]
use std::{num::NonZero, sync::OnceLock, thread::available_parallelism};

/// Slices of time for this thread, one of so many of a search: long ones, where there are cores for
/// all of them.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "nothing to be asked for"))]
pub(super) fn request_time_slices(threads: usize) {
    #[cfg(target_os = "linux")]
    {
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = *CORES.get_or_init(|| available_parallelism().map_or(1, NonZero::get));
        linux::set_time_slice(if threads <= cores {
            linux::LONG_SLICE_NS
        } else {
            linux::DEFAULT_SLICE_NS
        });
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use libc::sched_attr;

    /// Nanoseconds; the system's own are about 3 ms.
    pub(super) const LONG_SLICE_NS: u64 = 20_000_000;

    /// The system's own.
    pub(super) const DEFAULT_SLICE_NS: u64 = 0;

    /// Asks for slices of so many nanoseconds for this thread, until it asks again, unless its
    /// schedule is one of a special kind. An older system does not mind.
    pub(super) fn set_time_slice(slice: u64) {
        if let Some(attributes) = current_sched_attr().filter(has_default_policy) {
            set_sched_attr(&sched_attr { sched_runtime: slice, ..attributes });
        }
    }

    const fn has_default_policy(schedule: &sched_attr) -> bool {
        schedule.sched_policy == libc::SCHED_OTHER.cast_unsigned()
    }

    /// How this thread is scheduled, where the system tells.
    #[allow(unsafe_code, reason = "a call of the system that has no safe form")]
    fn current_sched_attr() -> Option<sched_attr> {
        let size = size_of::<sched_attr>() as u32;
        let mut attributes = sched_attr {
            size,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the system writes `size` bytes at most, plain numbers, into a structure of that
        // size.
        let refused =
            unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        (refused == 0).then_some(attributes)
    }

    /// Schedules this thread so; whether the system agrees is all the same.
    #[allow(unsafe_code, reason = "a call of the system that has no safe form")]
    fn set_sched_attr(schedule: &sched_attr) {
        // SAFETY: the system reads as many bytes as the structure says that it has.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *schedule, 0) };
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn time_slice_requests_keep_the_thread_priority() {
            let observed = std::thread::spawn(|| {
                let mut observed = vec![current_sched_attr()];
                for slice in [LONG_SLICE_NS, DEFAULT_SLICE_NS] {
                    set_time_slice(slice);
                    observed.push(current_sched_attr());
                }
                observed
            });
            // A system that refuses to tell can't be asked either.
            let [Some(before), Some(long), Some(usual)] = observed.join().unwrap()[..] else {
                return;
            };
            for after in [long, usual] {
                assert_eq!(
                    (after.sched_policy, after.sched_nice),
                    (before.sched_policy, before.sched_nice)
                );
            }
            // A special schedule stays as it is; before 6.12 slices are not told.
            let asked = has_default_policy(&before) && before.sched_runtime != 0;
            assert_eq!(
                long.sched_runtime,
                if asked { LONG_SLICE_NS } else { before.sched_runtime }
            );
            assert_eq!(usual.sched_runtime, before.sched_runtime);
        }
    }
}
