//! The hub is killed with SIGKILL, over and over, while agents work and askers ask.
//!
//! Everything is real: the binary, its sockets, its data directory. Clients do what clients do when an answer does not
//! come: an asker asks again with the same key, an agent repeats what it reported. Each notes down what it was told
//! with success. At the end that is held against what the hub shows and what `callboard journal verify` finds. The
//! instants are drawn from a seed, but what the hub is doing then is not; so a failure is seen again by more kills, not
//! by the seed.
//!
//! SIGKILL says nothing of `fsync`, as the kernel keeps what was written: that is `power_loss`.
//!
//! - `load` is the clients. `promises` judges. `story` kills.

mod load;
mod promises;
mod story;
