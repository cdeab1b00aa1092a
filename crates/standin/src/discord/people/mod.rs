//! What people do on the stand-in, and what they see.

pub(super) mod at_servers;
pub(super) mod interact;
pub(super) mod look;
pub(super) mod write;
