//! How the process's heap gives memory back.

/// Large blocks come from the system each on its own and go back to it as soon as they are free.
///
/// By default glibc raises the size from which it does so to that of the largest block that was
/// freed. Then the blocks that a search needs lie among small ones that stay (what is remembered of
/// it), each gap is a little too small for the next search's, and the process grows by what every
/// search has used. To be called before threads are started.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a setting of the allocator, which has no safe form")]
pub fn configure_malloc() {
    /// The stacks and tables of a search are larger, what the service remembers and answers is
    /// smaller.
    const MMAP_THRESHOLD_BYTES: libc::c_int = 32 << 10;
    // SAFETY: the call takes two numbers, and changes where later allocations come from, none that
    // there is. An allocator that refuses it goes on as before.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES) };
}

/// Other allocators have no such habit.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_large_blocks() {}
