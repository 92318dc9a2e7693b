//! A file of several with its weight.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A data file and how often a pass over the data has it, or a network file and its weight in a
/// mean of networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedFile {
    /// The file.
    pub path: PathBuf,
    /// Of a data file: the mean number of times that a pass has each of its units.
    pub weight: f64,
}

impl WeightedFile {
    const MIN_WEIGHT: f64 = 0.01;
    const MAX_WEIGHT: f64 = 100.0;

    /// A file that each pass has once.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> WeightedFile {
        WeightedFile { path: path.into(), weight: 1.0 }
    }
}

impl fmt::Display for WeightedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, weight {}", self.path.display(), self.weight)
    }
}

impl FromStr for WeightedFile {
    type Err = String;

    /// Reads `FILE` or `FILE=WEIGHT`. A text after the last `=` that is no number is part of the
    /// file's name.
    fn from_str(text: &str) -> Result<WeightedFile, String> {
        let weighted = text.rsplit_once('=').and_then(|(path, weight)| {
            let weight = weight.parse().ok().filter(|weight: &f64| weight.is_finite())?;
            Some((path, weight))
        });
        let (path, weight) = weighted.unwrap_or((text, 1.0));
        if path.is_empty() {
            return Err("the name of the file is empty".to_owned());
        }
        if !(Self::MIN_WEIGHT..=Self::MAX_WEIGHT).contains(&weight) {
            return Err(format!(
                "the weight is {weight}; it must be {} to {}",
                Self::MIN_WEIGHT,
                Self::MAX_WEIGHT
            ));
        }
        Ok(WeightedFile { path: path.into(), weight })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_after_the_last_equals_sign_is_the_weight() {
        for (text, path, weight) in [
            ("games.vf", "games.vf", 1.0),
            ("games.vf=2", "games.vf", 2.0),
            ("a=b/games.vf=0.25", "a=b/games.vf", 0.25),
            ("a=3/games.vf", "a=3/games.vf", 1.0),
            ("games.vf=heavy", "games.vf=heavy", 1.0),
            ("games.vf=", "games.vf=", 1.0),
            ("games.vf=NaN", "games.vf=NaN", 1.0),
            ("x=2=1", "x=2", 1.0),
        ] {
            let expected = WeightedFile { path: path.into(), weight };
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_weight_out_of_range_is_refused() {
        for weight in ["0", "-1", "0.009", "101"] {
            let error = format!("games.vf={weight}").parse::<WeightedFile>().expect_err("invalid");
            assert_eq!(error, format!("the weight is {weight}; it must be 0.01 to 100"));
        }
        let error = "=2".parse::<WeightedFile>().expect_err("invalid");
        assert_eq!(error, "the name of the file is empty");
    }
}
