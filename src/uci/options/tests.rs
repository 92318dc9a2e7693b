//! Tests of the options.

use super::*;

#[test]
fn every_option_accepts_its_own_default_min_and_max() {
    for name in OptionName::ALL {
        let mut options = Options::default();
        let declaration = options.option_declaration(name);
        let words: Vec<&str> = declaration.split_whitespace().collect();
        let word_after =
            |word| words.iter().position(|&found| found == word).map(|index| words[index + 1]);
        assert!(declaration.starts_with(&format!("option name {name} type ")), "{declaration}");
        if let Some(default) = word_after("default") {
            options.set(name, Some(default)).unwrap();
            assert_eq!(options, Options::default(), "{declaration}");
        }
        for bound in [word_after("min"), word_after("max")].into_iter().flatten() {
            options.set(name, Some(bound)).unwrap();
            assert_eq!(options.value(name), bound);
        }
    }
}

#[test]
fn an_invalid_value_changes_nothing() {
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
fn names_and_booleans_are_parsed_in_any_case() {
    assert_eq!(OptionName::parse("multipv"), Some(OptionName::MultiPv));
    assert_eq!(OptionName::parse("clear HASH"), Some(OptionName::ClearHash));
    assert_eq!(OptionName::parse("Contempt"), None);
    let mut options = Options::default();
    options.set(OptionName::Chess960, Some("TRUE")).unwrap();
    assert_eq!(options.castling(), CastlingNotation::Chess960);
}

#[test]
fn analyse_mode_disables_the_strength_limit() {
    let mut options = Options { limit_strength: true, ..Options::default() };
    assert!(options.strength_limit().is_some());
    options.analyse_mode = true;
    assert_eq!(options.strength_limit(), None);
}
