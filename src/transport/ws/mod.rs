//! WebSockets, for whichever door speaks over one. A room under the doors: it knows no protocol but RFC 6455.
//!
//! ```text
//!   accept ─► guard ─► door ─► upgrade ─┐
//!     │        Pass                     │ leaves the talk at the Berth
//!     └── HTTP has ended ◄──────────────┘
//!         the talk goes on, on the same task, in the same place among the connections ─► Socket
//! ```
//!
//! - `upgrade_slot`: where a request leaves what its connection is to become;
//! - `upgrade`: what a request must be to become a socket;
//! - `socket`: messages in both directions, with bounds, and with pings that notice who is gone;
//! - `ending`: why a socket ends, and by which code its peer hears of it.

mod ending;
mod socket;
mod upgrade;
mod upgrade_slot;

pub use ending::Ending;
pub use socket::{Socket, SocketEvent};
pub use upgrade::upgrade;
pub use upgrade_slot::{Then, UpgradeSlot};
