//! Huge pages for large tables, so that random accesses miss the TLB less often.
//!
//! Chess Programming Wiki, "Huge Pages". As in Stockfish, `madvise` advises the operating system,
//! which may ignore the advice.

use std::collections::TryReserveError;

/// Allocates a vector of `len` elements, in huge pages where the operating system has them.
///
/// # Errors
///
/// [`TryReserveError`] when the operating system does not provide the memory.
pub(crate) fn try_alloc_huge<T>(
    len: usize,
    element: impl FnMut() -> T,
) -> Result<Vec<T>, TryReserveError> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(len)?;
    Ok(fill(elements, len, element))
}

/// Allocates a vector as [`try_alloc_huge`] does. The process ends if there is no memory, as with
/// every vector.
pub(crate) fn alloc_huge<T>(len: usize, element: impl FnMut() -> T) -> Vec<T> {
    fill(Vec::with_capacity(len), len, element)
}

/// Fills an empty vector that has room for `len` elements.
fn fill<T>(mut elements: Vec<T>, len: usize, element: impl FnMut() -> T) -> Vec<T> {
    advise_huge_pages(elements.spare_capacity_mut());
    elements.resize_with(len, element);
    elements
}

/// Asks for huge pages where nothing has been written yet. Huge pages of elements that are zero
/// from their allocation on take no memory before one of their elements is touched.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the standard library has no safe form of madvise")]
pub(crate) fn advise_huge_pages<T>(elements: &mut [T]) {
    const HUGE_PAGE_BYTES: usize = 2 << 20;
    let (start, len) = (elements.as_mut_ptr().addr(), size_of_val(elements));
    let skipped = start.next_multiple_of(HUGE_PAGE_BYTES) - start;
    if let Some(len) =
        len.checked_sub(skipped).map(|len| len - len % HUGE_PAGE_BYTES).filter(|&len| len > 0)
    {
        let first = elements.as_mut_ptr().cast::<u8>().wrapping_add(skipped);
        // SAFETY: the range lies within the elements, which are borrowed for writing; the advice
        // changes neither their content nor who may use them. A refused advice changes nothing, so
        // the result is ignored.
        let _ = unsafe { libc::madvise(first.cast(), len, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn advise_huge_pages<T>(_: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_initialised_at_any_size() {
        for len in [0, 1, 1000, 3 << 20] {
            let counter = || {
                let mut next = 0_u32;
                move || {
                    next += 1;
                    next
                }
            };
            for elements in [try_alloc_huge(len, counter()).unwrap(), alloc_huge(len, counter())] {
                assert_eq!(elements.len(), len);
                assert!(elements.iter().zip(1..).all(|(&element, n)| element == n));
            }
        }
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert!(try_alloc_huge(usize::MAX / 8, || 0_u32).is_err());
    }

    #[test]
    fn the_advice_keeps_the_content() {
        let mut elements: Vec<u32> = (0..3 << 20).collect();
        advise_huge_pages(&mut elements);
        assert!(elements.iter().zip(0..).all(|(&element, n)| element == n));
    }
}
