//! Discord's door: reads what people write and press there, and prints what the verbs answer.
//!
//! ```text
//!   gateway events ──► DiscordDoor ──┬─ message: a request, a follow-up in a thread, or nothing
//!                                    ├─ interaction: acknowledged at once, then the verb, then the answer
//!                                    └─ a session began: what was said meanwhile is read, the commands are set
//! ```
//!
//! Each event has a future of its own, and those of one channel are judged in their order (`turn`). An interaction is
//! acknowledged before any actor is asked: Discord waits three seconds. Each verb is called under a key with Discord's
//! id, so it is done once.

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
mod turn;

pub use door::DiscordDoor;
