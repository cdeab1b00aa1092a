//! Ways to break the hub on purpose, so that `tests/simulation` can show that it would notice.
//!
//! Each is a defect that hubs of this kind have had. They exist only in builds with debug assertions, and only for the
//! thread that asks for one: in a release build [`by`] is the constant `false`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// A task that comes back to its queue wakes nobody.
    WakesNobody,
    /// A wait whose client is gone is kept, and answered.
    KeepsDeadWaits,
    /// The end of an old wait ends the newer one.
    EndsTheWrongWait,
    ForgetsWhoRegistered,
    /// Anybody's report counts as the holder's.
    TakesAnyReport,
    /// An offer that nobody acknowledges stays for ever.
    NeverTakesOffersBack,
    /// A task is handed out before what it depends on is done.
    IgnoresDependencies,
    /// Whoever depends on a task does not hear how it ended.
    ForgetsDependents,
    /// Work goes to agents that cannot do it.
    IgnoresCapabilities,
    /// One event in a hundred is not published.
    DropsEvents,
    /// What a task tells an agent does not reach it while the hub lives.
    LosesNotices,
    /// An agent is told of an answer only once its session could be read again, which fails.
    TellsAfterReading,
    /// No defect but a fault of the disk: a session that its task wrote to cannot be read.
    NeverReadsBack,
    /// Whoever works on a cancelled task is not told to stop.
    HidesCancels,
    /// Whoever waits for a task does not hear that it was cancelled.
    DeafWatchers,
    /// The end of a process on call is said to be kept, and is not.
    ForgetsExits,
    /// Progress does not renew the lease.
    IgnoresProgress,
    /// A restart takes up no task that somebody worked on.
    ForgetsLeases,
    /// A retry begins with nothing of what earlier attempts left.
    ForgetsAttempts,
    /// One change in five is not told to the outside.
    LosesDeliveries,
    /// A message that is sent again is another one.
    ForgetsWhatArrived,
    /// A message that is heard again is another one.
    HearsTwice,
    /// What must go out in order goes out as it comes.
    MixesLanes,
    /// No merge needs an approval.
    MergesUnjudged,
    /// Steps of a workflow are called without the key that follows from run and step.
    ForgetsStepKeys,
    /// What a step of a workflow came to is said to be kept, and is not.
    LosesResults,
    /// A node that the database does not answer goes on as the owner.
    NeverStops,
}

/// Whether the hub of this thread is broken in this way.
#[cfg(debug_assertions)]
pub fn by(which: Break) -> bool {
    hook::NOW.get() == Some(which)
}

#[cfg(not(debug_assertions))]
pub const fn by(_: Break) -> bool {
    false
}

#[cfg(debug_assertions)]
pub use hook::with;

#[cfg(debug_assertions)]
mod hook {
    use std::cell::Cell;

    use super::Break;

    thread_local! {
        pub(super) static NOW: Cell<Option<Break>> = const { Cell::new(None) };
    }

    /// Runs with a hub that is broken on this thread.
    pub fn with<T>(which: Break, run: impl FnOnce() -> T) -> T {
        let _mended = Mended(NOW.replace(Some(which)));
        run()
    }

    struct Mended(Option<Break>);

    impl Drop for Mended {
        fn drop(&mut self) {
            NOW.set(self.0);
        }
    }
}
