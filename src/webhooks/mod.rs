//! Webhooks: [`inbound`] reads what others send; all else posts the hub's events to the subscribers of `webhooks.out`.
//!
//! ```text
//!   append ─► journal ─(what of this does each subscription want?)─► records and deliveries, one transaction
//!                                                                              │
//!                    outbox: lanes, backoff, dead letters ◄────────────────────┘
//!                       │ one delivery, under its key
//!                       ▼
//!                    sign (Standard Webhooks) ─► look up the name, public addresses only ─► POST, no redirects
//! ```
//!
//! *Sent* is the event as `GET /api/v1/events` shows it, without texts of prompts. Every attempt has the same
//! `webhook-id`. *Order* is that of the journal for each subject (task, session, agent, hub).
//!
//! *Until it arrives:* 2xx is "taken". All else is tried again with backoff for [`TRIED_FOR`]; then, or at 410 at once,
//! the delivery is a dead letter, and the subscription is stopped until a person has settled its dead letters.
//!
//! *Where it may go* ([`egress`]): `https` to public addresses, unless `allowPrivate: true`. A redirect is a failure.

mod added;
mod destination;
mod egress;
mod inbound;
mod own;
mod push;
mod push_text;
mod secret;
mod sender;
mod subscription;

#[cfg(test)]
mod push_tests;
#[cfg(test)]
mod tests;

pub use added::{MOST_ADDED, added_destinations, draw_secret, hearing, load_added, write_secret};
pub use destination::{Hearing, TRIED_FOR, WebhookDestination, destination_name};
pub use egress::Egress;
pub use inbound::{DeliverySubject, NotTaken, Reading, Received, Sources, Taken, Unsigned, comment_id, host_of};
pub use own::{OwnKey, is_own, place_of, remember_own};
pub use push::{PUSHED, PushDevice, PushKeys, public_key};
pub use push_text::{BUTTONS, may_be_pressed};
pub use secret::{NoSecret, SigningSecret, remove_secret};
pub use sender::{Answer, WebhookSender};
pub use subscription::{Subscription, subscriptions};
#[cfg(test)]
pub(crate) use tests::write_sample_secret;
