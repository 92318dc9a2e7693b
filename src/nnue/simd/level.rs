//! The levels of processor instructions.

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
