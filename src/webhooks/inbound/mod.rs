//! Webhooks in: what forges and trackers tell, verified and read.
//!
//! ```text
//!   POST /hooks/in/SOURCE ─► its secret ─► signature over the raw body ─► the delivery's id ─► what it says
//!                             (unknown: 404)   (401)                         (400)              (400, 422)
//! ```
//!
//! Nothing here changes anything. A delivery that says something that nobody here acts on gives no [`Heard`].
//!
//! [`Heard`]: crate::domain::hook::Heard

mod forge;
mod not_taken;
mod signature;
mod source;
mod tracker;

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod tests;

pub use forge::Told;
pub use not_taken::NotTaken;
pub use signature::Unsigned;
pub use source::{Incoming, Received, Sources};
