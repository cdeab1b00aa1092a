//! Reads for a follower: from its place up to the live edge, then live, one event at a time.

use ractor::ActorRef;
use tokio::sync::oneshot;

use super::message::FollowerMessage;
use crate::actors::noticeboard::{NoticeboardRef, Posted};
use crate::journal::{EventFilter, Seq};

/// Reads on behind `place`, and hands each event to the actor. Ends with the actor, or with the noticeboard.
pub(super) async fn read(board: NoticeboardRef, filter: EventFilter, mut place: Seq, actor: ActorRef<FollowerMessage>) {
    // Where the live buffer did not hold everything, the journal is read again; what it lacks is gone for good.
    let mut read_again = None;
    'subscribed: loop {
        let Ok(mut events) = board.subscribe(filter.clone(), Some(place)).await else { break };
        loop {
            let posted = match events.next().await {
                Some(Posted::Gap { .. }) if read_again != Some(place) => {
                    read_again = Some(place);
                    continue 'subscribed;
                }
                Some(posted) => posted,
                None => break 'subscribed,
            };
            if let Posted::Event(event) = &posted {
                place = event.seq;
            }
            let (taken, is_taken) = oneshot::channel();
            // An actor that is gone is built anew with a reader of its own.
            if actor.send_message(FollowerMessage::Read { posted, taken }).is_err() || is_taken.await.is_err() {
                return;
            }
        }
    }
    let _ = actor.send_message(FollowerMessage::ReaderEnded);
}
