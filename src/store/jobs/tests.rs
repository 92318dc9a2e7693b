//! Tests of the jobs' file and its encodings.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::chess::pgn::{GameResult, Headers};
use crate::chess::{Move, Position, parse_move};
use crate::engine::Score;
use crate::store::{
    EVALUATION_CACHE_FILE, EvaluationCacheFile, OpenError, StoreError, StoreOptions,
};

fn record(plies: &[u32]) -> JobRecord {
    let limits = PositionLimits {
        depth: Some(9),
        nodes: None,
        movetime: Some(Duration::from_millis(250)),
        multipv: 2,
    };
    JobRecord {
        id: JobId::default(),
        client: "ann".to_owned(),
        limits,
        created_ms: 1_790_000_000_000,
        end: None,
        reserved_bytes: 77,
        idempotency_key: None,
        plies: plies.to_vec(),
        positions_done: 0,
    }
}

fn game_record(moves: &str) -> GameRecord {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut played = Vec::new();
    for text in moves.split_whitespace() {
        played.push(parse_move(&position, text).unwrap());
        position.play(played[played.len() - 1]);
    }
    let mut headers = Headers::new();
    headers.set("White", "Ann \"the\" Ä");
    GameRecord {
        headers,
        result: GameResult::Draw,
        parsed: Ok(ParsedGame { start, moves: played }),
    }
}

fn eval(number: i32) -> PositionEval {
    PositionEval {
        score: Score::Cp(number),
        pv: vec![Move::from_code(number as u16 + 1); number as usize % 5],
    }
}

fn claim(id: JobId) -> Claim {
    Claim { id, fence: 0 }
}

/// Inserts a job under a random id.
fn insert(file: &JobFile, record: &JobRecord, evicted: &[JobId]) -> JobId {
    let record = JobRecord { id: JobId::random().unwrap(), ..record.clone() };
    let encoded = game_record("e4 e5").encode();
    let game = EncodedGame { record: &encoded, text: Some("1. e4 e5 1/2-1/2") };
    let games = vec![game; record.plies.len()];
    file.insert(
        &NewJob { record: &record, request_digest: [5; 32], games },
        evicted,
        LogPosition::default(),
    )
    .unwrap();
    record.id
}

/// Runs a check with a store in memory and with one on disk.
fn with_both_backends(check: impl Fn(JobFile)) {
    check(JobFile::in_memory().unwrap());
    let folder = tempfile::tempdir().unwrap();
    check(JobFile::open(folder.path()).unwrap());
}

#[test]
fn a_job_is_stored_with_its_games_and_evals() {
    with_both_backends(|file| {
        let id = insert(&file, &record(&[2, 2]), &[]);
        let record = JobRecord { id, ..record(&[2, 2]) };
        assert_eq!(file.job(id).unwrap(), Some(record.clone()));
        assert_eq!(file.game_record(id, 1).unwrap(), Some(game_record("e4 e5")));
        assert_eq!(file.text(id, 0).unwrap().as_deref(), Some("1. e4 e5 1/2-1/2"));
        assert_eq!((file.game_record(id, 2).unwrap(), file.text(id, 2).unwrap()), (None, None));

        let evals: Vec<_> = (0..6).map(eval).collect();
        file.append(claim(id), 0, &evals[..2], None).unwrap();
        let end = Some(JobEnd { at_ms: 9, failed: false });
        file.append(claim(id), 2, &evals[2..], end).unwrap();
        assert_eq!(file.evals(id, 1, 3).unwrap(), evals[1..4]);
        assert_eq!(file.evals(id, 4, 30).unwrap(), evals[4..]);
        let record = JobRecord { end, positions_done: 6, ..record };
        assert_eq!(file.snapshot().unwrap().jobs, std::slice::from_ref(&record));
        assert_eq!(file.job(id).unwrap(), Some(record));
    });
}

#[test]
fn a_removed_job_leaves_a_tombstone() {
    with_both_backends(|file| {
        let keyed = JobRecord { idempotency_key: Some([7; 32]), ..record(&[2]) };
        let (first, second) = (insert(&file, &keyed, &[]), insert(&file, &record(&[2]), &[]));
        file.append(claim(first), 0, &[eval(1)], None).unwrap();
        file.append(claim(second), 0, &[eval(2)], None).unwrap();
        assert_eq!(file.find_by_idempotency_key(&[7; 32]).unwrap(), Some(([5; 32], first)));
        file.remove(&[first]).unwrap();
        assert_eq!(
            (file.job(first).unwrap(), file.find_by_idempotency_key(&[7; 32]).unwrap()),
            (None, None)
        );
        assert_eq!(
            (file.game_record(first, 0).unwrap(), file.text(first, 0).unwrap()),
            (None, None)
        );
        assert_eq!(file.evals(first, 0, 9).unwrap(), []);
        assert!(
            matches!(file.append(claim(first), 1, &[eval(3)], None), Err(AppendError::Gone)),
            "a removed job accepts no evaluations"
        );
        assert_eq!(
            file.evals(second, 0, 9).unwrap(),
            [eval(2)],
            "another job keeps its evaluations"
        );

        let third = insert(&file, &record(&[2]), &[second, first]);
        assert_eq!(
            file.snapshot().unwrap().tombstones,
            [first, second],
            "a removed job has one tombstone"
        );
        assert_eq!(
            file.snapshot().unwrap().jobs.iter().map(|job| job.id).collect::<Vec<_>>(),
            [third]
        );
    });
}

#[test]
fn jobs_survive_reopening_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (id, gone) = {
        let file = JobFile::open(folder.path()).unwrap();
        let (id, gone) = (insert(&file, &record(&[2]), &[]), insert(&file, &record(&[2]), &[]));
        file.append(claim(id), 0, &[eval(4)], None).unwrap();
        file.remove(&[gone]).unwrap();
        (id, gone)
    };
    let file = JobFile::open(folder.path()).unwrap();
    assert_eq!(
        file.snapshot().unwrap().jobs,
        [JobRecord { id, positions_done: 1, ..record(&[2]) }]
    );
    assert_eq!(
        (file.snapshot().unwrap().tombstones, file.evals(id, 0, 9).unwrap()),
        (vec![gone], vec![eval(4)])
    );
    assert!(file.is_persistent() && file.disk_bytes() > 0);
    let error = JobFile::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, OpenError::InUse { .. }) && error.to_string().starts_with("store.path: "),
        "{error}"
    );
}

#[test]
fn damaged_files_are_quarantined_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOBS_FILE);
    let quarantined_path = |number: usize| match number {
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
            assert_eq!(JobFile::open(folder.path()).unwrap().snapshot().unwrap().jobs, []);
        }
        assert!(
            (1..=number.min(10))
                .all(|number| std::fs::read(quarantined_path(number)).unwrap()
                    == damaged[number - 1]),
            "{number}"
        );
    }
    let error = JobFile::open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::TooManyQuarantined { max: 10, .. }), "{error}");
    assert!(error.to_string().starts_with("store.path: "), "{error}");
    assert!(std::fs::read(&path).unwrap() == damaged[10], "the file is not moved");
    std::fs::rename(quarantined_path(3), folder.path().join("elsewhere")).unwrap();
    assert_eq!(JobFile::open(folder.path()).unwrap().snapshot().unwrap().jobs, []);
    assert!(std::fs::read(quarantined_path(3)).unwrap() == damaged[10]);
}

#[test]
fn the_file_of_the_evaluation_cache_is_quarantined() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cache) = (folder.path().join(JOBS_FILE), folder.path().join(EVALUATION_CACHE_FILE));
    let options = StoreOptions {
        folder: folder.path().to_owned(),
        max_entries: 10,
        engine_id: "an engine".to_owned(),
    };
    drop(EvaluationCacheFile::open(options).unwrap());
    std::fs::copy(&cache, &path).unwrap();
    insert(&JobFile::open(folder.path()).unwrap(), &record(&[2]), &[]);
    assert_eq!(JobFile::open(folder.path()).unwrap().snapshot().unwrap().jobs.len(), 1);
    let foreign = folder.path().join(format!("{JOBS_FILE}.foreign"));
    assert!(foreign.exists());
}

#[test]
fn an_empty_file_takes_no_place_of_a_quarantined_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOBS_FILE);
    for number in 1..=11 {
        std::fs::write(&path, "").unwrap();
        insert(&JobFile::open(folder.path()).unwrap(), &record(&[2]), &[]);
        let jobs = JobFile::open(folder.path()).unwrap().snapshot().unwrap().jobs;
        assert_eq!(jobs.len(), 1, "{number}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is quarantined");
}

#[test]
fn a_read_after_a_failed_write_reopens_the_file() {
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
        "a job that cannot be decoded cannot be removed"
    );
    assert_eq!(file.job(good).unwrap(), Some(JobRecord { id: good, ..record(&[2]) }));
    file.remove(&[good]).unwrap();
    assert_eq!(file.job(good).unwrap(), None);
}

#[test]
fn the_write_probe_leaves_nothing() {
    with_both_backends(|file| {
        let id = insert(&file, &record(&[2]), &[]);
        file.check_writable().unwrap();
        let once = file.disk_bytes();
        (0..9).for_each(|_| file.check_writable().unwrap());
        assert_eq!((file.disk_bytes(), file.snapshot().unwrap().jobs.len()), (once, 1));
        assert_eq!(file.job(id).unwrap(), Some(JobRecord { id, ..record(&[2]) }));
    });
}

#[test]
fn a_game_from_a_custom_start_and_an_error_round_trip() {
    let start =
        Position::from_fen("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 b Gkq - 149 77").unwrap();
    let moves = vec![start.legal_moves()[0]];
    let other = GameRecord {
        headers: Headers::new(),
        result: GameResult::Unknown,
        parsed: Ok(ParsedGame { start, moves }),
    };
    assert_eq!(GameRecord::decode(&other.encode()), Ok(other));
    let error = GameError {
        code: "not_legal".to_owned(),
        detail: "line 3".to_owned(),
        ply: 2,
        line: 3,
        column: 4,
        text: "Ke5ä".to_owned(),
    };
    let bad =
        GameRecord { headers: Headers::new(), result: GameResult::WhiteWins, parsed: Err(error) };
    assert_eq!(GameRecord::decode(&bad.encode()), Ok(bad));
}

#[test]
fn an_id_round_trips_and_other_texts_are_refused() {
    let id = JobId::random().unwrap();
    assert_eq!(JobId::parse(&id.to_string()), Some(id));
    assert_eq!(JobId(7).to_string(), "00000000000000000000000000000007");
    for text in [
        "",
        "7",
        "0000000000000000000000000000000G",
        "000000000000000000000000000000AB",
        "+0000000000000000000000000000007",
    ] {
        assert_eq!(JobId::parse(text), None, "{text}");
    }
    assert_ne!(JobId::random().unwrap(), id);
}

fn records() -> impl Strategy<Value = JobRecord> {
    let limits = (any::<Option<u8>>(), any::<Option<u64>>(), any::<Option<u32>>(), any::<u16>());
    let end = prop::option::of((any::<u64>(), any::<bool>()));
    let rest = (any::<String>(), any::<u64>(), any::<u64>(), any::<Option<[u8; 32]>>());
    let derived = (any::<u128>().prop_map(JobId), any::<u64>());
    (limits, end, rest, prop::collection::vec(any::<u32>(), 0..9), derived).prop_map(
        |(
            (depth, nodes, ms, multipv),
            end,
            (client, created_ms, reserved_bytes, idempotency_key),
            plies,
            (id, positions_done),
        )| {
            let movetime = ms.map(|ms| Duration::from_millis(ms.into()));
            let end = end.map(|(at_ms, failed)| JobEnd { at_ms, failed });
            JobRecord {
                id,
                client,
                limits: PositionLimits { depth, nodes, movetime, multipv },
                created_ms,
                end,
                reserved_bytes,
                idempotency_key,
                plies,
                positions_done,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_job_record_round_trips(record in records()) {
        let bytes = record.encode();
        prop_assert_eq!(JobRecord::decode(record.id, record.positions_done, &bytes), Ok(record));
    }

    #[test]
    fn an_eval_round_trips_with_its_truncated_pv(
        value in -20_000..20_000,
        is_mate in any::<bool>(),
        codes in prop::collection::vec(any::<u16>(), 0..40),
    ) {
        let score = if is_mate { Score::Mate(value) } else { Score::Cp(value) };
        let pv: Vec<_> = codes.into_iter().map(Move::from_code).collect();
        let stored = PositionEval { score, pv: pv.iter().take(MAX_PV_LEN).copied().collect() };
        let bytes = PositionEval { score, pv }.encode();
        prop_assert!(bytes.len() as u64 + 24 <= MAX_EVAL_BYTES);
        prop_assert_eq!(PositionEval::decode(&bytes), Ok(stored));
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in any::<Vec<u8>>()) {
        let _ = JobRecord::decode(JobId::default(), 0, &bytes);
        let _ = GameRecord::decode(&bytes);
        let _ = PositionEval::decode(&bytes);
    }
}

#[test]
fn the_layout_does_not_change() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let record = JobRecord { end: Some(JobEnd { at_ms: 3, failed: true }), ..record(&[2, 300]) };
    assert_eq!(hex(&record.encode()), "3509fa01020380d8c1a28c344d03616e6e0202ac02");
    let white = "0557686974650c416e6e20227468652220c384";
    assert_eq!(hex(&game_record("e4 e5").encode()), format!("0301{white}010231c1d241"));
    assert_eq!(
        hex(&PositionEval { score: Score::Mate(-3), pv: vec![Move::from_code(0x1234)] }.encode()),
        "09011234"
    );
}
