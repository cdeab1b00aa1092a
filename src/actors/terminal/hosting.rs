//! Who hosts the terminal just now: where orders to type go, and how long a host that was lost is waited for.
//!
//! A terminal has one host: two programs on one screen would hide each other's prompts. Another one is refused while
//! the first is connected. A prompt whose host was lost is gone unless a host comes back in time: nobody watches it.

use std::time::Duration;

use super::message::Arrival;
use super::state::{HostConnection, Hosting, State};
use crate::domain::prompt::{Host, Reader};
use crate::domain::terminal::TerminalKind;

/// How long a lost host is waited for: it looks for the hub at least every 30 s.
pub(super) const COMES_BACK_WITHIN: Duration = Duration::from_secs(60);

impl State {
    /// A host is there. False while another one is connected, and for who waited for that one while it is looked for;
    /// the same one may come by a new connection before its old one is known to have ended.
    pub(super) fn is_hosted(&mut self, arrival: Arrival) -> bool {
        let Arrival { host, connection, input_writer, reader, waited } = arrival;
        // Who waited for another one, and did not see that the hub was away, is quicker than who had to find it again.
        let first = self.hosting.connected.is_none() && self.hosting.lost_until.is_some() && waited;
        if first || self.hosting.connected.as_ref().is_some_and(|connected| connected.host != host) {
            return false;
        }
        self.hosting =
            Hosting { input_writer, reader, connected: Some(HostConnection { host, connection }), lost_until: None };
        if self.spec.kind == TerminalKind::Pushed {
            // Its first output may have been pushed: what stands there now is a host's, also after a restart.
            self.spec.kind = TerminalKind::Hosted;
            self.write_at = Some(self.clock.now());
        }
        true
    }

    /// A host's connection ended; its program had `ended` before, or nobody knows. A host that reconnected is not lost.
    pub(super) async fn loses_its_host(&mut self, connection: &str, ended: bool) {
        if self.hosting.connected.as_ref().is_none_or(|connected| connected.connection != connection) {
            return;
        }
        if ended {
            self.hosting = Hosting::default();
            return;
        }
        let lost_until = Some(self.clock.now() + COMES_BACK_WITHIN);
        self.hosting = Hosting { lost_until, ..Hosting::default() };
        // From here on nobody knows who reads.
        self.hear(Host::default()).await;
    }

    /// It was hosted when the hub ended, and shows a prompt: its host comes back, or the prompt goes.
    pub(super) fn waits_for_its_host(&mut self) {
        if self.spec.kind == TerminalKind::Hosted && self.prompting.shown().is_some() {
            self.hosting.lost_until = Some(self.clock.now() + COMES_BACK_WITHIN);
        }
    }

    pub(super) async fn gives_its_host_up(&mut self) {
        self.hosting.lost_until = None;
        self.hear(Host { reader: Reader::Gone, ..Host::default() }).await;
    }
}
