//! A body that is there already, and holds a place until its reader has it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

use super::Permit;

/// Bytes of a piece. What the connection has taken it keeps until it is sent: so it gets a copy of
/// little, and never hold of the whole.
const CHUNK_BYTES: usize = 64 << 10;

/// A body that holds a place.
pub(crate) fn body_with_permit(bytes: impl Into<Bytes>, permit: Permit) -> Body {
    Body::new(PermitBody { rest: bytes.into(), _permit: permit })
}

struct PermitBody {
    rest: Bytes,
    _permit: Permit,
}

impl HttpBody for PermitBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(CHUNK_BYTES);
        let chunk = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&chunk)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::http::stream::Permits;

    #[tokio::test]
    async fn the_permit_is_held_until_the_body_is_dropped() {
        let permits = Permits::new(2);
        let text: Vec<u8> = (0..=255).cycle().take(CHUNK_BYTES + 100).collect();
        let mut body = body_with_permit(text.clone(), permits.try_acquire().unwrap());
        let _left = body_with_permit(text.clone(), permits.try_acquire().unwrap());
        assert_eq!((body.size_hint().exact(), permits.in_use()), (Some(text.len() as u64), 2));
        let mut read = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            read.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        assert_eq!((read, body.is_end_stream(), permits.in_use()), (text, true, 2));
        drop((body, _left));
        assert_eq!(permits.in_use(), 0);
    }
}
