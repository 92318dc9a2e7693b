//! What the jobs' file promises.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::chess::pgn::{GameResult, Headers};
use crate::chess::{Move, Position, read_move};
use crate::engine::Score;
use crate::store::{OpenError, StoreError};

fn record(plies: &[u32]) -> JobRecord {
    let asked = Asked {
        depth: Some(9),
        nodes: None,
        movetime: Some(Duration::from_millis(250)),
        multipv: 2,
    };
    let plies = plies.to_vec();
    JobRecord {
        client: "ann".to_owned(),
        asked,
        created_ms: 1_790_000_000_000,
        ending: None,
        bytes: 77,
        key: None,
        plies,
    }
}

fn sheet(moves: &str) -> Sheet {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut played = Vec::new();
    for text in moves.split_whitespace() {
        played.push(read_move(&position, text).unwrap());
        position.play(played[played.len() - 1]);
    }
    let mut headers = Headers::new();
    headers.set("White", "Ann \"the\" Ä");
    Sheet { headers, result: GameResult::Draw, read: Ok(Played { start, moves: played }) }
}

fn finding(number: i32) -> Finding {
    Finding {
        score: Score::Cp(number),
        line: vec![Move::from_code(number as u16 + 1); number as usize % 5],
    }
}

fn insert(file: &JobFile, record: &JobRecord, leaving: &[JobId]) -> JobId {
    let id = JobId::random().unwrap();
    let sheets: Vec<_> = record.plies.iter().map(|_| sheet("e4 e5").encode()).collect();
    let games = sheets.iter().map(|sheet| (sheet.as_slice(), Some("1. e4 e5 1/2-1/2")));
    file.insert(id, record, &[5; 32], games, leaving).unwrap();
    id
}

/// A file in memory, and one on disk with its folder.
fn both(check: impl Fn(JobFile)) {
    check(JobFile::in_memory().unwrap());
    let folder = tempfile::tempdir().unwrap();
    check(JobFile::open(folder.path()).unwrap());
}

#[test]
fn a_job_is_kept_with_its_games_and_what_is_found() {
    both(|file| {
        let record = record(&[2, 2]);
        let id = insert(&file, &record, &[]);
        assert_eq!(file.job(id).unwrap(), Some(record.clone()));
        assert_eq!(file.sheet(id, 1).unwrap(), Some(sheet("e4 e5")));
        assert_eq!(file.text(id, 0).unwrap().as_deref(), Some("1. e4 e5 1/2-1/2"));
        assert_eq!((file.sheet(id, 2).unwrap(), file.text(id, 2).unwrap()), (None, None));

        let findings: Vec<_> = (0..6).map(finding).collect();
        file.append(id, 0, &findings[..2], None).unwrap();
        let ending = Some(Ending { at_ms: 9, failed: false });
        file.append(id, 2, &findings[2..], ending).unwrap();
        assert_eq!(file.findings(id, 1, 3).unwrap(), findings[1..4]);
        assert_eq!(file.findings(id, 4, 30).unwrap(), findings[4..]);
        let record = JobRecord { ending, ..record };
        assert_eq!(file.jobs().unwrap(), [Kept { id, record, found: 6 }]);
    });
}

#[test]
fn of_a_job_that_goes_the_name_stays() {
    both(|file| {
        let keyed = JobRecord { key: Some([7; 32]), ..record(&[2]) };
        let (first, second) = (insert(&file, &keyed, &[]), insert(&file, &record(&[2]), &[]));
        file.append(first, 0, &[finding(1)], None).unwrap();
        file.append(second, 0, &[finding(2)], None).unwrap();
        assert_eq!(file.keyed(&[7; 32]).unwrap(), Some(([5; 32], first)));
        file.remove(&[first]).unwrap();
        assert_eq!((file.job(first).unwrap(), file.keyed(&[7; 32]).unwrap()), (None, None));
        assert_eq!((file.sheet(first, 0).unwrap(), file.text(first, 0).unwrap()), (None, None));
        assert_eq!(file.findings(first, 0, 9).unwrap(), []);
        assert!(
            matches!(file.append(first, 1, &[finding(3)], None), Err(Refusal::Gone)),
            "nothing comes after the end"
        );
        assert_eq!(
            file.findings(second, 0, 9).unwrap(),
            [finding(2)],
            "another job stays as it is"
        );

        let third = insert(&file, &record(&[2]), &[second, first]);
        assert_eq!(file.gone().unwrap(), [first, second], "a name is noted once");
        assert_eq!(file.jobs().unwrap().iter().map(|kept| kept.id).collect::<Vec<_>>(), [third]);
    });
}

#[test]
fn all_of_it_is_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let (id, gone) = {
        let file = JobFile::open(folder.path()).unwrap();
        let (id, gone) = (insert(&file, &record(&[2]), &[]), insert(&file, &record(&[2]), &[]));
        file.append(id, 0, &[finding(4)], None).unwrap();
        file.remove(&[gone]).unwrap();
        (id, gone)
    };
    let file = JobFile::open(folder.path()).unwrap();
    assert_eq!(file.jobs().unwrap(), [Kept { id, record: record(&[2]), found: 1 }]);
    assert_eq!(
        (file.gone().unwrap(), file.findings(id, 0, 9).unwrap()),
        (vec![gone], vec![finding(4)])
    );
    assert!(file.lasts() && file.bytes() > 0);
    let refused = JobFile::open(folder.path()).unwrap_err();
    assert!(
        matches!(refused, OpenError::InUse { .. })
            && refused.to_string().starts_with("store.path: "),
        "{refused}"
    );
}

#[test]
fn a_damaged_file_is_set_aside_and_none_is_ever_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOBS_FILE);
    let aside = |number: usize| match number {
        1 => folder.path().join(format!("{JOBS_FILE}.damaged")),
        _ => folder.path().join(format!("{JOBS_FILE}.damaged.{number}")),
    };
    let mut damaged = Vec::new();
    for number in 1..=11 {
        insert(&JobFile::open(folder.path()).unwrap(), &record(&vec![2; number]), &[]);
        let mut bytes = std::fs::read(&path).unwrap();
        let half = bytes.len() / 2;
        bytes[4_096..half].iter_mut().for_each(|byte| *byte ^= 0x10);
        std::fs::write(&path, &bytes).unwrap();
        damaged.push(bytes);
        if number <= 10 {
            assert_eq!(JobFile::open(folder.path()).unwrap().jobs().unwrap(), []);
        }
        assert!(
            (1..=number.min(10))
                .all(|number| std::fs::read(aside(number)).unwrap() == damaged[number - 1]),
            "{number}"
        );
    }
    let refused = JobFile::open(folder.path()).unwrap_err();
    assert!(matches!(refused, OpenError::TooManyAside { most: 10, .. }), "{refused}");
    assert!(refused.to_string().starts_with("store.path: "), "{refused}");
    assert!(std::fs::read(&path).unwrap() == damaged[10], "it stays where it is");
    std::fs::rename(aside(3), folder.path().join("elsewhere")).unwrap();
    assert_eq!(JobFile::open(folder.path()).unwrap().jobs().unwrap(), []);
    assert!(std::fs::read(aside(3)).unwrap() == damaged[10]);
}

#[test]
fn after_a_write_that_failed_reading_opens_the_file_again() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = {
        let file = JobFile::open(folder.path()).unwrap();
        (insert(&file, &record(&[2]), &[]), insert(&file, &record(&[2]), &[]))
    };
    let database = redb::Database::open(folder.path().join(JOBS_FILE)).unwrap();
    let transaction = database.begin_write().unwrap();
    let jobs = redb::TableDefinition::<u128, &[u8]>::new("jobs");
    transaction.open_table(jobs).unwrap().insert(bad.0, b"\xff".as_slice()).unwrap();
    transaction.commit().unwrap();
    drop(database);

    let file = JobFile::open(folder.path()).unwrap();
    assert!(
        matches!(file.remove(&[bad]), Err(StoreError::Failed(_))),
        "what cannot be read cannot be taken out"
    );
    assert_eq!(file.job(good).unwrap(), Some(record(&[2])));
    file.remove(&[good]).unwrap();
    assert_eq!(file.job(good).unwrap(), None);
}

#[test]
fn trying_it_out_leaves_nothing() {
    both(|file| {
        let id = insert(&file, &record(&[2]), &[]);
        file.try_out().unwrap();
        let once = file.bytes();
        (0..9).for_each(|_| file.try_out().unwrap());
        assert_eq!((file.bytes(), file.jobs().unwrap().len()), (once, 1));
        assert_eq!(file.job(id).unwrap(), Some(record(&[2])));
    });
}

#[test]
fn a_game_from_another_position_and_a_fault_come_back_as_they_were() {
    let start =
        Position::from_fen("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 b Gkq - 149 77").unwrap();
    let moves = vec![start.legal_moves()[0]];
    let other = Sheet {
        headers: Headers::new(),
        result: GameResult::Unknown,
        read: Ok(Played { start, moves }),
    };
    assert_eq!(Sheet::decode(&other.encode()), Ok(other));
    let fault = Fault {
        code: "not_legal".to_owned(),
        detail: "line 3".to_owned(),
        ply: 2,
        line: 3,
        column: 4,
        text: "Ke5ä".to_owned(),
    };
    let bad = Sheet { headers: Headers::new(), result: GameResult::WhiteWins, read: Err(fault) };
    assert_eq!(Sheet::decode(&bad.encode()), Ok(bad));
}

fn records() -> impl Strategy<Value = JobRecord> {
    let asked = (any::<Option<u8>>(), any::<Option<u64>>(), any::<Option<u32>>(), any::<u16>());
    let ending = prop::option::of((any::<u64>(), any::<bool>()));
    let rest = (any::<String>(), any::<u64>(), any::<u64>(), any::<Option<[u8; 32]>>());
    (asked, ending, rest, prop::collection::vec(any::<u32>(), 0..9)).prop_map(
        |((depth, nodes, ms, multipv), ending, (client, created_ms, bytes, key), plies)| {
            let movetime = ms.map(|ms| Duration::from_millis(ms.into()));
            let ending = ending.map(|(at_ms, failed)| Ending { at_ms, failed });
            JobRecord {
                client,
                asked: Asked { depth, nodes, movetime, multipv },
                created_ms,
                ending,
                bytes,
                key,
                plies,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_record_comes_back_as_it_was(record in records()) {
        prop_assert_eq!(JobRecord::decode(&record.encode()), Ok(record));
    }

    #[test]
    fn a_finding_comes_back_with_the_line_that_is_kept(
        value in -20_000..20_000, is_mate in any::<bool>(), codes in prop::collection::vec(any::<u16>(), 0..40)
    ) {
        let score = if is_mate { Score::Mate(value) } else { Score::Cp(value) };
        let line: Vec<_> = codes.into_iter().map(Move::from_code).collect();
        let kept = Finding { score, line: line.iter().take(LONGEST_LINE).copied().collect() };
        let bytes = Finding { score, line }.encode();
        prop_assert!(bytes.len() as u64 + 24 <= MOST_FINDING_BYTES);
        prop_assert_eq!(Finding::decode(&bytes), Ok(kept));
    }

    #[test]
    fn bytes_that_nobody_has_written_do_no_harm(bytes in any::<Vec<u8>>()) {
        let _ = (JobRecord::decode(&bytes).is_ok(), Sheet::decode(&bytes).is_ok(), Finding::decode(&bytes).is_ok());
    }
}

#[test]
fn the_layout_is_frozen() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let record = JobRecord { ending: Some(Ending { at_ms: 3, failed: true }), ..record(&[2, 300]) };
    assert_eq!(hex(&record.encode()), "3509fa01020380d8c1a28c344d03616e6e0202ac02");
    let white = "0557686974650c416e6e20227468652220c384";
    assert_eq!(hex(&sheet("e4 e5").encode()), format!("0301{white}010231c1d241"));
    assert_eq!(
        hex(&Finding { score: Score::Mate(-3), line: vec![Move::from_code(0x1234)] }.encode()),
        "09011234"
    );
}
