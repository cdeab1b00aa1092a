//! Discord's door: reads what people write and press there, and prints what the verbs answer.
//!
//! ```text
//!   gateway events ──► DiscordDoor ──┬─ message: a request, a follow-up in a thread, or nothing
//!                                    ├─ interaction: acknowledged at once, then the verb, then the answer
//!                                    └─ a session began: what was said meanwhile is read, the commands are set
//! ```
//!
//! A message is handled in a future of its own: one that waits for the hub holds up no other. An interaction is
//! acknowledged before any actor of the hub is asked, since Discord waits for three seconds. What is done is done once
//! for an id of Discord: each verb is called under a key with that id.

mod backfill;
mod callees;
mod changed;
mod commands;
mod door;
mod events;
mod follow_up;
mod interaction;
mod interaction_data;
mod message;
mod press;
mod retry;

pub use door::DiscordDoor;
