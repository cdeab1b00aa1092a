//! What the system tells the host by signals.

use std::io;

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal means to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemSignal {
    Resized,
    /// Somebody asks the host to stop for now.
    Stop,
    /// The host goes on after a stop.
    GoOn,
    /// Something happened to a child.
    Child,
    /// For whoever is in the foreground, as if it had been typed.
    Typed(Number),
    End(Number),
}

/// The signals that the host listens to.
pub(super) struct Signals {
    resized: Signal,
    stop: Signal,
    go_on: Signal,
    child: Signal,
    interrupt: Signal,
    quit: Signal,
    user_1: Signal,
    user_2: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Begins to listen; from here on none of them acts by itself.
    pub(super) fn listen() -> io::Result<Self> {
        let other = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self {
            resized: signal(SignalKind::window_change())?,
            stop: other(Number::TSTP)?,
            go_on: other(Number::CONT)?,
            child: signal(SignalKind::child())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            user_1: signal(SignalKind::user_defined1())?,
            user_2: signal(SignalKind::user_defined2())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Safe to drop half-way.
    pub(super) async fn next(&mut self) -> SystemSignal {
        tokio::select! {
            _ = self.terminate.recv() => SystemSignal::End(Number::TERM),
            _ = self.hangup.recv() => SystemSignal::End(Number::HUP),
            _ = self.interrupt.recv() => SystemSignal::Typed(Number::INT),
            _ = self.quit.recv() => SystemSignal::Typed(Number::QUIT),
            _ = self.user_1.recv() => SystemSignal::Typed(Number::USR1),
            _ = self.user_2.recv() => SystemSignal::Typed(Number::USR2),
            _ = self.stop.recv() => SystemSignal::Stop,
            _ = self.go_on.recv() => SystemSignal::GoOn,
            _ = self.child.recv() => SystemSignal::Child,
            _ = self.resized.recv() => SystemSignal::Resized,
        }
    }

    /// The next one that asks for an end.
    pub(super) async fn end(&mut self) {
        while !matches!(self.next().await, SystemSignal::End(_)) {}
    }
}
