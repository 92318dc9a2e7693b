//! Tests of stall detection.

use std::future::poll_fn;

use super::*;

const STALL: Duration = Duration::from_secs(10);

async fn stalls_within(progress: &StreamProgress, duration: Duration) -> bool {
    tokio::time::timeout(duration, progress.wait_for_stall(STALL)).await.is_ok()
}

fn tracking(progress: &Arc<StreamProgress>) -> Tracking {
    Tracking { progress: Some(progress.clone()), _reservation: None }
}

fn tracked_chunk(progress: &Arc<StreamProgress>, bytes: &'static [u8]) -> TrackedChunk {
    TrackedChunk::new(Bytes::from_static(bytes), tracking(progress))
}

#[tokio::test(start_paused = true)]
async fn a_stream_with_nothing_unsent_never_stalls() {
    let progress = Arc::new(StreamProgress::new());
    progress.finish_request();
    assert!(!stalls_within(&progress, 10 * STALL).await);
    let mut chunk = tracked_chunk(&progress, b"text");
    chunk.advance(4);
    assert!(!stalls_within(&progress, 10 * STALL).await);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_too_slowly_stalls() {
    const BYTES_PER_WINDOW: usize = 1_024 * STALL.as_secs() as usize;
    let progress = Arc::new(StreamProgress::new());
    progress.finish_request();
    let mut chunk = tracked_chunk(&progress, &[0; 4 * BYTES_PER_WINDOW]);
    let started = Instant::now();
    for _ in 0..3 {
        chunk.advance(BYTES_PER_WINDOW);
        assert!(!stalls_within(&progress, STALL).await, "fast enough");
    }
    chunk.advance(BYTES_PER_WINDOW - 1);
    progress.wait_for_stall(STALL).await;
    assert_eq!(started.elapsed().as_secs(), 40);
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_request_never_stalls() {
    let progress = Arc::new(StreamProgress::new());
    let _chunk = tracked_chunk(&progress, b"text");
    assert!(!stalls_within(&progress, 10 * STALL).await);
    let started = Instant::now();
    progress.finish_request();
    progress.wait_for_stall(STALL).await;
    assert_eq!(started.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn a_response_ends_when_all_of_it_is_sent() {
    let progress = Arc::new(StreamProgress::new());
    let mut body = TrackedResponseBody::new(Body::from("text"), tracking(&progress));
    let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
    let mut chunk =
        frame.and_then(Result::ok).and_then(|frame| frame.into_data().ok()).expect("data");
    assert!(!body.is_end_stream());
    let ended = tokio::spawn(async move {
        let end = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        end.is_none() && body.is_end_stream()
    });
    chunk.advance(3);
    tokio::task::yield_now().await;
    assert!(!ended.is_finished());
    drop(chunk);
    assert!(ended.await.expect("no panic"));
}
