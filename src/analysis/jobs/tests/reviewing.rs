//! What is found, in which order, and what is said of it.

use std::sync::Mutex;

use super::*;
use crate::analysis::review::Judgement;
use crate::analysis::tests::question;
use crate::chess::pgn::PgnReader;
use crate::chess::{Color, Position};

/// Moves in UCI order as `ply:score before:score after`.
fn told(page: &GamePage) -> Vec<(usize, Score, Score)> {
    page.moves
        .iter()
        .map(|moved| (moved.review.ply, moved.review.before, moved.review.after))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_move_has_the_scores_before_and_after_it() {
    let jobs = by_keys();
    let job = over(&jobs, jobs.submit(submission("ann", GAME)).await.unwrap().id).await;
    let page = whole(&job, 0).await;
    let game = PgnReader::new(GAME).next().unwrap().unwrap().game();
    let score =
        |ply: usize| Score::Cp((game.position_before(ply).unwrap().key() % 401) as i32 - 200);
    let expected: Vec<_> = (1..=12).map(|ply| (ply, score(ply - 1), score(ply))).collect();
    assert_eq!(told(&page), expected);
    for (moved, &mv) in page.moves.iter().zip(game.moves()) {
        assert_eq!(
            (&moved.before, moved.review.mv),
            (game.position_before(moved.review.ply - 1).unwrap(), mv)
        );
        assert_eq!(moved.review.line.len(), 1);
    }
    assert!(page.player(Color::White).unwrap().accuracy.is_some());
    assert_eq!(page.opening.unwrap().eco, "C69");
    assert_eq!(page.sheet.headers.get("White"), Some("A"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mate_on_the_board_is_known_without_a_search() {
    let searcher = Scripted::new(by_key);
    let jobs = in_memory(searcher.clone());
    let job = over(&jobs, jobs.submit(submission("ann", MATE)).await.unwrap().id).await;
    let page = whole(&job, 0).await;
    assert_eq!(page.moves.last().unwrap().review.after, Score::Mate(0));
    assert_eq!(searcher.searches(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_memory_knows_is_not_searched_again() {
    let searcher = Scripted::new(by_key);
    let jobs = in_memory(searcher.clone());
    over(&jobs, jobs.submit(submission("ann", GAME)).await.unwrap().id).await;
    let once = searcher.searches();
    over(&jobs, jobs.submit(submission("bob", GAME)).await.unwrap().id).await;
    assert_eq!(searcher.searches(), once);
    let start =
        question(Game::new(Position::startpos()), Limits { depth: Some(3), ..Limits::default() });
    jobs.service().best_move(start).await.unwrap();
    assert_eq!(
        searcher.searches(),
        once,
        "and whoever asks for a single position is answered as well"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_walked_from_their_end_one_after_the_other() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        note.lock().unwrap().push(game.position().fullmove_number());
        by_key(game, limits, stop)
    });
    let jobs = jobs(searcher, 1, JobFile::in_memory().unwrap(), RULES);
    over(&jobs, jobs.submit(submission("ann", &format!("{GAME}{MATE}"))).await.unwrap().id).await;
    assert_eq!(*seen.lock().unwrap(), [7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 2, 2, 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repetitions_count_from_the_game_itself() {
    let histories = Arc::new(Mutex::new(Vec::new()));
    let note = histories.clone();
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        note.lock().unwrap().push((game.repetitions(), game.moves().len()));
        by_key(game, limits, stop)
    });
    let jobs = jobs(searcher, 1, JobFile::in_memory().unwrap(), RULES);
    let text = "1. e4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1 *";
    let job = over(&jobs, jobs.submit(submission("ann", text)).await.unwrap().id).await;
    assert_eq!(job.progress().status, JobStatus::Done);
    let histories = histories.lock().unwrap();
    assert_eq!(histories[0], (3, 8), "the position after 5. Ng1 stands there for the third time");
    assert_eq!(
        histories.iter().filter(|(_, moves)| *moves == 0).count(),
        2,
        "before and after the pawn's move nothing can come back"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_beyond_the_75_move_rule_is_reviewed_to_its_end() {
    let jobs = by_keys();
    let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 140 200\"]\n\n";
    let text = format!("{fen}{} *", "Ra2 Kd8 Ra1 Ke8 Rb1 Kd8 Ra1 Ke8 ".repeat(4));
    let job = over(&jobs, jobs.submit(submission("ann", &text)).await.unwrap().id).await;
    let page = whole(&job, 0).await;
    assert_eq!((job.progress().status, page.moves.len()), (JobStatus::Done, 32));
    assert_eq!(page.moves[31].review.after, Score::Cp(0), "by the rules it is a draw");
    assert_eq!(page.moves[31].before.halfmove_clock(), 171);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_the_same_whenever_they_are_asked_for() {
    let jobs = by_keys();
    let job = over(
        &jobs,
        jobs.submit(submission("ann", &format!("{GAME}1. e4 Ke5 *\n\n{MATE}"))).await.unwrap().id,
    )
    .await;
    let found = job.progress().found;
    let name = |event: &JobEvent| match event {
        JobEvent::Move { game, moved } => format!("{game}:{}", moved.review.ply),
        JobEvent::Game(page) => format!("{}", page.number),
    };
    let mut all = Vec::new();
    loop {
        let events = job.events(all.len() as u64 + 1, found, 5).await.unwrap();
        if events.is_empty() {
            break;
        }
        assert!(events.len() <= 5);
        all.extend(events.iter().map(name));
    }
    let expected = "0:12 0:11 0:10 0:9 0:8 0:7 0:6 0:5 0:4 0:3 0:2 0:1 0 1 2:4 2:3 2:2 2:1 2";
    assert_eq!(all.join(" "), expected);
    for from in 1..=all.len() as u64 {
        let [first, ..] = &job.events(from, found, 3).await.unwrap()[..] else {
            panic!("event {from}")
        };
        assert_eq!(name(first), all[from as usize - 1]);
    }
    assert_eq!(job.events(5, 4, 100).await.unwrap().len(), 0, "what is not found yet is not told");
    assert_eq!(job.events(1, 4, 100).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_together_are_the_whole() {
    let jobs = by_keys();
    let job = over(&jobs, jobs.submit(submission("ann", GAME)).await.unwrap().id).await;
    let page = whole(&job, 0).await;
    for found in [13, 8, 1, 0] {
        let (mut moves, mut from) = (Vec::new(), 1);
        loop {
            let part = job.page(0, found, from, 5).await.unwrap();
            assert_eq!(part.players.is_some(), from == 1 && found == 13);
            moves.extend(told(&part));
            match part.next {
                Some(next) => from = next,
                None => break,
            }
        }
        let reviewed = 12.min(found.saturating_sub(1)) as usize;
        assert_eq!(moves, told(&page)[12 - reviewed..]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_game_says_what_is_wrong_with_it_alone() {
    let jobs = by_keys();
    let job = over(
        &jobs,
        jobs.submit(submission("ann", &format!("{MATE}[White \"W\"]\n\n1. e4\nKe5 *")))
            .await
            .unwrap()
            .id,
    )
    .await;
    let page = whole(&job, 1).await;
    let fault = page.sheet.read.unwrap_err();
    assert_eq!(
        (fault.code.as_str(), fault.line, fault.ply, fault.text.as_str()),
        ("not_legal", 6, 2, "Ke5")
    );
    assert_eq!(page.sheet.headers.get("White"), Some("W"));
    assert_eq!(job.annotated(1, job.progress().found).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_annotated_text_reads_back_with_its_evaluations() {
    let jobs = by_keys();
    let job =
        over(&jobs, jobs.submit(submission("ann", &format!("{GAME}{MATE}"))).await.unwrap().id)
            .await;
    let found = job.progress().found;
    let page = whole(&job, 0).await;
    let text = job.annotated(0, found).await.unwrap().unwrap();
    let game = PgnReader::new(&text).next().unwrap().unwrap();
    assert_eq!(game.headers.get("White"), Some("A"));
    for (mv, moved) in game.line.moves.iter().zip(&page.moves) {
        assert!(mv.eval().is_some());
        let glyph = moved.review.judgement.map(Judgement::glyph);
        assert_eq!(mv.glyphs(), glyph.as_slice());
        assert_eq!(mv.variations().len(), usize::from(glyph.is_some()));
    }
    assert!(page.moves.iter().any(|moved| moved.review.judgement.is_some()));
    let unfinished = job.annotated(1, found - 1).await.unwrap().unwrap();
    assert!(!unfinished.contains("%eval"), "a game is annotated when all of it is reviewed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_breaks_off_fails_its_job_and_keeps_what_came_before() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        assert!(game.position().fullmove_number() > 3, "a fault");
        by_key(game, limits, stop)
    });
    let jobs = jobs(searcher, 1, JobFile::in_memory().unwrap(), RULES);
    let job = over(&jobs, jobs.submit(submission("ann", GAME)).await.unwrap().id).await;
    assert_eq!((job.progress().status, job.progress().found), (JobStatus::Failed, 7));
    assert_eq!(whole(&job, 0).await.moves.len(), 6);
    assert_eq!(jobs.status().unfinished.jobs, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_workers_are_busy_with_one_job() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        std::thread::sleep(Duration::from_millis(10));
        by_key(game, limits, stop)
    });
    let jobs = jobs(searcher.clone(), 4, JobFile::in_memory().unwrap(), RULES);
    over(&jobs, jobs.submit(submission("ann", GAME)).await.unwrap().id).await;
    assert_eq!(searcher.most_threads(), 4);
}
