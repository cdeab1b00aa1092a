//! What the system tells the hub: end (SIGTERM, SIGINT), or read the settings again (SIGHUP).

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What ends by Ctrl-C, as a shell would say it.
pub(super) const INTERRUPTED: u8 = 130;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignalRequest {
    End(&'static str),
    Reload,
}

#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Begins to listen; from here on none of them ends the process by itself.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Safe to drop half-way.
    pub(super) async fn next(&mut self) -> SignalRequest {
        tokio::select! {
            _ = self.terminate.recv() => SignalRequest::End("SIGTERM"),
            _ = self.interrupt.recv() => SignalRequest::End("SIGINT"),
            _ = self.hangup.recv() => SignalRequest::Reload,
        }
    }

    /// The next one that asks for an end.
    pub(super) async fn end(&mut self) -> &'static str {
        loop {
            if let SignalRequest::End(name) = self.next().await {
                return name;
            }
        }
    }
}
