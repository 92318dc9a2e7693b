//! FENs as users send them.

use kibitzer::chess::parse_fen;

use crate::{each_json, each_line, text_of};

pub(crate) fn vectors(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let fen = text_of(line, "fen")?;
        match (parse_fen(fen), line["refused"].as_str()) {
            (Err(invalid), Some(code)) => {
                let codes: Vec<_> = invalid.faults.iter().map(|fault| fault.code.name()).collect();
                if codes.contains(&code) {
                    Ok(())
                } else {
                    Err(format!("{fen:?}: {code} is not among {codes:?}"))
                }
            }
            (Ok(reading), None) => {
                let mut codes: Vec<_> =
                    reading.warnings.iter().map(|warning| warning.code.name()).collect();
                codes.sort_unstable();
                codes.dedup();
                let expected: Vec<_> = line["warnings"]
                    .as_array()
                    .ok_or("no warnings")?
                    .iter()
                    .filter_map(serde_json::Value::as_str)
                    .collect();
                if reading.position.fen() == text_of(line, "normalised")? && codes == expected {
                    Ok(())
                } else {
                    Err(format!("{fen:?}: read as {} with {codes:?}", reading.position.fen()))
                }
            }
            (Ok(reading), Some(code)) => {
                Err(format!("{fen:?}: read as {}, not refused as {code}", reading.position.fen()))
            }
            (Err(invalid), None) => Err(format!("{fen:?}: refused: {:?}", invalid.faults)),
        }
    })
}

pub(crate) fn valid(text: &str) -> Result<(), String> {
    each_line(text, |fen| {
        parse_fen(fen).map(drop).map_err(|invalid| format!("{fen}: {:?}", invalid.faults))
    })
}

pub(crate) fn invalid(text: &str) -> Result<(), String> {
    each_line(text, |fen| match parse_fen(fen) {
        Ok(reading) if reading.warnings.is_empty() => Err(format!("{fen}: read without a word")),
        _ => Ok(()),
    })
}
