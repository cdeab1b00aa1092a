//! Shows that the judge bites: a hub that breaks a promise must be found out, by the words of that promise.
//!
//! Most traps are defects inside the hub (`callboard::broken`, which no release build has). Some are lies of the world
//! around it: of the connection, the disk, the client. Each stands for something that hubs of this kind have done to
//! their users.

#[cfg(debug_assertions)]
mod found;

use callboard::broken::Break;

/// How the hub, or the world around it, is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trap {
    /// A defect of the hub.
    #[cfg_attr(not(debug_assertions), expect(dead_code, reason = "only the traps ask for one"))]
    Hub(Break),
    /// A connection is gone, and the hub is not told.
    SwallowsHangUps,
    /// The disk says "kept" before it is.
    AcknowledgesBeforeTheWrite,
    /// An offer reaches a second agent.
    DoublesADelivery,
    /// A client waits, and its wait is lost on the way.
    NeverWaits,
    /// The number of the lease is taken out of a report.
    DropsTheEpoch,
    /// Keys against repeats are taken out.
    ForgetsKeys,
    /// Records are kept without the rows that belong to them.
    ForgetsRows,
    /// A call is made without its heartbeat.
    SkipsTheHeartbeat,
}

/// Plays with the hub broken, if that is the trap.
#[cfg(debug_assertions)]
pub(crate) fn sprung<T>(trap: Option<Trap>, run: impl FnOnce() -> T) -> T {
    match trap {
        Some(Trap::Hub(which)) => callboard::broken::with(which, run),
        _ => run(),
    }
}

/// Plays: a release build has no defect to spring.
#[cfg(not(debug_assertions))]
pub(crate) fn sprung<T>(_: Option<Trap>, run: impl FnOnce() -> T) -> T {
    run()
}
