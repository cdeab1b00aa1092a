//! The clocks of the two machines that count since they were switched on. A suspended machine does nothing: what it
//! would send is held back, and its timers stand still, but its clock has gone on when it wakes.

use std::cell::{Cell, RefCell};
use std::time::Duration;

/// What the clocks show when the story begins.
const SWITCHED_ON: Duration = Duration::from_secs(1_000);

#[derive(Debug, Clone, Copy, Default)]
struct Hand {
    suspended_at: Option<Duration>,
    behind: Duration,
}

thread_local! {
    static HANDS: RefCell<[Hand; 2]> = const { RefCell::new([Hand { suspended_at: None, behind: Duration::ZERO }; 2]) };
    /// Where the story is, for whoever looks between two steps of it.
    static REACHED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// By number, as a node is given its clock.
pub(super) const CLOCKS: [fn() -> Duration; 2] = [|| now(0), || now(1)];

pub(super) fn begin() {
    HANDS.set([Hand::default(); 2]);
    REACHED.set(Duration::ZERO);
}

pub(super) fn reach(elapsed: Duration) {
    REACHED.set(elapsed);
}

pub(super) fn is_suspended(which: usize) -> bool {
    HANDS.with_borrow(|hands| hands[which].suspended_at.is_some())
}

pub(super) fn suspend(which: usize) {
    let at = elapsed();
    HANDS.with_borrow_mut(|hands| hands[which].suspended_at = Some(at));
}

/// `stood`: a clock that does not count while the machine is suspended.
pub(super) fn wake(which: usize, stood: bool) {
    let now = elapsed();
    HANDS.with_borrow_mut(|hands| {
        let hand = &mut hands[which];
        if let Some(at) = hand.suspended_at.take().filter(|_| stood) {
            hand.behind += now.saturating_sub(at);
        }
    });
}

fn now(which: usize) -> Duration {
    let hand = HANDS.with_borrow(|hands| hands[which]);
    SWITCHED_ON + hand.suspended_at.unwrap_or_else(elapsed).saturating_sub(hand.behind)
}

/// Since the story began.
pub(super) fn elapsed() -> Duration {
    turmoil::sim_elapsed().unwrap_or_else(|| REACHED.get())
}
