//! The learner: what people answer to input prompts, kept so that a habit is offered and none can be forged.
//!
//! One actor holds all patterns. An answer is a record in its terminal's stream, and its pattern a row of the same
//! append. The rules are `domain::prompt::learn`. Secrets are taken out before anything comes here.

mod actor;
mod handle;
mod message;
mod state;

pub use actor::LearnerActor;
pub use handle::LearnerRef;
pub use message::{LearnerMessage, Order, Track, Tracked};
