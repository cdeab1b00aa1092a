//! A slot: one run at a time, with the clocks that end a run and keep a failing client from being started for ever.
//!
//! ```text
//!        offered              spawned                 exited            kept {waits}
//!  Free ─────────► Starting ─────────► Working ─────────────► Settling ─────────────► Waiting
//!   ▲ ▲                │                  │ silence, stop,       ▲  │                    │
//!   │ │                │                  ▼ reported exited      │  │ kept               │ resumed ─► Starting
//!   │ │                │              Stopping ──────────────────┤  │                    │
//!   │ │                └──── spawn failed ───────────────────────┘  │                    │
//!   │ └───────────────────────────────────────── released ──────────┼────────────────────┘
//!   └──────────── Paused ◄───── the third end without a call ───────┘
//! ```
//!
//! Pure: time is an argument, and what is to be done is returned. After a pause one run is tried. A run that ends
//! without a call again makes the next pause longer, and a call ends the series.

use std::time::Duration;

use tokio::time::Instant;

use crate::domain::ids::RunId;

/// How many ends in a row without a call of a tool make a pause.
const BARREN: u32 = 3;
/// How long the pauses are; the last one again and again.
const PAUSES: [Duration; 3] = [Duration::from_secs(60), Duration::from_secs(5 * 60), Duration::from_secs(25 * 60)];
/// How long a process may still be there after its agent's last word: for what its model says at the end.
pub(super) const PARTING: Duration = Duration::from_secs(120);
/// How long a process has to end by itself once it was asked to.
pub(super) const GRACE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Slot {
    state: State,
    /// How long a run may neither print nor call.
    silence: Duration,
    /// How many runs ended in a row without a call.
    barren: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Free,
    /// The working folder is being made, and the process is being started.
    Starting {
        run: RunId,
        /// Whether the run has to end as soon as it is there.
        stop: bool,
    },
    Working {
        run: RunId,
        called: bool,
        last_sign: Instant,
        /// Where its agent had its last word.
        parts_by: Option<Instant>,
    },
    Stopping {
        run: RunId,
        called: bool,
        /// None once it was killed.
        kill_at: Option<Instant>,
    },
    /// The process is gone, and the hub has not said yet whether the run is.
    Settling {
        run: RunId,
    },
    /// The run waits for an answer without a process.
    Waiting {
        run: RunId,
    },
    Paused {
        until: Instant,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SlotEvent {
    /// The hub offers a task, or resumes the run that waits here.
    Offered(RunId),
    Spawned,
    /// There is no process. The task's own place is no fault of the slot's.
    SpawnFailed {
        of_task: bool,
    },
    Printed,
    /// The run called a tool, says the hub.
    Called(RunId),
    /// The run has to end, says the hub.
    Stop(RunId),
    /// The run's agent had its last word, says the hub.
    Reported(RunId),
    /// The process is gone. A limit is no fault of the slot's.
    Exited {
        limited: bool,
    },
    /// The hub has kept the end.
    Kept {
        waits: bool,
    },
    Tick,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SlotAction {
    Start(RunId),
    /// The run cannot be taken here: the slot has another, or pauses.
    Decline(RunId),
    /// Ask the process to end.
    Terminate(Due),
    /// End its process group.
    Kill,
    TellEnd(RunId),
    /// Tell the hub that the slot waits for a task.
    Park,
    /// Tell the hub that it takes none for so long.
    Pause(Duration),
}

/// Why a process has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// The hub or the host's user says so.
    Told,
    /// It neither printed nor called for too long.
    Silent,
    /// It is still there long after its agent's last word.
    Parted,
}

impl Slot {
    pub(super) const fn new(silence: Duration) -> Self {
        Self { state: State::Free, silence, barren: 0 }
    }

    pub(super) const fn run(&self) -> Option<&RunId> {
        match &self.state {
            State::Free | State::Paused { .. } => None,
            State::Starting { run, .. }
            | State::Working { run, .. }
            | State::Stopping { run, .. }
            | State::Settling { run }
            | State::Waiting { run } => Some(run),
        }
    }

    /// Whether a process is there or about to be.
    pub(super) const fn has_process(&self) -> bool {
        matches!(self.state, State::Starting { .. } | State::Working { .. } | State::Stopping { .. })
    }

    /// When [`SlotEvent::Tick`] is due next.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Working { last_sign, parts_by, .. } => {
                let silent = *last_sign + self.silence;
                Some(parts_by.map_or(silent, |parts| parts.min(silent)))
            }
            State::Stopping { kill_at, .. } => *kill_at,
            State::Paused { until } => Some(*until),
            State::Free | State::Starting { .. } | State::Settling { .. } | State::Waiting { .. } => None,
        }
    }

    /// Takes what happened. An event that fits no state, or is about another run, changes nothing.
    pub(super) fn on(&mut self, now: Instant, event: SlotEvent) -> Option<SlotAction> {
        match event {
            SlotEvent::Offered(run) => self.offered(run),
            SlotEvent::Spawned => self.spawned(now),
            SlotEvent::SpawnFailed { of_task } => {
                let State::Starting { run, stop } = &self.state else { return None };
                let (run, stop) = (run.clone(), *stop);
                Some(self.ended(run, false, !stop && !of_task))
            }
            SlotEvent::Printed => {
                if let State::Working { last_sign, .. } = &mut self.state {
                    *last_sign = now;
                }
                None
            }
            SlotEvent::Called(run) => {
                self.called(now, &run);
                None
            }
            SlotEvent::Stop(run) => self.stop(now, &run),
            SlotEvent::Reported(run) => {
                self.called(now, &run);
                if let State::Working { run: own, parts_by, .. } = &mut self.state
                    && *own == run
                {
                    *parts_by = Some(now + PARTING);
                }
                None
            }
            SlotEvent::Exited { limited } => match self.state.clone() {
                State::Working { run, called, .. } => Some(self.ended(run, called, !limited)),
                State::Stopping { run, called, .. } => Some(self.ended(run, called, false)),
                State::Free
                | State::Starting { .. }
                | State::Settling { .. }
                | State::Waiting { .. }
                | State::Paused { .. } => None,
            },
            SlotEvent::Kept { waits } => self.kept(now, waits),
            SlotEvent::Tick => self.tick(now),
        }
    }

    fn offered(&mut self, run: RunId) -> Option<SlotAction> {
        let resumes = matches!(&self.state, State::Waiting { run: waits } if *waits == run);
        if !resumes && self.run() == Some(&run) {
            // Said again after a loss of the connection.
            return None;
        }
        if !resumes && self.state != State::Free {
            return Some(SlotAction::Decline(run));
        }
        self.state = State::Starting { run: run.clone(), stop: false };
        Some(SlotAction::Start(run))
    }

    fn spawned(&mut self, now: Instant) -> Option<SlotAction> {
        let State::Starting { run, stop } = &self.state else { return None };
        let (run, stop) = (run.clone(), *stop);
        self.state = State::Working { run, called: false, last_sign: now, parts_by: None };
        if stop { self.terminate(now, Due::Told) } else { None }
    }

    fn called(&mut self, now: Instant, by: &RunId) {
        if self.run() != Some(by) {
            return;
        }
        self.barren = 0;
        match &mut self.state {
            State::Working { called, last_sign, .. } => {
                *called = true;
                *last_sign = now;
            }
            State::Stopping { called, .. } => *called = true,
            State::Free
            | State::Starting { .. }
            | State::Settling { .. }
            | State::Waiting { .. }
            | State::Paused { .. } => {}
        }
    }

    fn stop(&mut self, now: Instant, of: &RunId) -> Option<SlotAction> {
        if self.run() != Some(of) {
            return None;
        }
        match &mut self.state {
            State::Starting { stop, .. } => {
                *stop = true;
                None
            }
            State::Working { .. } => self.terminate(now, Due::Told),
            State::Waiting { .. } => Some(self.free(now)),
            State::Free | State::Stopping { .. } | State::Settling { .. } | State::Paused { .. } => None,
        }
    }

    fn terminate(&mut self, now: Instant, why: Due) -> Option<SlotAction> {
        let State::Working { run, called, .. } = &self.state else { return None };
        self.state = State::Stopping { run: run.clone(), called: *called, kill_at: Some(now + GRACE) };
        Some(SlotAction::Terminate(why))
    }

    /// `counts`: whether an end without a call is the client's fault.
    fn ended(&mut self, run: RunId, called: bool, counts: bool) -> SlotAction {
        if called {
            self.barren = 0;
        } else if counts {
            self.barren = self.barren.saturating_add(1);
        }
        self.state = State::Settling { run: run.clone() };
        SlotAction::TellEnd(run)
    }

    fn kept(&mut self, now: Instant, waits: bool) -> Option<SlotAction> {
        let State::Settling { run } = &self.state else { return None };
        if waits {
            self.state = State::Waiting { run: run.clone() };
            return None;
        }
        Some(self.free(now))
    }

    fn free(&mut self, now: Instant) -> SlotAction {
        let Some(pauses) = self.barren.checked_sub(BARREN) else {
            self.state = State::Free;
            return SlotAction::Park;
        };
        let pause = PAUSES[usize::try_from(pauses).unwrap_or(usize::MAX).min(PAUSES.len() - 1)];
        self.state = State::Paused { until: now + pause };
        SlotAction::Pause(pause)
    }

    fn tick(&mut self, now: Instant) -> Option<SlotAction> {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return None;
        }
        match &mut self.state {
            State::Working { parts_by, .. } => {
                let why = if parts_by.is_some_and(|parts| parts <= now) { Due::Parted } else { Due::Silent };
                let action = self.terminate(now, why);
                if let State::Stopping { called: false, .. } = self.state {
                    self.barren = self.barren.saturating_add(1);
                }
                action
            }
            State::Stopping { kill_at, .. } => {
                *kill_at = None;
                Some(SlotAction::Kill)
            }
            State::Paused { .. } => {
                self.state = State::Free;
                Some(SlotAction::Park)
            }
            State::Free | State::Starting { .. } | State::Settling { .. } | State::Waiting { .. } => None,
        }
    }
}
