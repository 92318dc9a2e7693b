//! The AVX-512 kernels with VNNI: 32 numbers of 16 bits at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi64, _mm512_castsi512_si256, _mm512_cvtepi32_epi64,
    _mm512_dpwssd_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_max_epi16,
    _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi64, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_storeu_si512, _mm512_sub_epi16,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};

type Vector = __m512i;
type Sums = __m512i;
const LANES: usize = 32;
const SUM_LANES: usize = 16;

kernels!("avx512f,avx512bw,avx512vnni");

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(numbers: &[i16; LANES]) -> Vector {
    // SAFETY: the reference is to the 64 bytes that are read; they need no alignment.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(vector: Vector, numbers: &mut [i16; LANES]) {
    // SAFETY: the reference is to the 64 bytes that are written; they need no alignment.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm512_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sub(a: Vector, b: Vector) -> Vector {
    _mm512_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn zero_sums() -> Sums {
    _mm512_setzero_si512()
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_products(chain: Sums, sums: Vector, weights: Vector) -> Sums {
    let clipped = _mm512_min_epi16(
        _mm512_max_epi16(sums, _mm512_setzero_si512()),
        _mm512_set1_epi16(QA as i16),
    );
    _mm512_dpwssd_epi32(chain, _mm512_mullo_epi16(clipped, weights), clipped)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn total(sums: Sums) -> i64 {
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums));
    let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sums));
    _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
}
