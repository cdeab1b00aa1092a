//! Limits how often a command is decided again because its subject changed in the meantime.
//!
//! Only who gives an order repeats it: a door by `HubRef`, a session, a task for the hub's own orders. What the order
//! passes on its way says `Moved`, so that no such loop stands within another.

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
