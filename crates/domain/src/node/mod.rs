//! A node of several that stand behind one database: when it may take the team, and when it must stop.
//!
//! ```text
//!            joined               nobody has the team, or its owner    taken
//!   APART ──────────► STANDBY ──── stood still for 6 s, or died ─► TAKING ──────► OWNING ──► DRAINING ── released ──┐
//!     ▲                  ▲  ▲                                        │             │  ▲          │                   │
//!     │ declared dead    │  └────────────── refused ─────────────────┘   4 s, or   │  │ resolved │                   │
//!     │ (from each)      │                                             no answer   ▼  │          │                   │
//!     └──────────────────┼────────────────── the team is another's ───────────── FROZEN          │ 4 s               │
//!                        └───────────────────────────────────────────────────────────────────────┴───────────────────┘
//! ```
//!
//! *The lease is a counter.* A node counts its `beat` up every [`BEAT_EVERY`]; the others measure by their own clocks
//! how long it stood still. No wall clock takes part, and none is compared with another machine's. The times are
//! [`Elapsed`]: what a clock counts that also runs while the machine is suspended.
//!
//! *Why two owners never answer.* An owner believes itself only for [`STOP_AFTER`] from when it *sent* the last beat
//! that was counted. Another one sees that beat later than it was sent, and waits [`TAKE_AFTER`] from then. A beat of
//! a node that was declared dead is refused, and a node is declared dead only at the very beat that was seen.
//!
//! *Why nothing is written twice or lost.* Each append is fenced by the team's epoch and version (`journal::postgres`);
//! after a statement without an answer the owner moves its own epoch forward before it believes what it reads.
//!
//! Each of these sentences is a step of the model (`tests/model.rs`), which looks at every order of steps of two
//! nodes: the design as it is keeps its promises, and without any one of nine of its parts it does not. Steps: BEAT,
//! LOOK, TAKE, APPEND, RESOLVE, STOP, JOIN. Two whole hubs are held to the same in `tests/simulation/network/house`.
//!
//! Not here: which of several nodes takes which of several teams. `journal::postgres::LiveNode` performs what is a
//! statement, and `hub::node` what is about the hub. There an owner that freezes ends instead, and joins as another
//! incarnation: RESOLVE is what the journal's writer does by itself after a statement without an answer.

mod apply;
mod clock_anchor;
mod command;
mod decide;
mod state;
mod view;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use clock_anchor::ClockAnchor;
pub use command::{NodeCommand, NodeDecision, NodeEffect, NodeRecord, NodeSeen, TeamSeen};
pub use state::{Beat, Elapsed, Epoch, Incarnation, Level, Node, NodeId, Standing};
pub use view::{NodeState, NodeView};

/// Between two beats.
pub const BEAT_EVERY: Duration = Duration::from_secs(2);

/// An owner whose last counted beat was sent so long ago stops answering.
pub const STOP_AFTER: Duration = Duration::from_secs(4);

/// A node whose beat stood still for so long may be declared dead. More than [`STOP_AFTER`], so that clocks may
/// differ in how fast they run by a third.
pub const TAKE_AFTER: Duration = Duration::from_secs(6);
