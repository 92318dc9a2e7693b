//! Claims about the options.

use super::*;

#[test]
fn every_offer_takes_its_own_default_and_its_ends() {
    for name in OptionName::ALL {
        let mut options = Options::default();
        let offer = options.offer(name);
        let words: Vec<&str> = offer.split_whitespace().collect();
        let behind =
            |word| words.iter().position(|&found| found == word).map(|place| words[place + 1]);
        assert!(offer.starts_with(&format!("option name {name} type ")), "{offer}");
        if let Some(default) = behind("default") {
            options.set(name, Some(default)).unwrap();
            assert_eq!(options, Options::default(), "{offer}");
        }
        for end in [behind("min"), behind("max")].into_iter().flatten() {
            options.set(name, Some(end)).unwrap();
            assert_eq!(options.value(name), end);
        }
    }
}

#[test]
fn what_is_out_of_range_or_of_another_kind_changes_nothing() {
    for (name, value) in [
        (OptionName::Hash, "0"),
        (OptionName::Hash, "65537"),
        (OptionName::Hash, "-1"),
        (OptionName::Hash, "99999999999999999999999"),
        (OptionName::Threads, "many"),
        (OptionName::MultiPv, ""),
        (OptionName::Ponder, "yes"),
        (OptionName::Elo, "799"),
    ] {
        let mut options = Options::default();
        assert!(
            matches!(options.set(name, Some(value)), Err(OptionError::BadValue(..))),
            "{name} {value}"
        );
        assert_eq!(options, Options::default());
    }
    assert_eq!(
        Options::default().set(OptionName::Hash, None),
        Err(OptionError::NoValue(OptionName::Hash))
    );
}

#[test]
fn names_and_flags_are_read_in_any_case() {
    assert_eq!(OptionName::read("multipv"), Some(OptionName::MultiPv));
    assert_eq!(OptionName::read("clear HASH"), Some(OptionName::ClearHash));
    assert_eq!(OptionName::read("Contempt"), None);
    let mut options = Options::default();
    options.set(OptionName::Chess960, Some("TRUE")).unwrap();
    assert_eq!(options.castling(), CastlingText::Chess960);
}

#[test]
fn an_analysis_is_never_weak_on_purpose() {
    let mut options = Options { limit_strength: true, ..Options::default() };
    assert!(options.handicap().is_some());
    options.analyse_mode = true;
    assert_eq!(options.handicap(), None);
}
