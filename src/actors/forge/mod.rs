//! The forge: where pull requests live. A port with an adapter for each kind; nothing else knows a vendor.
//!
//! ```text
//!  create_pr ─► session: decide ─► `pr.requested` and a row of the outbox, one append
//!                                                   │
//!                  outbox: lane, backoff ◄──────────┘
//!                     │ one delivery
//!                     ▼
//!        ForgeDestination ─► Port::open ─► is it there already? ─► no: ask for it
//!                     │
//!                     └─► session: settle ─► `pr.created` or `pr.failed` ─► only then the delivery is done
//! ```
//!
//! *Once.* Before anything is asked for, the forge is searched for what an earlier attempt left: a lost answer, or a
//! crash before it was written down, opens no second pull request. Looks change nothing, and go past the outbox.
//!
//! *Who says no.* What passes by itself (no answer, 5xx, a limit with its pause) is tried again for a day. What does
//! not (401, no leave) is a dead letter: the pull request is FAILED and says why, and a person who put it right
//! retries. A no to what was asked (no such branch, a conflict) is told to the agent.
//!
//! *Kinds.* `github` and `forgejo` speak HTTP through one `RestClient`; `git` merges folders on this disk. The adapter
//! is made anew for each use, so a new token or new settings count from the next request on.

mod carrier;
mod clocks;
mod destination;
mod error;
mod forgejo;
mod git;
mod github;
mod handle;
mod judge;
mod place;
mod port;
mod rest_client;
mod shapes;

pub use carrier::{Carrier, ForgeAnswer, ForgeRequest, HttpCarrier};
pub use clocks::ForgeClocks;
pub use destination::{AGENT_WAITS, ForgeDestination};
pub use error::{ForgeError, ForgeResult};
pub use github::github_client;
pub use handle::Forge;
pub use judge::judge_pull;
pub use port::{MergeOrder, Opened, Port, Surveyed};
pub use rest_client::{RestClient, renamed};
