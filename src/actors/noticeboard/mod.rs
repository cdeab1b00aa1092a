//! The noticeboard: publishes events, in order, to all subscribers.
//!
//! ```text
//!  journal ──► noticeboard ──► a buffer for each subscriber ──► its stream
//!                                                                ▲
//!  the journal's file ──(from `after` up to the live edge)───────┘
//! ```
//!
//! A subscription that resumes reads the journal up to the live edge, joins there, and reads the few records between:
//! no gap, no repeat. Then events lie in a buffer of bounded size. A reader that is too slow for it is told how many it
//! missed, exactly, at the place where they are missing (E1).
//!
//! Events are rendered once, and only if somebody listens. When the board falls behind the journal, it is sent a number
//! instead of records, and reads them itself: memory is bounded on every way.

mod actor;
mod buffer;
mod data;
mod event;
mod fields;
mod handle;
mod hub_data;
mod message;
mod pull;
mod schedule;
mod state;
mod subject;
mod subscription;
mod view;
mod workflow;

#[cfg(test)]
mod tests;

pub use actor::{NoticeboardActor, NoticeboardArgs};
pub use event::{EVENT_TYPES, Event, EventActor, Posted, UnknownType, check_types};
pub use handle::{NoticeboardEnded, NoticeboardRef};
pub use message::NoticeboardMessage;
pub use subscription::Subscription;
pub use view::{NoticeboardView, SubscriberView};
