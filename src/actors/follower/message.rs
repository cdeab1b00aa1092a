//! The messages of a follower.

use ractor::RpcReplyPort;
use tokio::sync::oneshot;

use crate::actors::common::ActorView;
use crate::actors::noticeboard::Posted;

#[derive(Debug)]
pub enum FollowerMessage {
    /// Its reader has the next event, or learned of events that are gone for good.
    Read {
        posted: Posted,
        /// Answered once it was taken: the reader goes on then.
        taken: oneshot::Sender<()>,
    },
    /// The noticeboard ended, or the journal cannot be read.
    ReaderEnded,
    /// Its alarm rang: time to try again.
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}
