//! What comes back over HTTP, and how the events of a stream are passed on.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Response;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::envelope::Envelope;
use crate::cli::client::SseParser;

/// How long a stream may be silent: the hub sends a comment every ten seconds.
const SILENT: Duration = Duration::from_secs(45);

/// After how long a request that came to nothing counts as a lost hub.
pub(super) const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// What comes back.
#[derive(Debug)]
pub(super) enum Heard {
    Text(String),
    Lost,
}

/// Passes on each event of a stream to its end; whether an answer was among them, and the stream did not break off.
pub(super) async fn each_event(response: Response, tell: &mpsc::Sender<Heard>) -> bool {
    let (mut stream, mut parser, mut answered) = (response.bytes_stream(), SseParser::default(), false);
    loop {
        match timeout(SILENT, stream.next()).await {
            Ok(Some(Ok(bytes))) => {
                for event in parser.feed(&bytes).unwrap_or_default() {
                    answered |= Envelope::of(&event.data).is_some_and(|envelope| envelope.is_answer());
                    if !event.data.is_empty() && tell.send(Heard::Text(event.data)).await.is_err() {
                        return true;
                    }
                }
            }
            Ok(None) => return answered,
            Ok(Some(Err(_))) | Err(_) => return false,
        }
    }
}
