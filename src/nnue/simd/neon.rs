//! The NEON kernels: 8 numbers of 16 bits at a time.

use std::arch::aarch64::{
    int8x16_t, int16x8_t, int32x4_t, vaddlvq_s32, vaddq_s16, vaddq_s32, vaddvq_u32, vandq_u32,
    vcombine_u8, vdupq_n_s16, vdupq_n_s32, vget_low_s8, vget_low_s16, vld1q_s8, vld1q_s16,
    vld1q_s32, vld1q_u8, vld1q_u32, vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16, vmull_high_s8,
    vmull_s8, vmulq_s16, vpadalq_s16, vpaddq_s16, vqdmulhq_s16, vqmovun_s16, vreinterpretq_s8_s32,
    vreinterpretq_u32_u8, vshlq_n_s16, vst1q_s16, vst1q_s32, vst1q_u8, vsubq_s16, vtstq_u32,
};

use crate::nnue::architecture::{HIDDEN, QA, Row};
use crate::nnue::later_layers::PAIR_SHIFT;

type Vector = int16x8_t;
type Sums = int32x4_t;
type Bytes = int8x16_t;
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

#[inline]
#[target_feature(enable = "neon")]
fn add_sums(a: Sums, b: Sums) -> Sums {
    vaddq_s32(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn load_sums(sums: &[i32; SUM_LANES]) -> Sums {
    // SAFETY: the reference is to the 16 bytes that are read; they need no alignment beyond that of
    // `i32`.
    unsafe { vld1q_s32(sums.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store_sums(vector: Sums, sums: &mut [i32; SUM_LANES]) {
    // SAFETY: the reference is to the 16 bytes that are written; they need no alignment beyond that
    // of `i32`.
    unsafe { vst1q_s32(sums.as_mut_ptr(), vector) }
}

#[inline]
#[target_feature(enable = "neon")]
fn multiply_pairs(left: Vector, right: Vector) -> Vector {
    let (zero, max) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let left = vminq_s16(vmaxq_s16(left, zero), max);
    let right = vminq_s16(vmaxq_s16(right, zero), max);
    // A doubling multiplication that keeps the upper half of 32 bits.
    vqdmulhq_s16(vshlq_n_s16::<{ 15 - PAIR_SHIFT as i32 }>(left), right)
}

#[inline]
#[target_feature(enable = "neon")]
fn store_bytes(first: Vector, second: Vector, bytes: &mut [u8; 2 * LANES]) {
    let packed = vcombine_u8(vqmovun_s16(first), vqmovun_s16(second));
    // SAFETY: the reference is to the 16 bytes that are written.
    unsafe { vst1q_u8(bytes.as_mut_ptr(), packed) }
}

#[inline]
#[target_feature(enable = "neon")]
fn active_groups(bytes: &[u8; 64]) -> u16 {
    const BITS: [u32; SUM_LANES] = [1, 2, 4, 8];
    // SAFETY: the reference is to the 16 bytes that are read; they need no alignment beyond that of
    // `u32`.
    let bits = unsafe { vld1q_u32(BITS.as_ptr()) };
    let mut groups = 0;
    for (quarter, bytes) in bytes.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: the reference is to the 16 bytes that are read.
        let bytes = vreinterpretq_u32_u8(unsafe { vld1q_u8(bytes.as_ptr()) });
        groups |= vaddvq_u32(vandq_u32(vtstq_u32(bytes, bytes), bits)) << (4 * quarter);
    }
    groups as u16
}

#[inline]
#[target_feature(enable = "neon")]
fn repeat(group: &[u8; GROUP]) -> Bytes {
    vreinterpretq_s8_s32(vdupq_n_s32(i32::from_le_bytes(*group)))
}

#[inline]
#[target_feature(enable = "neon")]
fn load_weights(weights: &[i8; GROUP * SUM_LANES]) -> Bytes {
    // SAFETY: the reference is to the 16 bytes that are read.
    unsafe { vld1q_s8(weights.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn add_groups(sums: Sums, inputs: Bytes, weights: Bytes) -> Sums {
    let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
    let high = vmull_high_s8(inputs, weights);
    // Two products of 127 and 128 fit 16 bits.
    vpadalq_s16(sums, vpaddq_s16(low, high))
}
