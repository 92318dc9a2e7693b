//! Prefetching of memory into the processor's caches.
//!
//! Chess Programming Wiki, "Memory" (prefetch). Tables of some megabytes exceed the inner caches.
//! An access that misses them costs as much as a hundred instructions, unless it was prefetched.

/// Prefetches the cache line at the start of a value, without waiting for it.
#[inline(always)]
#[allow(unsafe_code, reason = "the prefetch instruction has no safe form")]
pub(super) fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a live value, and a prefetch neither reads nor writes as
        // far as the program can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = target;
}
