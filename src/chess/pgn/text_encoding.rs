//! Text encodings of PGN files.

use std::borrow::Cow;

/// The characters of Windows-1252 at 0x80–0x9f. The five undefined bytes are the control characters
/// of Latin-1. WHATWG Encoding Standard, index windows-1252.
const WINDOWS_1252_HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes bytes as UTF-8. Bytes that are not UTF-8 are decoded one by one as Windows-1252, which
/// includes Latin-1, so concatenated files of both encodings are decoded correctly.
///
/// A byte order mark is removed. A UTF-16 byte order mark selects UTF-16. Decoding never fails.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8_or_windows_1252(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)),
        _ => decode_utf8_or_windows_1252(bytes),
    }
}

fn decode_utf8_or_windows_1252(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| windows_1252(byte)));
    }
    Cow::Owned(text)
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..0xa0 => WINDOWS_1252_HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_is_decoded_and_its_byte_order_mark_removed() {
        assert_eq!(decode("Müller – ½".as_bytes()), "Müller – ½");
        assert_eq!(decode(b"\xef\xbb\xbf[Event \"x\"]"), "[Event \"x\"]");
    }

    #[test]
    fn latin_1_is_decoded_next_to_utf_8() {
        assert_eq!(decode(b"M\xfcller \x96 \xbd"), "Müller – ½");
        assert_eq!(decode(b"M\xc3\xbcller, M\xfcller"), "Müller, Müller");
    }

    #[test]
    fn a_utf_16_byte_order_mark_is_honored() {
        assert_eq!(decode(b"\xff\xfee\x004\x00"), "e4");
        assert_eq!(decode(b"\xfe\xff\x00e\x004\x00"), "e4", "an odd byte at the end is ignored");
        assert_eq!(decode(b"\xff\xfe\x00\xd8"), "\u{fffd}", "an unpaired surrogate is replaced");
    }
}
