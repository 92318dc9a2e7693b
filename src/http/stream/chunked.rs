//! A body that is produced chunk by chunk, as fast as its reader takes it.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::Frame;
use tokio::sync::mpsc;
use tracing::Instrument;

/// Minimum number of bytes that are produced before the response starts.
const EAGER_BYTES: usize = 64 << 10;

/// The memory of a chunked body: the beginning, a chunk that is sent, one that waits and one that
/// is produced. The first chunk of a game, with all its headers escaped, is the largest.
pub(crate) const CHUNKED_BODY_BYTES: usize = 512 << 10;

/// A source of body chunks.
pub(crate) trait ChunkSource: Send + 'static {
    /// The reason why no further chunk can be produced.
    type Error: Error + Send + Sync + 'static;

    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// Fails if the chunk cannot be produced.
    fn next_chunk(&mut self) -> impl Future<Output = Result<Option<Bytes>, Self::Error>> + Send;
}

/// Creates a body from a source.
///
/// The beginning is produced at once, so that a short body is sent completely or not started. Of
/// the rest, at most two chunks exist at a time: the one being sent and the next one. If the source
/// fails later, the body is cut off.
///
/// # Errors
/// Fails if the beginning cannot be produced. The caller can then still send another response.
pub(crate) async fn chunked_body<P: ChunkSource>(mut source: P) -> Result<Body, P::Error> {
    let mut beginning = Vec::new();
    while beginning.len() < EAGER_BYTES {
        match source.next_chunk().await? {
            Some(chunk) => beginning.extend_from_slice(&chunk),
            None => return Ok(Body::from(beginning)),
        }
    }
    let (sender, receiver) = mpsc::channel(1);
    let producer = async move {
        if sender.send(Ok(Bytes::from(beginning))).await.is_err() {
            return;
        }
        loop {
            // A chunk is produced only when there is space for it.
            let Ok(permit) = sender.reserve().await else { return };
            match source.next_chunk().await {
                Ok(Some(chunk)) => permit.send(Ok(chunk)),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(error = error.to_string(), "response body was cut off");
                    return permit.send(Err(io::Error::other(error)));
                }
            }
        }
    };
    tokio::spawn(producer.in_current_span());
    Ok(Body::new(ChunkedBody(receiver)))
}

struct ChunkedBody(mpsc::Receiver<io::Result<Bytes>>);

impl HttpBody for ChunkedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// A source of `count` chunks of equal size, numbered from 1, followed by an error or the end.
    struct NumberedChunks {
        bytes: usize,
        sent: u8,
        count: u8,
        fails: bool,
    }

    impl ChunkSource for NumberedChunks {
        type Error = io::Error;

        async fn next_chunk(&mut self) -> io::Result<Option<Bytes>> {
            if self.sent < self.count {
                self.sent += 1;
                return Ok(Some(Bytes::from(vec![self.sent; self.bytes])));
            }
            if self.fails { Err(io::Error::other("broken")) } else { Ok(None) }
        }
    }

    const SHORT: NumberedChunks = NumberedChunks { bytes: 10, sent: 0, count: 3, fails: false };
    const LONG: NumberedChunks = NumberedChunks { bytes: EAGER_BYTES / 2, count: 5, ..SHORT };

    async fn frames(source: NumberedChunks) -> Vec<Result<Bytes, axum::Error>> {
        let mut body = chunked_body(source).await.unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            frames.push(frame.map(|frame| frame.into_data().unwrap()));
        }
        frames
    }

    #[tokio::test]
    async fn chunks_arrive_in_order() {
        for source in [SHORT, LONG] {
            let (bytes, count) = (source.bytes, source.count);
            let all =
                frames(source).await.into_iter().map(Result::unwrap).collect::<Vec<_>>().concat();
            assert_eq!(all, (1..=count).flat_map(|number| vec![number; bytes]).collect::<Vec<_>>());
        }
    }

    #[tokio::test]
    async fn a_short_body_is_sent_whole_or_not_at_all() {
        assert_eq!(frames(SHORT).await.len(), 1);
        let refused = chunked_body(NumberedChunks { fails: true, ..SHORT }).await;
        assert_eq!(refused.map(|_| ()).unwrap_err().to_string(), "broken");
    }

    #[tokio::test]
    async fn a_long_body_that_fails_is_cut_off() {
        let frames = frames(NumberedChunks { fails: true, ..LONG }).await;
        assert_eq!(
            frames.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, true, true, true, false]
        );
    }
}
