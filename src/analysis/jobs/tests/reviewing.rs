//! Tests of searches, events, pages and annotations.

use std::sync::Mutex;

use super::*;
use crate::analysis::review::Judgement;
use crate::analysis::tests::request;
use crate::chess::pgn::PgnReader;
use crate::chess::{Color, Position};

/// The ply of each move, with the scores before and after it.
fn move_scores(page: &GamePage) -> Vec<(usize, Score, Score)> {
    page.moves
        .iter()
        .map(|reviewed_move| {
            (
                reviewed_move.review.ply,
                reviewed_move.review.score_before,
                reviewed_move.review.score_after,
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_move_has_the_scores_before_and_after_it() {
    let jobs = jobs_by_key();
    let job = wait_finished(&jobs, submit(&jobs, submission("ann", GAME)).await).await;
    let page = full_page(&job, 0).await;
    let game = PgnReader::new(GAME).next().unwrap().unwrap().to_game();
    let score =
        |ply: usize| Score::Cp((game.position_before(ply).unwrap().key() % 401) as i32 - 200);
    let expected: Vec<_> = (1..=12).map(|ply| (ply, score(ply - 1), score(ply))).collect();
    assert_eq!(move_scores(&page), expected);
    for (reviewed_move, &mv) in page.moves.iter().zip(game.moves()) {
        assert_eq!(
            (&reviewed_move.position, reviewed_move.review.mv),
            (game.position_before(reviewed_move.review.ply - 1).unwrap(), mv)
        );
        assert_eq!(reviewed_move.review.best_line.len(), 1);
    }
    assert!(page.player(Color::White).unwrap().accuracy.is_some());
    assert_eq!(page.opening.unwrap().eco, "C69");
    assert_eq!(page.record.headers.get("White"), Some("A"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkmate_position_is_not_searched() {
    let searcher = Scripted::new(report_from_key);
    let jobs = jobs_in_memory(searcher.clone());
    let job = wait_finished(&jobs, submit(&jobs, submission("ann", MATE)).await).await;
    let page = full_page(&job, 0).await;
    assert_eq!(page.moves.last().unwrap().review.score_after, Score::Mate(0));
    assert_eq!(searcher.searches(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cached_positions_are_not_searched_again() {
    let searcher = Scripted::new(report_from_key);
    let jobs = jobs_in_memory(searcher.clone());
    wait_finished(&jobs, submit(&jobs, submission("ann", GAME)).await).await;
    let first_searches = searcher.searches();
    wait_finished(&jobs, submit(&jobs, submission("bob", GAME)).await).await;
    assert_eq!(searcher.searches(), first_searches);
    let start =
        request(Game::new(Position::startpos()), Limits { depth: Some(3), ..Limits::default() });
    jobs.service().best_move(start).await.unwrap();
    assert_eq!(
        searcher.searches(),
        first_searches,
        "a single request uses the evaluations of a job"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_searched_in_order_each_from_its_last_position() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorder = seen.clone();
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        recorder.lock().unwrap().push(game.position().fullmove_number());
        report_from_key(game, limits, stop)
    });
    let jobs = start_jobs(searcher, 1, JobFile::in_memory().unwrap(), RULES);
    wait_finished(&jobs, submit(&jobs, submission("ann", &format!("{GAME}{MATE}"))).await).await;
    assert_eq!(*seen.lock().unwrap(), [7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 2, 2, 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repetitions_use_the_history_of_the_game() {
    let histories = Arc::new(Mutex::new(Vec::new()));
    let recorder = histories.clone();
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        recorder.lock().unwrap().push((game.occurrences(), game.moves().len()));
        report_from_key(game, limits, stop)
    });
    let jobs = start_jobs(searcher, 1, JobFile::in_memory().unwrap(), RULES);
    let text = "1. e4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1 *";
    let job = wait_finished(&jobs, submit(&jobs, submission("ann", text)).await).await;
    assert_eq!(job.progress().status, JobStatus::Done);
    let histories = histories.lock().unwrap();
    assert_eq!(histories[0], (3, 8), "the position after 5. Ng1 occurs for the third time");
    assert_eq!(
        histories.iter().filter(|(_, moves)| *moves == 0).count(),
        2,
        "around the pawn move no position can be repeated"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_beyond_the_75_move_rule_is_reviewed_to_its_end() {
    let jobs = jobs_by_key();
    let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 140 200\"]\n\n";
    let text = format!("{fen}{} *", "Ra2 Kd8 Ra1 Ke8 Rb1 Kd8 Ra1 Ke8 ".repeat(4));
    let job = wait_finished(&jobs, submit(&jobs, submission("ann", &text)).await).await;
    let page = full_page(&job, 0).await;
    assert_eq!((job.progress().status, page.moves.len()), (JobStatus::Done, 32));
    assert_eq!(page.moves[31].review.score_after, Score::Cp(0), "the 75-move rule makes it a draw");
    assert_eq!(page.moves[31].position.halfmove_clock(), 171);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_the_same_on_every_read() {
    let jobs = jobs_by_key();
    let job = wait_finished(
        &jobs,
        submit(&jobs, submission("ann", &format!("{GAME}1. e4 Ke5 *\n\n{MATE}"))).await,
    )
    .await;
    let positions_done = job.progress().positions_done;
    let name = |event: &JobEvent| match event {
        JobEvent::Move { game, reviewed_move } => format!("{game}:{}", reviewed_move.review.ply),
        JobEvent::Game(page) => format!("{}", page.number),
    };
    let mut all = Vec::new();
    loop {
        let events = job.events(all.len() as u64 + 1, positions_done, 5).await.unwrap();
        if events.is_empty() {
            break;
        }
        assert!(events.len() <= 5);
        all.extend(events.iter().map(name));
    }
    let expected = "0:12 0:11 0:10 0:9 0:8 0:7 0:6 0:5 0:4 0:3 0:2 0:1 0 1 2:4 2:3 2:2 2:1 2";
    assert_eq!(all.join(" "), expected);
    for from in 1..=all.len() as u64 {
        let [first, ..] = &job.events(from, positions_done, 3).await.unwrap()[..] else {
            panic!("event {from}")
        };
        assert_eq!(name(first), all[from as usize - 1]);
    }
    assert_eq!(
        job.events(5, 4, 100).await.unwrap().len(),
        0,
        "events of positions without an evaluation are not reported"
    );
    assert_eq!(job.events(1, 4, 100).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_add_up_to_the_full_game() {
    let jobs = jobs_by_key();
    let job = wait_finished(&jobs, submit(&jobs, submission("ann", GAME)).await).await;
    let page = full_page(&job, 0).await;
    for positions_done in [13, 8, 1, 0] {
        let (mut moves, mut from) = (Vec::new(), 1);
        loop {
            let part = job.page(0, positions_done, from, 5).await.unwrap();
            assert_eq!(part.players.is_some(), from == 1 && positions_done == 13);
            moves.extend(move_scores(&part));
            match part.next_page_ply {
                Some(next) => from = next,
                None => break,
            }
        }
        let reviewed = 12.min(positions_done.saturating_sub(1)) as usize;
        assert_eq!(moves, move_scores(&page)[12 - reviewed..]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_game_reports_its_own_error() {
    let jobs = jobs_by_key();
    let job = wait_finished(
        &jobs,
        submit(&jobs, submission("ann", &format!("{MATE}[White \"W\"]\n\n1. e4\nKe5 *"))).await,
    )
    .await;
    let page = full_page(&job, 1).await;
    let error = page.record.parsed.unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.line, error.ply, error.text.as_str()),
        ("not_legal", 6, 2, "Ke5")
    );
    assert_eq!(page.record.headers.get("White"), Some("W"));
    assert_eq!(job.annotated_pgn(1, job.progress().positions_done).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_annotated_pgn_parses_with_its_evaluations() {
    let jobs = jobs_by_key();
    let job =
        wait_finished(&jobs, submit(&jobs, submission("ann", &format!("{GAME}{MATE}"))).await)
            .await;
    let positions_done = job.progress().positions_done;
    let page = full_page(&job, 0).await;
    let text = job.annotated_pgn(0, positions_done).await.unwrap().unwrap();
    let game = PgnReader::new(&text).next().unwrap().unwrap();
    assert_eq!(game.headers.get("White"), Some("A"));
    for (mv, reviewed_move) in game.line.moves.iter().zip(&page.moves) {
        assert!(mv.eval().is_some());
        let nag = reviewed_move.review.assessment.judgement.map(Judgement::nag);
        assert_eq!(mv.nags(), nag.as_slice());
        assert_eq!(mv.variations().len(), usize::from(nag.is_some()));
    }
    assert!(
        page.moves.iter().any(|reviewed_move| reviewed_move.review.assessment.judgement.is_some())
    );
    let unfinished = job.annotated_pgn(1, positions_done - 1).await.unwrap().unwrap();
    assert!(!unfinished.contains("%eval"), "only a fully reviewed game is annotated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_search_fails_its_job_and_keeps_earlier_reviews() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        assert!(game.position().fullmove_number() > 3, "internal error of the searcher");
        report_from_key(game, limits, stop)
    });
    let jobs = start_jobs(searcher, 1, JobFile::in_memory().unwrap(), RULES);
    let job = wait_finished(&jobs, submit(&jobs, submission("ann", GAME)).await).await;
    assert_eq!((job.progress().status, job.progress().positions_done), (JobStatus::Failed, 7));
    assert_eq!(full_page(&job, 0).await.moves.len(), 6);
    assert_eq!(jobs.status().unfinished.jobs, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_job_uses_all_workers() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        std::thread::sleep(Duration::from_millis(10));
        report_from_key(game, limits, stop)
    });
    let jobs = start_jobs(searcher.clone(), 4, JobFile::in_memory().unwrap(), RULES);
    wait_finished(&jobs, submit(&jobs, submission("ann", GAME)).await).await;
    assert_eq!(searcher.max_threads(), 4);
}
