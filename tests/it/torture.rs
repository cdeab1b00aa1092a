//! The hub is killed with SIGKILL, over and over, while agents work and askers ask.
//!
//! Everything is real: the binary, its sockets, its data directory. Half of the agents speak plain HTTP, half MCP.
//! They complete, fail, ask back, delegate, tell one another; askers ask with keys, make tasks wait for one another,
//! answer, and call off. Clients do what clients do when an answer does not come: they ask again with the same key, or
//! repeat what they reported. Each notes down what it was told with success. At the end that is held against what the
//! hub shows and what `callboard journal verify` finds. The instants are drawn from a seed, but what the hub is doing
//! then is not; so a failure is seen again by more kills, not by the seed.
//!
//! SIGKILL says nothing of `fsync`, as the kernel keeps what was written: that is `power_loss`.
//!
//! - `orders` is what is asked for. `client` calls until it is answered, `asker` and `worker` by it. `promises` judges,
//!   and `doctored` shows that it would see what is broken. `story` kills.

mod asker;
mod client;
mod doctored;
mod orders;
mod promises;
mod story;
mod worker;

pub(crate) use story::is_kept;
