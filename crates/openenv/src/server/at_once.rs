//! The first poll of a future, for paths where most futures need no second.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// The output of a future that is ready at its first poll.
pub(crate) async fn at_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
