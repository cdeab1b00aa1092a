//! What a client is told without asking: that a list is another one, or that something it reads has changed.
//!
//! Both eras are fed by the same [`Changes`]. In 2026-07-28 a client listens (`subscriptions/listen`), for as long as
//! its stream is open. Before, it has a session or a socket, to which lists are told from the handshake on and what it
//! subscribed to by `resources/subscribe`: that is its [`Ear`].
//!
//! A name may be listened to whether or not anything is there, so that an answer says nothing of what belongs to
//! others. Whether its owner may see it is asked anew each time before it is told.

mod ear;
mod found;
mod listen;

pub(super) use ear::{Ear, tell};
pub(super) use found::{Change, Changes, Lists, Wanted};
pub(super) use listen::{Listeners, Since, accepted, listen};
