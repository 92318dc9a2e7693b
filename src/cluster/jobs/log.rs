//! The entries of the jobs' log, a stream on the server.

use redis::Value;

use crate::store::jobs::{JobChange, JobEnd, JobId, LogPosition};

/// An entry as it was read. Added jobs are read afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawEntry {
    pub(super) position: LogPosition,
    pub(super) change: RawChange,
}

/// What has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RawChange {
    /// A new job.
    Added(JobId),
    /// Any other change.
    Other(JobChange),
    /// A change that this version does not know, or a damaged one.
    Unknown,
}

/// The entries of a stream, as id and fields in turn; `None` if the answer has another form.
pub(super) type StreamEntries = Vec<(String, Vec<(String, String)>)>;

/// The entries in an answer of `XREAD` for one stream, which is empty without any.
pub(super) fn entries_of(answer: Value) -> Option<StreamEntries> {
    let Value::Array(streams) = answer else {
        return matches!(answer, Value::Nil).then(Vec::new);
    };
    let [Value::Array(stream)] = &streams[..] else { return None };
    let [_name, Value::Array(entries)] = &stream[..] else { return None };
    entries.iter().map(entry_of).collect()
}

/// An entry of a stream: its id, and its fields as names and values.
pub(super) fn entry_of(entry: &Value) -> Option<(String, Vec<(String, String)>)> {
    let Value::Array(parts) = entry else { return None };
    let [id, Value::Array(fields)] = &parts[..] else { return None };
    let pairs = fields.chunks_exact(2).map(|pair| Some((text(&pair[0])?, text(&pair[1])?)));
    Some((text(id)?, pairs.collect::<Option<_>>()?))
}

fn text(value: &Value) -> Option<String> {
    redis::from_redis_value_ref(value).ok()
}

/// Reads a position from the id of an entry.
pub(super) fn position(id: &str) -> Option<LogPosition> {
    let (version, sequence) = id.split_once('-')?;
    Some(LogPosition { version: version.parse().ok()?, sequence: sequence.parse().ok()? })
}

/// Reads an entry; `None` if its id has another form.
pub(super) fn parse((id, fields): &(String, Vec<(String, String)>)) -> Option<RawEntry> {
    let change = parse_change(fields).unwrap_or(RawChange::Unknown);
    Some(RawEntry { position: position(id)?, change })
}

fn parse_change(fields: &[(String, String)]) -> Option<RawChange> {
    let field = |name: &str| {
        fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    };
    let number = |name: &str| field(name)?.parse::<u64>().ok();
    let id = JobId::parse(field("job")?)?;
    let change = match field("change")? {
        "added" => return Some(RawChange::Added(id)),
        "running" => JobChange::Running { id, positions_done: number("done")? },
        "released" => JobChange::Released(id),
        "ended" => {
            let end = JobEnd { at_ms: number("at")?, failed: field("failed")? == "1" };
            JobChange::Ended { id, positions_done: number("done")?, end }
        }
        "removed" => JobChange::Removed(id),
        _ => return None,
    };
    Some(RawChange::Other(change))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "000102030405060708090a0b0c0d0e0f";

    fn change(fields: &[(&str, &str)]) -> RawChange {
        let own = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        parse(&("7-2".to_owned(), own.collect())).unwrap().change
    }

    #[test]
    fn entries_are_those_of_layout_1() {
        let id = JobId::parse(ID).unwrap();
        assert_eq!(change(&[("change", "added"), ("job", ID)]), RawChange::Added(id));
        let other = |fields: &[(&str, &str)], expected: JobChange| {
            assert_eq!(change(fields), RawChange::Other(expected));
        };
        other(
            &[("change", "running"), ("job", ID), ("done", "12")],
            JobChange::Running { id, positions_done: 12 },
        );
        other(&[("change", "released"), ("job", ID)], JobChange::Released(id));
        let end = JobEnd { at_ms: 1_764_201_234_567, failed: true };
        other(
            &[
                ("change", "ended"),
                ("job", ID),
                ("done", "12"),
                ("at", "1764201234567"),
                ("failed", "1"),
                ("of a later version", "x"),
            ],
            JobChange::Ended { id, positions_done: 12, end },
        );
        other(&[("change", "removed"), ("job", ID)], JobChange::Removed(id));
    }

    #[test]
    fn unknown_and_damaged_entries_keep_their_position() {
        for fields in [
            &[("change", "moved"), ("job", ID)][..],
            &[("change", "added")],
            &[("job", ID)],
            &[("change", "added"), ("job", "x")],
            &[("change", "running"), ("job", ID)],
            &[("change", "running"), ("job", ID), ("done", "-1")],
            &[("change", "ended"), ("job", ID), ("done", "1"), ("at", "2")],
        ] {
            assert_eq!(change(fields), RawChange::Unknown, "{fields:?}");
        }
        assert_eq!(position("7-2"), Some(LogPosition { version: 7, sequence: 2 }));
        for id in ["", "7", "7-", "-2", "7-x", "7-2-1"] {
            assert_eq!(position(id), None, "{id}");
        }
    }

    #[test]
    fn answers_of_another_form_are_none() {
        let bulk = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        let fields = Value::Array(vec![bulk("change"), bulk("added")]);
        let entry = Value::Array(vec![bulk("1-0"), fields]);
        let stream = Value::Array(vec![bulk("log"), Value::Array(vec![entry])]);
        let entries = entries_of(Value::Array(vec![stream.clone()])).unwrap();
        let expected = ("1-0".to_owned(), vec![("change".to_owned(), "added".to_owned())]);
        assert_eq!(entries, [expected]);
        assert_eq!(entries_of(Value::Nil), Some(Vec::new()));
        for answer in
            [Value::Okay, Value::Array(Vec::new()), Value::Array(vec![stream.clone(), stream])]
        {
            assert_eq!(entries_of(answer), None);
        }
    }
}
