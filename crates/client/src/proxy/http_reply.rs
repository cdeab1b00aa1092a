//! What comes back over HTTP, and how the events of a stream are passed on.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Response;
use tokio::sync::mpsc;

use super::envelope::Envelope;
use crate::client::sse_events;

/// After how long a request that came to nothing counts as a lost hub.
pub(super) const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// What came back for a request: one message, or nothing because the hub was lost.
#[derive(Debug)]
pub(super) enum HttpReply {
    Text(String),
    Lost,
}

/// Passes on each event of a stream to its end; whether an answer was among them, and the stream did not break off.
pub(super) async fn each_event(response: Response, tell: &mpsc::Sender<HttpReply>) -> bool {
    let (mut events, mut answered) = (sse_events(response), false);
    while let Some(event) = events.next().await {
        let Ok(event) = event else { return false };
        let text = event.data.unwrap_or_default();
        answered |= Envelope::of(&text).is_some_and(|envelope| envelope.is_answer());
        if !text.is_empty() && tell.send(HttpReply::Text(text)).await.is_err() {
            return true;
        }
    }
    answered
}
