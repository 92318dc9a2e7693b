//! Large allocations in huge pages, which make random accesses miss the TLB less often.
//!
//! Chess Programming Wiki, "Huge Pages". As in Stockfish, `madvise` advises the operating system,
//! which may ignore the advice.

use std::collections::TryReserveError;

/// Allocates a vector of `len` elements, in huge pages where the operating system has them.
///
/// # Errors
///
/// [`TryReserveError`] when the operating system does not provide the memory.
pub(super) fn alloc_huge<T>(
    len: usize,
    element: impl FnMut() -> T,
) -> Result<Vec<T>, TryReserveError> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(len)?;
    advise_huge_pages(&mut elements);
    elements.resize_with(len, element);
    Ok(elements)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the standard library has no safe form of madvise")]
fn advise_huge_pages<T>(elements: &mut Vec<T>) {
    const HUGE_PAGE_BYTES: usize = 2 << 20;
    let spare = elements.spare_capacity_mut();
    let (start, len) = (spare.as_mut_ptr().addr(), size_of_val(spare));
    let skipped = start.next_multiple_of(HUGE_PAGE_BYTES) - start;
    if let Some(len) =
        len.checked_sub(skipped).map(|len| len - len % HUGE_PAGE_BYTES).filter(|&len| len > 0)
    {
        let first = spare.as_mut_ptr().cast::<u8>().wrapping_add(skipped);
        // SAFETY: the range lies within memory that the vector owns; the advice changes neither its
        // content nor who may use it. A refused advice changes nothing, so the result is ignored.
        let _ = unsafe { libc::madvise(first.cast(), len, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_initialised_at_any_size() {
        for len in [0, 1, 1000, 3 << 20] {
            let mut next = 0_u32;
            let elements = alloc_huge(len, || {
                next += 1;
                next
            })
            .unwrap();
            assert_eq!(elements.len(), len);
            assert!(elements.iter().zip(1..).all(|(&element, n)| element == n));
        }
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert!(alloc_huge(usize::MAX / 8, || 0_u32).is_err());
    }
}
