//! The x86-64-v2 kernels, with SSE4: 8 numbers of 16 bits at a time.

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_add_epi64, _mm_cvtepi32_epi64, _mm_cvtsi128_si64,
    _mm_extract_epi64, _mm_loadu_si128, _mm_madd_epi16, _mm_max_epi16, _mm_min_epi16,
    _mm_mullo_epi16, _mm_set1_epi16, _mm_setzero_si128, _mm_storeu_si128, _mm_sub_epi16,
    _mm_unpackhi_epi64,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};

type Vector = __m128i;
type Sums = __m128i;
const LANES: usize = 8;
const SUM_LANES: usize = 4;

kernels!("sse4.1");

#[inline]
#[target_feature(enable = "sse4.1")]
fn load(numbers: &[i16; LANES]) -> Vector {
    // SAFETY: the reference is to the 16 bytes that are read; they need no alignment.
    unsafe { _mm_loadu_si128(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn store(vector: Vector, numbers: &mut [i16; LANES]) {
    // SAFETY: the reference is to the 16 bytes that are written; they need no alignment.
    unsafe { _mm_storeu_si128(numbers.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn sub(a: Vector, b: Vector) -> Vector {
    _mm_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn zero_sums() -> Sums {
    _mm_setzero_si128()
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn add_products(chain: Sums, sums: Vector, weights: Vector) -> Sums {
    let clipped =
        _mm_min_epi16(_mm_max_epi16(sums, _mm_setzero_si128()), _mm_set1_epi16(QA as i16));
    _mm_add_epi32(chain, _mm_madd_epi16(_mm_mullo_epi16(clipped, weights), clipped))
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn total(sums: Sums) -> i64 {
    let two =
        _mm_add_epi64(_mm_cvtepi32_epi64(sums), _mm_cvtepi32_epi64(_mm_unpackhi_epi64(sums, sums)));
    _mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)
}
