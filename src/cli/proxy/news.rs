//! What the hub tells a session of the elder era without being asked, over HTTP: a stream of its own, opened when the
//! handshake is done, and opened again when it ends.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::http::{AGAIN_AFTER, Heard, each_event};

/// How long the client's next message waits for the stream to be open, so that it misses nothing of what it asks to be
/// told. Something between that keeps a stream back until it ends makes each session wait for so long, once.
pub(super) const OPEN_WITHIN: Duration = Duration::from_secs(1);

/// Opens the stream, again and again, until there is none to be had; says so once it stands.
pub(super) async fn listens(stream: RequestBuilder, tell: mpsc::Sender<Heard>, stands: oneshot::Sender<()>) {
    let mut stands = Some(stands);
    loop {
        let asked = stream.try_clone().map(|request| request.header(ACCEPT, "text/event-stream").send());
        let Some(asked) = asked else { return };
        match asked.await.map(opened) {
            Ok(Opened::Stream(response)) => {
                // Nobody waits for it any more the second time.
                let _ = stands.take().map(|stands| stands.send(()));
                each_event(response, &tell).await;
            }
            Ok(Opened::None) => return,
            Ok(Opened::Busy) => {}
            Ok(Opened::Gone) | Err(_) => {
                sleep(AGAIN_AFTER).await;
                // Nobody listens any more when the link was given up.
                return drop(tell.send(Heard::Lost).await);
            }
        }
        sleep(AGAIN_AFTER).await;
    }
}

enum Opened {
    Stream(Response),
    /// There is no such stream here.
    None,
    /// Not now: the one before is still there, or there are too many calls.
    Busy,
    /// The session went with its hub.
    Gone,
}

fn opened(response: Response) -> Opened {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match response.status() {
        status if status.is_success() && kind.starts_with("text/event-stream") => Opened::Stream(response),
        StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Opened::Gone,
        StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => Opened::Busy,
        status if status.is_server_error() => Opened::Busy,
        _ => Opened::None,
    }
}
