//! The x86-64-v2 kernels, with SSE4: 8 numbers of 16 bits at a time.

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_add_epi64, _mm_castsi128_ps, _mm_cmpgt_epi32,
    _mm_cvtepi32_epi64, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_loadu_si128, _mm_madd_epi16,
    _mm_maddubs_epi16, _mm_max_epi16, _mm_min_epi16, _mm_movemask_ps, _mm_mulhi_epi16,
    _mm_mullo_epi16, _mm_packus_epi16, _mm_set1_epi16, _mm_set1_epi32, _mm_setzero_si128,
    _mm_slli_epi16, _mm_storeu_si128, _mm_sub_epi16, _mm_unpackhi_epi64,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};
use crate::nnue::later_layers::PAIR_SHIFT;

type Vector = __m128i;
type Sums = __m128i;
type Bytes = __m128i;
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

#[inline]
#[target_feature(enable = "sse4.1")]
fn add_sums(a: Sums, b: Sums) -> Sums {
    _mm_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn load_sums(sums: &[i32; SUM_LANES]) -> Sums {
    // SAFETY: the reference is to the 16 bytes that are read; they need no alignment.
    unsafe { _mm_loadu_si128(sums.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn store_sums(vector: Sums, sums: &mut [i32; SUM_LANES]) {
    // SAFETY: the reference is to the 16 bytes that are written; they need no alignment.
    unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn multiply_pairs(left: Vector, right: Vector) -> Vector {
    let max = _mm_set1_epi16(QA as i16);
    let left = _mm_min_epi16(_mm_max_epi16(left, _mm_setzero_si128()), max);
    let right = _mm_min_epi16(right, max);
    _mm_mulhi_epi16(_mm_slli_epi16::<{ 16 - PAIR_SHIFT as i32 }>(left), right)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn store_bytes(first: Vector, second: Vector, bytes: &mut [u8; 2 * LANES]) {
    let packed = _mm_packus_epi16(first, second);
    // SAFETY: the reference is to the 16 bytes that are written; they need no alignment.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn active_groups(bytes: &[u8; 64]) -> u16 {
    let mut groups = 0;
    for (quarter, bytes) in bytes.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: the reference is to the 16 bytes that are read; they need no alignment.
        let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        // No byte is above 127, so no group is negative.
        let is_active = _mm_cmpgt_epi32(bytes, _mm_setzero_si128());
        groups |= _mm_movemask_ps(_mm_castsi128_ps(is_active)) << (4 * quarter);
    }
    groups as u16
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn repeat(group: &[u8; GROUP]) -> Bytes {
    _mm_set1_epi32(i32::from_le_bytes(*group))
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn load_weights(weights: &[i8; GROUP * SUM_LANES]) -> Bytes {
    // SAFETY: the reference is to the 16 bytes that are read; they need no alignment.
    unsafe { _mm_loadu_si128(weights.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn add_groups(sums: Sums, inputs: Bytes, weights: Bytes) -> Sums {
    // Two products of 127 and 128 fit 16 bits.
    let twos = _mm_maddubs_epi16(inputs, weights);
    _mm_add_epi32(sums, _mm_madd_epi16(twos, _mm_set1_epi16(1)))
}
