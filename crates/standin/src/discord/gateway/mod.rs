//! The gateway: what a client sends, and how connections and sessions live and end.
//!
//! ```text
//! open ─► HELLO ─► IDENTIFY ─► READY, GUILD_CREATE … ─► dispatches ─► closed ─► (session waits) ─► RESUME ─► replay
//!                     │                                                                │
//!                     └─ 4004, 4010, 4012–4014, op 9                                   └─ op 9 false, 4007, 4009
//! ```

pub(super) mod fault;
pub(super) mod identify;
pub(super) mod receive;
pub(super) mod socket;
