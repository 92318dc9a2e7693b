//! What most of many measurements were at most.

/// The value that a share of the measurements does not exceed (nearest rank). The measurements are put in order.
pub(crate) fn quantile(measured: &mut [f64], share: f64) -> f64 {
    measured.sort_by(f64::total_cmp);
    let rank = (share * measured.len() as f64).ceil() as usize;
    measured.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}
