//! The AVX2 kernels: 16 numbers of 16 bits at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_extract_epi64, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_add_epi64, _mm256_castsi256_si128, _mm256_cvtepi32_epi64,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm256_storeu_si256, _mm256_sub_epi16,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};

type Vector = __m256i;
type Sums = __m256i;
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
