//! The learner: what people answer to input prompts, kept so that a habit is offered and none can be forged.
//!
//! One actor holds all patterns. Each answer is a record, in the stream of its terminal, and the pattern that it made
//! goes as a row into the same append: what was learned is as durable as what it was learned from. The rules (who may
//! teach what, how it weighs, how it fades) are `domain::prompt::learn`. Secrets are taken out before anything comes
//! here.

mod actor;
mod handle;
mod message;
mod state;

pub use actor::LearnerActor;
pub use handle::LearnerRef;
pub use message::{LearnerMessage, Order, Track, Tracked};
