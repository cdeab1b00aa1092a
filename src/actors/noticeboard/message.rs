//! The messages of the noticeboard.

use ractor::RpcReplyPort;
use tokio::sync::oneshot;

use super::event::Posted;
use super::view::NoticeboardView;
use crate::journal::{EventFilter, Kept, Seq};

/// The number of a subscriber, unique while the board lives.
pub(super) type SubscriberId = u64;

#[derive(Debug)]
pub enum NoticeboardMessage {
    /// These are durable, in order.
    Publish(Vec<Kept>),
    /// Everything up to this number is durable: read it yourself.
    CatchUp(Seq),
    /// Somebody listens from now on.
    Join {
        filter: EventFilter,
        /// Where to: the number of the newcomer, and the last event that it will not hear.
        reply: RpcReplyPort<(u64, Seq)>,
    },
    /// A subscriber fetches what there is; answered when there is something.
    Fetch {
        subscriber: u64,
        reply: oneshot::Sender<Vec<Posted>>,
    },
    Leave {
        subscriber: u64,
    },
    View {
        reply: RpcReplyPort<NoticeboardView>,
    },
}
