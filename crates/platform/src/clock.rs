//! The only reader of time. Time has three uses here, and each goes its own way:
//!
//! - *Order* is the number of a record. No order is ever derived from a time.
//! - *Deadlines* pass with the hub's clock ([`Clock::now`]): the wall clock as people read it, but never back.
//! - *Times that others wrote* (signatures, expiry of tokens, ages, "written before") are compared with the machine's
//!   wall clock of that moment ([`Clock::machine_now`]), or first brought to the hub's clock ([`Clock::of_machine`]).
//!
//! ```text
//!                       every 5 s: a look at the machine's wall clock
//!             ┌───────────────────────────┬──────────────────────────────┐
//!   the machine is ahead            the same, or as expected        the machine is behind
//!   (slept, or set forward)                                         (set back)
//!             ▼                           ▼                              ▼
//!   leap: the hub's time is         the hub's time goes on          slow: nine tenths of its speed
//!   the machine's from here on      with the monotonic clock        until the machine has caught up
//! ```
//!
//! In between, the hub's time is what the monotonic clock adds to the last change of its [`Course`]. So
//!
//! - it never goes back, in one run and over restarts ([`Clock::not_before`]);
//! - over a sleep of the machine, and when its clock is set forward, a deadline passes as its date says; what passed
//!   meanwhile is due once. A lease or an offer that would end so is left the time that it still had, up to a minute
//!   ([`Clock::grace`]): its agent slept, too, and can still report;
//! - when the machine's clock is set back, a deadline comes neither before its time nor later than the wall clock shows
//!   it, and a tenth of its time late at most;
//! - it differs from the machine's for longer than five seconds only while it is slow, and whoever looks is told
//!   ([`Clock::skew`]).
//!
//! How long a client tolerates a wait is no date: such a wait ends at a moment of the monotonic clock
//! ([`Clock::moment`]). A test that stops tokio's time stops this clock with it, and one that starts a clock without a
//! machine has nothing that changes its course.

mod course;
#[cfg(any(test, feature = "samples"))]
mod machine;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::time::Instant;

use self::course::Course;
#[cfg(any(test, feature = "samples"))]
pub use self::machine::FakeMachine;
use crate::domain::time::Timestamp;

/// How often the hub looks at the machine's wall clock.
pub const LOOK_EVERY: Duration = Duration::from_secs(5);

/// From this difference on between the hub's clock and the machine's somebody sees it.
const SKEWED: Duration = Duration::from_secs(10);

/// A wall clock that was set back by more than this between two runs was wrong before by far, and is believed now.
const SET_BACK_AT_MOST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The hub's clock. Cheap to clone; every clone tells the same time.
#[derive(Clone)]
pub struct Clock {
    course: watch::Sender<Course>,
    machine: Option<Machine>,
}

/// Reads a wall clock.
type Machine = Arc<dyn Fn() -> Timestamp + Send + Sync>;

impl Clock {
    /// A clock that starts at the machine's wall clock, and follows it where somebody has it [look](Self::look).
    pub fn system() -> Self {
        Self::beside(wall_clock)
    }

    /// A clock that goes by another wall clock than this machine's, in its place.
    pub fn beside(wall: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { course: Self::starting_at(wall()).course, machine: Some(Arc::new(wall)) }
    }

    /// A clock that starts at `wall`, beside no machine; for tests on stopped time.
    pub fn starting_at(wall: Timestamp) -> Self {
        Self { course: watch::Sender::new(Course::starting_at(wall, Instant::now())), machine: None }
    }

    /// The same clock, beginning no earlier than `at`: what was written last. A wall clock that was set back between
    /// two runs of the hub then delays no deadline, and nothing happens before what caused it.
    #[must_use]
    pub fn not_before(self, at: Timestamp) -> Self {
        if at.since(self.now()) <= SET_BACK_AT_MOST {
            self.course.send_modify(|course| course.begin_at(at, Instant::now()));
            self.look();
        }
        self
    }

    /// Follows the machine's wall clock. True where deadlines come at other moments than [`Self::instant`] said.
    pub fn look(&self) -> bool {
        let Some(machine) = &self.machine else { return false };
        self.course.send_if_modified(|course| course.follow(machine(), Instant::now()))
    }

    /// Whether there is a machine to look at.
    pub const fn has_machine(&self) -> bool {
        self.machine.is_some()
    }

    /// By how much this clock and the machine's wall clock differ, and whether this one is ahead.
    pub fn skew(&self) -> (Duration, bool) {
        let (mine, machine) = (self.now(), self.machine_now());
        (mine.since(machine).max(machine.since(mine)), mine > machine)
    }

    /// That this clock and the machine's differ by so much that it is seen: in words.
    pub fn stray(&self) -> Option<String> {
        let (away, ahead) = self.skew();
        let how =
            if ahead { "ahead of the machine's, which was set back" } else { "behind the machine's, which slept" };
        (away >= SKEWED).then(|| format!("the hub's clock is {} s {how}", away.as_secs()))
    }

    /// Now, for deadlines and records.
    pub fn now(&self) -> Timestamp {
        self.course.borrow().at(Instant::now())
    }

    /// Now by the machine's wall clock: for signatures, tokens, and the age of what others dated.
    pub fn machine_now(&self) -> Timestamp {
        self.machine.as_ref().map_or_else(|| self.now(), |machine| machine())
    }

    /// The moment of this clock at which somebody else's clock showed `foreign`, as far as the machine's is right now:
    /// to be compared with the times of records.
    pub fn of_machine(&self, foreign: Timestamp) -> Timestamp {
        self.course.borrow().of_machine(foreign, self.machine_now(), Instant::now())
    }

    /// What the machine's wall clock, as it is set now, showed when this clock showed `at`, for somebody else's clock.
    pub fn to_machine(&self, at: Timestamp) -> Timestamp {
        self.course.borrow().to_machine(at, self.machine_now(), Instant::now())
    }

    /// How long ago the machine's wall clock showed `then`, as files carry it: nothing for what lies ahead.
    #[expect(clippy::disallowed_methods, reason = "the time of a file can be compared with the wall clock alone")]
    pub fn ago(&self, then: std::time::SystemTime) -> Duration {
        std::time::SystemTime::now().duration_since(then).unwrap_or_default()
    }

    /// The monotonic moment of `at`, for timers: never before this clock shows `at`; not later when that has passed.
    pub fn instant(&self, at: Timestamp) -> Instant {
        self.course.borrow().instant(at)
    }

    /// What this clock shows at a monotonic moment, rounded up, unless its course changes before.
    pub fn moment(&self, at: Instant) -> Timestamp {
        self.course.borrow().moment(at)
    }

    /// How much of the time since `since` the clock leapt over: then nobody could do anything.
    pub fn leapt(&self, since: Timestamp) -> Duration {
        self.course.borrow().leapt(since)
    }

    /// Until when something is left alone whose end `due`, as it was last set at `since`, fell into a leap of this
    /// clock or shortly behind one: whoever has it may have slept with the machine. None without a leap in between.
    pub fn grace(&self, since: Timestamp, due: Timestamp) -> Option<Timestamp> {
        self.course.borrow().grace(since, due)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("course", &*self.course.borrow()).finish_non_exhaustive()
    }
}

/// How long the machine has been up, also while it was suspended: for what holds only as long as other machines wait
/// for this one. Nobody sets this clock.
pub fn since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const UP: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const UP: ClockId = ClockId::Monotonic;
    Duration::try_from(clock_gettime(UP)).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "this is the one reader of the wall clock")]
fn wall_clock() -> Timestamp {
    Timestamp::default() + std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
