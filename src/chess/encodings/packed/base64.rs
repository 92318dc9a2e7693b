//! Strict base64url without padding (RFC 4648, section 5). Each sequence of bytes has exactly one
//! text.

use super::error::PackedError;
use super::layout::MAX_BYTES;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .enumerate()
            .fold(0_u32, |group, (n, &byte)| group | u32::from(byte) << (16 - 8 * n));
        for n in 0..=chunk.len() {
            text.push(ALPHABET[(group >> (18 - 6 * n) & 63) as usize] as char);
        }
    }
    text
}

/// Decodes into `bytes` and returns the number of decoded bytes.
pub(super) fn decode(text: &str, bytes: &mut [u8; MAX_BYTES]) -> Result<u8, PackedError> {
    if text.len() % 4 == 1 {
        return Err(PackedError::TextLength);
    }
    let count = text.len() / 4 * 3 + (text.len() % 4).saturating_sub(1);
    if count > MAX_BYTES {
        // An invalid character is more useful to the client than the length.
        return Err(if text.bytes().all(|letter| digit_value(letter).is_some()) {
            PackedError::TrailingBytes
        } else {
            PackedError::InvalidCharacter
        });
    }
    for (letters, target) in text.as_bytes().chunks(4).zip(bytes.chunks_mut(3)) {
        let mut group = 0_u32;
        for (n, &letter) in letters.iter().enumerate() {
            group |= u32::from(digit_value(letter).ok_or(PackedError::InvalidCharacter)?)
                << (18 - 6 * n);
        }
        let [_, decoded @ ..] = group.to_be_bytes();
        let used = letters.len() - 1;
        if decoded.iter().skip(used).any(|&byte| byte != 0) {
            return Err(PackedError::TextPadding);
        }
        for (byte, decoded) in target.iter_mut().zip(decoded).take(used) {
            *byte = decoded;
        }
    }
    Ok(count as u8)
}

const fn digit_value(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Result<Vec<u8>, PackedError> {
        let mut bytes = [0; MAX_BYTES];
        let count = decode(text, &mut bytes)?;
        Ok(bytes[..usize::from(count)].to_vec())
    }

    #[test]
    fn the_examples_of_rfc_4648_hold() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decoded(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn non_canonical_text_is_rejected() {
        for text in ["Zg==", "Zh", "Zm9", "Z", "Zm9vY", "Zm9+", "Zm9/", "Zm 9", "Zm9é"] {
            assert!(decoded(text).is_err(), "{text}");
        }
        assert!(matches!(decoded(&"A".repeat(44)), Err(PackedError::TrailingBytes)));
        assert!(matches!(decoded(&"=".repeat(44)), Err(PackedError::InvalidCharacter)));
    }
}
