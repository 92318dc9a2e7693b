//! Parsers for numbers of the command line.

/// A finite number above zero.
///
/// # Errors
///
/// A description of the error in the text.
pub fn positive(text: &str) -> Result<f32, String> {
    within(text, "above zero", |number| number > 0.0)
}

/// A finite number, 1 or above.
///
/// # Errors
///
/// A description of the error in the text.
pub fn one_or_more(text: &str) -> Result<f32, String> {
    within(text, "1 or above", |number| number >= 1.0)
}

/// A finite number, zero or above.
///
/// # Errors
///
/// A description of the error in the text.
pub fn not_negative(text: &str) -> Result<f32, String> {
    within(text, "zero or above", |number| number >= 0.0)
}

/// A share: from 0 to 1.
///
/// # Errors
///
/// A description of the error in the text.
pub fn share(text: &str) -> Result<f32, String> {
    within(text, "from 0 to 1", |number| (0.0..=1.0).contains(&number))
}

/// The decay factor of a running mean: 0 or more, less than 1.
///
/// # Errors
///
/// A description of the error in the text.
pub fn decay(text: &str) -> Result<f32, String> {
    within(text, "from 0 to less than 1", |number| (0.0..1.0).contains(&number))
}

/// A number of positions, 1 or more: a whole number, or one with k, M or G.
///
/// # Errors
///
/// A description of the error in the text.
pub fn positions(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'M', 'G']) {
        Some(digits) if text.ends_with('k') => (digits, 1_000),
        Some(digits) if text.ends_with('M') => (digits, 1_000_000),
        Some(digits) => (digits, 1_000_000_000),
        None => (text, 1),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "not a whole number with or without k, M or G, such as 300M".to_owned())?;
    match number.checked_mul(unit) {
        Some(0) => Err("it must be 1 or more".to_owned()),
        Some(positions) => Ok(positions),
        None => Err("too large".to_owned()),
    }
}

fn within(text: &str, range: &str, fits: impl Fn(f32) -> bool) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() && fits(number) { Ok(number) } else { Err(format!("it must be {range}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_in_range_are_accepted() {
        type Parser = fn(&str) -> Result<f32, String>;
        let cases: [(Parser, &[&str], &[&str]); 5] = [
            (positive, &["1e-9", "2.6"], &["0", "-1", "inf", "NaN", "x", ""]),
            (one_or_more, &["1", "2.6"], &["0.99", "inf"]),
            (not_negative, &["0", "0.01"], &["-0.1", "NaN"]),
            (share, &["0", "0.5", "1"], &["-0.1", "1.1", "NaN"]),
            (decay, &["0", "0.999"], &["1", "-0.1", "NaN"]),
        ];
        for (parse, good, bad) in cases {
            assert!(good.iter().all(|text| parse(text).is_ok()), "{good:?}");
            assert!(bad.iter().all(|text| parse(text).is_err()), "{bad:?}");
        }
    }

    #[test]
    fn a_number_of_positions_may_have_a_unit() {
        for (text, expected) in
            [("1", 1), ("20k", 20_000), ("300M", 300_000_000), ("5G", 5_000_000_000)]
        {
            assert_eq!(positions(text), Ok(expected));
        }
        for text in ["", "M", "-1", "1.5M", "3m", "3 M", "0", "0k", "99999999999G", "3MM"] {
            assert!(positions(text).is_err(), "{text}");
        }
    }
}
