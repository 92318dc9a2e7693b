//! The NEON kernels: 8 numbers of 16 bits at a time.

use std::arch::aarch64::{
    int16x8_t, int32x4_t, vaddlvq_s32, vaddq_s16, vdupq_n_s16, vdupq_n_s32, vget_low_s16,
    vld1q_s16, vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16, vmulq_s16, vst1q_s16, vsubq_s16,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};

type Vector = int16x8_t;
type Sums = int32x4_t;
const LANES: usize = 8;
const SUM_LANES: usize = 4;

kernels!("neon");

#[inline]
#[target_feature(enable = "neon")]
fn load(numbers: &[i16; LANES]) -> Vector {
    // SAFETY: the reference is to the 16 bytes that are read; they need no alignment beyond that of
    // `i16`.
    unsafe { vld1q_s16(numbers.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(vector: Vector, numbers: &mut [i16; LANES]) {
    // SAFETY: the reference is to the 16 bytes that are written; they need no alignment beyond that
    // of `i16`.
    unsafe { vst1q_s16(numbers.as_mut_ptr(), vector) }
}

#[inline]
#[target_feature(enable = "neon")]
fn add(a: Vector, b: Vector) -> Vector {
    vaddq_s16(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn sub(a: Vector, b: Vector) -> Vector {
    vsubq_s16(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn zero_sums() -> Sums {
    vdupq_n_s32(0)
}

#[inline]
#[target_feature(enable = "neon")]
fn add_products(chain: Sums, sums: Vector, weights: Vector) -> Sums {
    let clipped = vminq_s16(vmaxq_s16(sums, vdupq_n_s16(0)), vdupq_n_s16(QA as i16));
    let products = vmulq_s16(clipped, weights);
    let low = vmlal_s16(chain, vget_low_s16(products), vget_low_s16(clipped));
    vmlal_high_s16(low, products, clipped)
}

#[inline]
#[target_feature(enable = "neon")]
fn total(sums: Sums) -> i64 {
    vaddlvq_s32(sums)
}
