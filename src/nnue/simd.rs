//! The arithmetic of the accumulators and of what follows them, for each set of processor
//! instructions, selected at run time.
//!
//! Every level computes the same integers, and so the same evaluation: sums wrap in 16 bits, and
//! products are exact. The output uses the SCReLU trick of the engine Lizard (Liam McGuire,
//! 2023; Chess Programming Wiki, "NNUE"): a clipped sum times its weight still fits 16 bits, and a
//! multiply-and-add of it with the clipped sum gives v²·w without a 32-bit multiplication. The
//! layered network's second layer skips the groups of inputs that are zero (the engine Stockfish,
//! 2023; Chess Programming Wiki, "Stockfish NNUE").
#![allow(unsafe_code, reason = "SIMD instructions; scalar code takes many times as long")]

#[macro_use]
mod kernels;
#[macro_use]
mod layered_kernel;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64_v2;

pub(super) use kernels::{Kernels, RowKernels};
pub use level::SimdLevel;
