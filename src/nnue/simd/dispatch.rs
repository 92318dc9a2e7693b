//! The kernels of each level, returned only where the processor has its instructions.

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::{Kernels, SimdLevel, scalar};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, x86_64_v2};

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
