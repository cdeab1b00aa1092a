//! What the hub tells a session of the elder era without being asked, over HTTP: a stream of its own, opened when the
//! handshake is done. When it ends the hub counts as lost: a second stream of the same session may stay mute, and what
//! was said in between is made good by a new session alone.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::http_reply::{AGAIN_AFTER, HttpReply, each_event};

/// How long the client's next message waits for the stream to be open, so that it misses nothing of what it asks to be
/// told. Something between that keeps a stream back until it ends makes each session wait for so long, once.
pub(super) const OPEN_WITHIN: Duration = Duration::from_secs(1);

/// Opens the stream, and says so when it stands. Where something between lets none through, the client does without.
pub(super) async fn listens(stream: RequestBuilder, tell: mpsc::Sender<HttpReply>, stands: oneshot::Sender<()>) {
    loop {
        let asked = stream.try_clone().map(|request| request.header(ACCEPT, "text/event-stream").send());
        let Some(asked) = asked else { return };
        match asked.await.map(opened) {
            Ok(Opened::Stream(response)) => {
                // Whoever waits for it may have gone on.
                let _ = stands.send(());
                each_event(response, &tell).await;
                sleep(AGAIN_AFTER).await;
                // Nobody listens any more when the link was given up.
                return drop(tell.send(HttpReply::Lost).await);
            }
            // A session that is gone is noticed with the next message.
            Ok(Opened::None) | Err(_) => return,
            Ok(Opened::Busy) => {}
        }
        sleep(AGAIN_AFTER).await;
    }
}

enum Opened {
    Stream(Response),
    /// There is no such stream here.
    None,
    Busy,
}

fn opened(response: Response) -> Opened {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match response.status() {
        status if status.is_success() && kind.starts_with("text/event-stream") => Opened::Stream(response),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Opened::Busy,
        _ => Opened::None,
    }
}
