//! The name of a job.

use std::fmt;
use std::io;

/// 128 bits that nobody can guess: who knows them may see the job.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub(super) u128);

impl JobId {
    /// A new one, of the system's own random bits.
    ///
    /// # Errors
    /// When the system has none.
    pub fn random() -> io::Result<JobId> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(JobId(u128::from_be_bytes(bytes)))
    }

    /// Reads 32 lower-case hex digits.
    pub fn parse(text: &str) -> Option<JobId> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_id = text.len() == 32 && text.bytes().all(is_digit);
        is_id.then(|| u128::from_str_radix(text, 16).ok().map(JobId)).flatten()
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_round_trips_and_other_texts_are_refused() {
        let id = JobId::random().unwrap();
        assert_eq!(JobId::parse(&id.to_string()), Some(id));
        assert_eq!(JobId(7).to_string(), "00000000000000000000000000000007");
        for no_id in [
            "",
            "7",
            "0000000000000000000000000000000G",
            "000000000000000000000000000000AB",
            "+0000000000000000000000000000007",
        ] {
            assert_eq!(JobId::parse(no_id), None, "{no_id}");
        }
        assert_ne!(JobId::random().unwrap(), id);
    }
}
