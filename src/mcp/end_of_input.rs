//! A reader that tells when its input has ended.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::SetOnce;

/// An input that sets `ended` at its end, or when it fails.
pub(super) struct EndOfInput<R> {
    inner: R,
    ended: Arc<SetOnce<()>>,
}

impl<R> EndOfInput<R> {
    /// Reads `inner`.
    pub(super) fn new(inner: R, ended: Arc<SetOnce<()>>) -> EndOfInput<R> {
        EndOfInput { inner, ended }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for EndOfInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        let is_end = match &polled {
            Poll::Pending => false,
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
        };
        if is_end {
            // The input may be read again after its end.
            let _ = self.ended.set(());
        }
        polled
    }
}
