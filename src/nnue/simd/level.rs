//! The levels of processor instructions, and the kernels of each level.

use super::kernels::Kernels;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, x86_64_v2};

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
        SimdLevel::ALL.into_iter().find(|level| level.is_available()).unwrap_or(SimdLevel::Scalar)
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

impl Kernels {
    /// The kernels of a level; `None` where the processor lacks its instructions.
    pub(in crate::nnue) fn for_level(level: SimdLevel) -> Option<&'static Kernels> {
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
    pub(in crate::nnue) fn best() -> &'static Kernels {
        SimdLevel::ALL.into_iter().find_map(Kernels::for_level).unwrap_or(&scalar::KERNELS)
    }
}
