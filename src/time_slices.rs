//! Time slices of threads: how soon a waiting thread gets a core while every core searches.
//!
//! Linux has the EEVDF scheduler since 6.6. Since 6.12 a thread can request a time slice. A waking
//! thread then usually runs at once if its slice is shorter than that of the running thread. Shares
//! of the processor stay the same. So search threads request long slices, and the thread that reads
//! UCI commands requests a short one. A search thread that offered its core now and then
//! (`sched_yield`) had a tenth of its speed when another process computed on the same core.

/// The length of a thread's time slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeSlices {
    /// For threads that wait most of the time.
    Short,
    /// The default of the operating system.
    Default,
    /// For threads that compute without waiting.
    Long,
}

/// Requests time slices for this thread, unless it has a special scheduling policy. An operating
/// system that cannot do it ignores the request. Threads that this thread starts may inherit them.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "only Linux has slices"))]
pub(crate) fn request_time_slices(slices: TimeSlices) {
    #[cfg(target_os = "linux")]
    linux::set_time_slice(slices);
}

#[cfg(target_os = "linux")]
mod linux {
    use libc::sched_attr;

    use super::TimeSlices;

    /// The slices in nanoseconds, of which Linux takes 100,000 to 100,000,000. Its default is about
    /// 3 ms, and is requested by 0.
    const fn nanoseconds(slices: TimeSlices) -> u64 {
        match slices {
            TimeSlices::Short => 100_000,
            TimeSlices::Default => 0,
            TimeSlices::Long => 20_000_000,
        }
    }

    pub(super) fn set_time_slice(slices: TimeSlices) {
        if let Some(attributes) = current_sched_attr().filter(has_default_policy) {
            set_sched_attr(&sched_attr { sched_runtime: nanoseconds(slices), ..attributes });
        }
    }

    const fn has_default_policy(schedule: &sched_attr) -> bool {
        schedule.sched_policy == libc::SCHED_OTHER.cast_unsigned()
    }

    /// The scheduling attributes of this thread; `None` where the kernel does not report them.
    #[allow(unsafe_code, reason = "the system call has no safe form")]
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
        // SAFETY: the kernel writes at most `size` bytes, plain numbers, into a structure of that
        // size.
        let status =
            unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        (status == 0).then_some(attributes)
    }

    /// Sets the scheduling attributes of this thread. A refusal changes nothing and is ignored.
    #[allow(unsafe_code, reason = "the system call has no safe form")]
    fn set_sched_attr(schedule: &sched_attr) {
        // SAFETY: the kernel reads as many bytes as the structure's `size` field says.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *schedule, 0) };
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn time_slice_requests_keep_the_thread_priority() {
            let observed = std::thread::spawn(|| {
                let mut observed = vec![current_sched_attr()];
                for slices in [TimeSlices::Short, TimeSlices::Long, TimeSlices::Default] {
                    set_time_slice(slices);
                    observed.push(current_sched_attr());
                }
                observed
            });
            // A kernel that does not report attributes accepts no request either.
            let [Some(before), Some(short), Some(long), Some(default)] =
                observed.join().unwrap()[..]
            else {
                return;
            };
            for after in [short, long, default] {
                assert_eq!(
                    (after.sched_policy, after.sched_nice),
                    (before.sched_policy, before.sched_nice)
                );
            }
            // A special policy stays unchanged; kernels before 6.12 do not report slices.
            let requested = has_default_policy(&before) && before.sched_runtime != 0;
            for (after, slices) in [(short, TimeSlices::Short), (long, TimeSlices::Long)] {
                let expected = if requested { nanoseconds(slices) } else { before.sched_runtime };
                assert_eq!(after.sched_runtime, expected);
            }
            assert_eq!(default.sched_runtime, before.sched_runtime);
        }
    }
}
