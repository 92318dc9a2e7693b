//! The AVX2 kernels: 16 numbers of 16 bits at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_extract_epi64, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_add_epi64, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_cmpgt_epi32, _mm256_cvtepi32_epi64, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_movemask_ps, _mm256_mulhi_epi16, _mm256_mullo_epi16, _mm256_packus_epi16,
    _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_slli_epi16, _mm256_storeu_si256, _mm256_sub_epi16,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};
use crate::nnue::later_layers::PAIR_SHIFT;

type Vector = __m256i;
type Sums = __m256i;
type Bytes = __m256i;
const LANES: usize = 16;
const SUM_LANES: usize = 8;

kernels!("avx2");

#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &[i16; LANES]) -> Vector {
    // SAFETY: the reference is to the 32 bytes that are read; they need no alignment.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(vector: Vector, numbers: &mut [i16; LANES]) {
    // SAFETY: the reference is to the 32 bytes that are written; they need no alignment.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm256_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn sub(a: Vector, b: Vector) -> Vector {
    _mm256_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn zero_sums() -> Sums {
    _mm256_setzero_si256()
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_products(chain: Sums, sums: Vector, weights: Vector) -> Sums {
    let clipped = _mm256_min_epi16(
        _mm256_max_epi16(sums, _mm256_setzero_si256()),
        _mm256_set1_epi16(QA as i16),
    );
    _mm256_add_epi32(chain, _mm256_madd_epi16(_mm256_mullo_epi16(clipped, weights), clipped))
}

#[inline]
#[target_feature(enable = "avx2")]
fn total(sums: Sums) -> i64 {
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums));
    let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(sums));
    let four = _mm256_add_epi64(low, high);
    let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
    _mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_sums(a: Sums, b: Sums) -> Sums {
    _mm256_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_sums(sums: &[i32; SUM_LANES]) -> Sums {
    // SAFETY: the reference is to the 32 bytes that are read; they need no alignment.
    unsafe { _mm256_loadu_si256(sums.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_sums(vector: Sums, sums: &mut [i32; SUM_LANES]) {
    // SAFETY: the reference is to the 32 bytes that are written; they need no alignment.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn multiply_pairs(left: Vector, right: Vector) -> Vector {
    let max = _mm256_set1_epi16(QA as i16);
    let left = _mm256_min_epi16(_mm256_max_epi16(left, _mm256_setzero_si256()), max);
    let right = _mm256_min_epi16(right, max);
    _mm256_mulhi_epi16(_mm256_slli_epi16::<{ 16 - PAIR_SHIFT as i32 }>(left), right)
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_bytes(first: Vector, second: Vector, bytes: &mut [u8; 2 * LANES]) {
    // Packing works in lanes of 128 bits.
    let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(first, second));
    // SAFETY: the reference is to the 32 bytes that are written; they need no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), packed) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn active_groups(bytes: &[u8; 64]) -> u16 {
    let mut groups = 0;
    for (half, bytes) in bytes.as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: the reference is to the 32 bytes that are read; they need no alignment.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        // No byte is above 127, so no group is negative.
        let is_active = _mm256_cmpgt_epi32(bytes, _mm256_setzero_si256());
        groups |= _mm256_movemask_ps(_mm256_castsi256_ps(is_active)) << (8 * half);
    }
    groups as u16
}

#[inline]
#[target_feature(enable = "avx2")]
fn repeat(group: &[u8; GROUP]) -> Bytes {
    _mm256_set1_epi32(i32::from_le_bytes(*group))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_weights(weights: &[i8; GROUP * SUM_LANES]) -> Bytes {
    // SAFETY: the reference is to the 32 bytes that are read; they need no alignment.
    unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_groups(sums: Sums, inputs: Bytes, weights: Bytes) -> Sums {
    // Two products of 127 and 128 fit 16 bits.
    let twos = _mm256_maddubs_epi16(inputs, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(twos, _mm256_set1_epi16(1)))
}
