//! Webhooks in: what forges and trackers tell, verified and read.
//!
//! ```text
//!   POST /hooks/in/SOURCE ─► its secret ─► signature over the raw body ─► the delivery's id ─► what it says
//!                             (unknown: 404)   (401)                         (400)              (400, 403, 422)
//! ```
//!
//! A body may have 25 MiB, and its sender is known only at its end; so it is verified and skimmed part by part
//! ([`Reading`]). A source speaks for the repositories that it lists, or else for those that no other one lists.
//!
//! Nothing here changes anything. A delivery that says something that nobody here acts on gives no [`HookEvent`].
//!
//! [`HookEvent`]: crate::domain::hook::HookEvent

mod forge;
mod not_taken;
mod signature;
mod skim;
mod source;
mod tracker;

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod tests;

pub use forge::{DeliverySubject, comment_id, host_of};
pub use not_taken::NotTaken;
pub use signature::Unsigned;
pub use source::{Reading, Received, Sources, Taken};
pub(super) use tracker::comment_text;
