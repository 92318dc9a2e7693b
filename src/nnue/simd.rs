//! The arithmetic of the hidden layer for each set of processor instructions, selected at run time.
//!
//! Every level computes the same integers, and so the same evaluation: sums wrap in 16 bits, and
//! products are exact. The output's product is Lizard's (Liam McGuire, 2023; Chess Programming
//! Wiki, "NNUE", SCReLU): a clipped sum times its weight still fits 16 bits, and a multiply-and-add
//! of it with the clipped sum gives v²·w without a 32-bit multiplication.
#![allow(unsafe_code, reason = "SIMD instructions; scalar code takes many times as long")]

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

use super::architecture::Row;

/// A set of processor instructions that can evaluate the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdLevel {
    /// x86-64 with AVX-512 F, BW and VNNI: 32 neurons at a time (Intel's servers since Cascade
    /// Lake, AMD since Zen 4).
    Avx512,
    /// x86-64 with AVX2: 16 neurons at a time.
    Avx2,
    /// x86-64-v2 (SSE4.2, the minimum of the portable build): 8 neurons at a time.
    X8664V2,
    /// 64-bit ARM: 8 neurons at a time.
    Neon,
    /// No SIMD instructions.
    Scalar,
}

impl SimdLevel {
    /// All levels, fastest first.
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

    /// The name that the service and the documentation use.
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

/// The kernels of a level, with the guarantee that this processor has its instructions: only
/// [`Kernels::for_level`] returns them.
pub(super) struct Kernels {
    level: SimdLevel,
    apply_move: unsafe fn(&Row, &mut Row, [&Row; 1], [&Row; 1]),
    apply_capture: unsafe fn(&Row, &mut Row, [&Row; 1], [&Row; 2]),
    apply_castling: unsafe fn(&Row, &mut Row, [&Row; 2], [&Row; 2]),
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

    /// `after = before + added - removed`.
    #[inline]
    pub(super) fn apply_move(&self, before: &Row, after: &mut Row, added: &Row, removed: &Row) {
        // SAFETY: the processor has the instructions, because `Kernels::for_level` checked it
        // before it returned `self`.
        unsafe { (self.apply_move)(before, after, [added], [removed]) }
    }

    /// `after = before + added - removed[0] - removed[1]`.
    #[inline]
    pub(super) fn apply_capture(
        &self,
        before: &Row,
        after: &mut Row,
        added: &Row,
        removed: [&Row; 2],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.apply_capture)(before, after, [added], removed) }
    }

    /// `after = before + added[0] + added[1] - removed[0] - removed[1]`.
    #[inline]
    pub(super) fn apply_castling(
        &self,
        before: &Row,
        after: &mut Row,
        added: [&Row; 2],
        removed: [&Row; 2],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.apply_castling)(before, after, added, removed) }
    }

    /// Adds all of `added` to `cached`, subtracts all of `removed`, and copies the result to `out`.
    #[inline]
    pub(super) fn refresh(
        &self,
        cached: &mut Row,
        out: &mut Row,
        added: &[&Row],
        removed: &[&Row],
    ) {
        // SAFETY: as in `apply_move`.
        unsafe { (self.refresh)(cached, out, added, removed) }
    }

    /// Σ v²·w over the neurons of the side to move and of the other side, where v is the sum
    /// clipped to 0–255.
    #[inline]
    pub(super) fn output(&self, own: &Row, other: &Row, weights: &[Row; 2]) -> i64 {
        // SAFETY: as in `apply_move`.
        unsafe { (self.output)(own, other, weights) }
    }
}
