//! Memory asked for before it is needed.
//!
//! Chess Programming Wiki, "Memory" (prefetch). Tables of some megabytes do not fit the nearer
//! caches: a look into one costs as much as a hundred instructions, unless the processor was told
//! of it so much earlier.

/// Asks the processor to fetch what stands here, and goes on at once.
#[inline(always)]
#[allow(unsafe_code, reason = "a hint to the processor, which has no safe form")]
pub(super) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a living value, and a prefetch neither reads nor writes as
        // far as the program sees.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
