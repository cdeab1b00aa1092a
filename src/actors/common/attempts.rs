//! Limits how often a command is decided again because its subject changed in the meantime.
//!
//! Whoever gives an order decides it anew: a door by `HubRef`, a session, and a task for what the hub orders by itself.
//! What the order passes on its way says `Moved` and tries nothing again, so that no loop stands within another.

/// The most attempts of one order.
const MOST: usize = 8;

/// The attempts of one order that came to nothing.
#[derive(Debug, Default)]
pub struct Attempts(usize);

impl Attempts {
    /// One more came to nothing: whether there may be another.
    pub const fn again(&mut self) -> bool {
        self.0 += 1;
        self.0 < MOST
    }
}
