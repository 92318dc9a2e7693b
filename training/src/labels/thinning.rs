//! The thinning of decided positions: of high scores only one in several is kept.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Of the scores beyond a size, one of several is kept. Of several that apply, the strictest
/// counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thinning {
    /// Centipawns.
    pub beyond: u16,
    /// One of this many is kept.
    pub one_of: u32,
}

impl Thinning {
    /// Whether a label is kept, by random bits drawn for it.
    pub(super) fn keeps(all: &[Thinning], score: i16, bits: u32) -> bool {
        all.iter()
            .filter(|thinning| score.unsigned_abs() > thinning.beyond)
            .all(|thinning| u64::from(bits) * u64::from(thinning.one_of) < 1 << 32)
    }
}

impl fmt::Display for Thinning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.beyond, self.one_of)
    }
}

impl FromStr for Thinning {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || {
            format!("it is {text:?}; it must be CENTIPAWNS:COUNT, for example 600:4, COUNT above 0")
        };
        let (beyond, one_of) = text.split_once(':').ok_or_else(error)?;
        let beyond = beyond.parse().map_err(|_| error())?;
        let one_of = one_of.parse().ok().filter(|count| *count > 0).ok_or_else(error)?;
        Ok(Thinning { beyond, one_of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_thinning_that_applies_counts() {
        let all = ["600:4", "1500:16"].map(|text| text.parse::<Thinning>().unwrap());
        for (score, bits, is_kept) in [
            (600, u32::MAX, true),
            (-601, u32::MAX, false),
            (-601, u32::MAX / 4, true),
            (1500, u32::MAX / 4, true),
            (1501, u32::MAX / 4, false),
            (i16::MIN, u32::MAX / 16, true),
        ] {
            assert_eq!(Thinning::keeps(&all, score, bits), is_kept, "{score}, {bits}");
        }
        for text in ["600", "600:0", ":4", "-600:4", "600:4:5", "70000:2"] {
            let error = text.parse::<Thinning>().unwrap_err();
            assert!(error.contains(text) && error.contains("CENTIPAWNS:COUNT"), "{error}");
        }
    }
}
