//! The arithmetic of the hidden layer, once for each set of processor instructions, chosen when the
//! program runs.
//!
//! Every level computes with the same integers: sums wrap in 16 bits, products are exact, so that
//! all give the same evaluation. The output's product is Lizard's (Liam McGuire, 2023; Chess
//! Programming Wiki, "NNUE", SCReLU): a clipped sum times its weight still fits 16 bits, and a
//! multiply-and-add of it with the clipped sum gives v²·w without a 32-bit multiplication.
#![allow(
    unsafe_code,
    reason = "processor instructions; without them an evaluation takes many times as long"
)]

#[macro_use]
mod kernels;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64_v2;

use super::row::Row;

/// A set of processor instructions that the network can be computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdLevel {
    /// x86-64 with AVX-512 F, BW and VNNI: 32 neurons at a time (Intel's servers since Cascade
    /// Lake, AMD since Zen 4).
    Avx512,
    /// x86-64 with AVX2: 16 neurons at a time.
    Avx2,
    /// x86-64 of the second level (SSE4.2, the least that the portable build asks for): 8 neurons
    /// at a time.
    X8664V2,
    /// 64-bit ARM: 8 neurons at a time.
    Neon,
    /// No special instructions.
    Scalar,
}

impl SimdLevel {
    /// All levels, faster ones first.
    pub const ALL: [SimdLevel; 5] = [
        SimdLevel::Avx512,
        SimdLevel::Avx2,
        SimdLevel::X8664V2,
        SimdLevel::Neon,
        SimdLevel::Scalar,
    ];

    /// The best level of this processor.
    pub fn best() -> SimdLevel {
        Kernels::best().level
    }

    /// The name as the service and the documentation write it.
    pub const fn name(self) -> &'static str {
        match self {
            SimdLevel::Avx512 => "avx512-vnni",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::X8664V2 => "x86-64-v2",
            SimdLevel::Neon => "neon",
            SimdLevel::Scalar => "scalar",
        }
    }

    /// `true` when this processor has the instructions.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::X8664V2 => is_x86_feature_detected!("sse4.2"),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            SimdLevel::Scalar => true,
            _ => false,
        }
    }
}

/// The kernels of a level, and the promise that this processor has its instructions: only
/// [`Kernels::of`] hands them out.
pub(super) struct Kernels {
    level: SimdLevel,
    step: unsafe fn(&Row, &mut Row, [&Row; 1], [&Row; 1]),
    capture: unsafe fn(&Row, &mut Row, [&Row; 1], [&Row; 2]),
    castle: unsafe fn(&Row, &mut Row, [&Row; 2], [&Row; 2]),
    refresh: unsafe fn(&mut Row, &mut Row, &[&Row], &[&Row]),
    output: unsafe fn(&Row, &Row, &[Row; 2]) -> i64,
}

impl Kernels {
    /// The kernels of a level; `None` where the processor lacks its instructions.
    pub(super) fn for_level(level: SimdLevel) -> Option<&'static Kernels> {
        if !level.is_available() {
            return None;
        }
        match level {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => Some(&avx512::KERNELS),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => Some(&avx2::KERNELS),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::X8664V2 => Some(&x86_64_v2::KERNELS),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => Some(&neon::KERNELS),
            SimdLevel::Scalar => Some(&scalar::KERNELS),
            _ => None,
        }
    }

    /// The kernels of the best level.
    pub(super) fn best() -> &'static Kernels {
        SimdLevel::ALL.into_iter().find_map(Kernels::for_level).unwrap_or(&scalar::KERNELS)
    }

    /// `after = before + on - off`.
    #[inline]
    pub(super) fn step(&self, before: &Row, after: &mut Row, on: &Row, off: &Row) {
        // SAFETY: the processor has the instructions: `Kernels::of` asked it before it handed out
        // `self`.
        unsafe { (self.step)(before, after, [on], [off]) }
    }

    /// `after = before + on - off[0] - off[1]`.
    #[inline]
    pub(super) fn capture(&self, before: &Row, after: &mut Row, on: &Row, off: [&Row; 2]) {
        // SAFETY: as in `step`.
        unsafe { (self.capture)(before, after, [on], off) }
    }

    /// `after = before + on[0] + on[1] - off[0] - off[1]`.
    #[inline]
    pub(super) fn castle(&self, before: &Row, after: &mut Row, on: [&Row; 2], off: [&Row; 2]) {
        // SAFETY: as in `step`.
        unsafe { (self.castle)(before, after, on, off) }
    }

    /// Adds all of `on` to `kept`, subtracts all of `off`, and copies the result.
    #[inline]
    pub(super) fn refresh(&self, kept: &mut Row, copy: &mut Row, on: &[&Row], off: &[&Row]) {
        // SAFETY: as in `step`.
        unsafe { (self.refresh)(kept, copy, on, off) }
    }

    /// Σ v²·w over the side to move's neurons and the other's, where v is the sum clipped to 0–255.
    #[inline]
    pub(super) fn output(&self, own: &Row, other: &Row, weights: &[Row; 2]) -> i64 {
        // SAFETY: as in `step`.
        unsafe { (self.output)(own, other, weights) }
    }
}
