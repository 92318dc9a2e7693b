//! The AVX-512 kernels with VNNI: 32 numbers of 16 bits at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_add_epi64, _mm512_castsi512_si256,
    _mm512_cvtepi32_epi64, _mm512_dpbusd_epi32, _mm512_dpwssd_epi32, _mm512_extracti64x4_epi64,
    _mm512_loadu_si512, _mm512_max_epi16, _mm512_min_epi16, _mm512_mulhi_epi16, _mm512_mullo_epi16,
    _mm512_packus_epi16, _mm512_permutexvar_epi64, _mm512_reduce_add_epi64, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setr_epi64, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_storeu_si512, _mm512_sub_epi16, _mm512_test_epi32_mask,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};
use crate::nnue::later_layers::PAIR_SHIFT;

type Vector = __m512i;
type Sums = __m512i;
type Bytes = __m512i;
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

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_sums(a: Sums, b: Sums) -> Sums {
    _mm512_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_sums(sums: &[i32; SUM_LANES]) -> Sums {
    // SAFETY: the reference is to the 64 bytes that are read; they need no alignment.
    unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_sums(vector: Sums, sums: &mut [i32; SUM_LANES]) {
    // SAFETY: the reference is to the 64 bytes that are written; they need no alignment.
    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn multiply_pairs(left: Vector, right: Vector) -> Vector {
    let max = _mm512_set1_epi16(QA as i16);
    let left = _mm512_min_epi16(_mm512_max_epi16(left, _mm512_setzero_si512()), max);
    let right = _mm512_min_epi16(right, max);
    _mm512_mulhi_epi16(_mm512_slli_epi16::<{ 16 - PAIR_SHIFT }>(left), right)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_bytes(first: Vector, second: Vector, bytes: &mut [u8; 2 * LANES]) {
    // Packing works in lanes of 128 bits.
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    let packed = _mm512_permutexvar_epi64(order, _mm512_packus_epi16(first, second));
    // SAFETY: the reference is to the 64 bytes that are written; they need no alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), packed) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn active_groups(bytes: &[u8; 64]) -> u16 {
    // SAFETY: the reference is to the 64 bytes that are read; they need no alignment.
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    _mm512_test_epi32_mask(bytes, bytes)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn repeat(group: &[u8; GROUP]) -> Bytes {
    _mm512_set1_epi32(i32::from_le_bytes(*group))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_weights(weights: &[i8; GROUP * SUM_LANES]) -> Bytes {
    // SAFETY: the reference is to the 64 bytes that are read; they need no alignment.
    unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_groups(sums: Sums, inputs: Bytes, weights: Bytes) -> Sums {
    _mm512_dpbusd_epi32(sums, inputs, weights)
}
