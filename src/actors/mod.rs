//! The actors: each holds one machine, and speaks in messages.
//!
//! ```text
//! Supervisor ── Journal          one writer; group commit; everyone's records pass here first
//!            ├─ Noticeboard      what happened, in order, for whoever subscribed
//!            ├─ Alarm            every deadline, in one wheel
//!            ├─ Learner          what people answer to input prompts
//!            ├─ Tickets          calls whose answer is fetched later
//!            ├─ Outbox           what must reach the outside
//!            ├─ Schedules        when a task is made by itself
//!            ├─ Dispatcher       who gets what; owns every queue
//!            ├─ Agent × n        its notices, at most one parked wait
//!            ├─ Task × n         a life, and its deadline (open tasks only; closed ones live in the store)
//!            ├─ Session × n      an agent's working context
//!            ├─ Terminal × n     what a program printed, and whether it waits for its user
//!            ├─ Workflow × n     how far a plan of several steps came
//!            ├─ Service × n      a loop that runs as long as the hub, as the connection to Discord
//!            └─ Follower × n     reads what happens from its own place on: the audit
//! ```
//!
//! The turn is the same in each `actor.rs`: receive → `decide` → journal → `apply` → `perform` → settle → set the
//! alarm.
//!
//! *Ask down, tell up.* Rank: door, session, dispatcher, agent, task, journal. An actor awaits an answer only from one
//! of lower rank; upward goes a plain message. So no two wait for each other.
//!
//! *A refusal is a reply.* An `Err` from `handle`, or a panic, means "build me anew from the journal"; the supervisor
//! does, with a growing pause and a count.

pub mod agent;
pub mod alarm;
mod backstage;
pub mod common;
mod credentials;
pub mod discord;
pub mod dispatcher;
pub mod follower;
pub mod forge;
mod hub_ref;
mod inbox;
pub mod journal;
pub mod learner;
pub mod noticeboard;
pub mod on_call;
pub mod outbox;
mod ownership;
pub mod schedules;
pub mod service;
pub mod session;
mod spawner;
mod standings;
pub mod supervisor;
pub mod task;
pub mod terminal;
mod terminals;
pub mod tickets;
pub mod workflow;
mod workflows;

#[cfg(test)]
mod stories;

pub use backstage::{Backstage, BackstageArgs, StartError};
pub use credentials::Credentials;
pub use hub_ref::{HubLines, HubRef};
pub use ownership::{Held, Ownership};
pub use spawner::Spawner;
pub use standings::Sighted;
