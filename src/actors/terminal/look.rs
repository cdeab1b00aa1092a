//! What a program prints is drawn, and looked at for a prompt once nothing more comes.

use std::time::Duration;

use super::message::Output;
use super::state::State;
use crate::domain::prompt::{EchoStrainer, Host, Reader};
use crate::domain::terminal::{SeenPrompt, Sighting};
use crate::domain::time::Timestamp;
use crate::terminal::{Detected, LineEnds};

/// How long after the first new byte is looked: a prompt that is written in two pieces is whole by then.
pub(super) const SETTLES: Duration = Duration::from_millis(30);
/// After which pauses is looked again: those that the detector tells apart, and nothing after the last.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(700)];
/// How long what was printed may wait to be written.
pub(super) const WRITTEN_WITHIN: Duration = Duration::from_secs(1);
/// How much is drawn at one go, before others have their turn.
const AT_ONCE: usize = 64 * 1024;

impl State {
    pub(super) async fn print(&mut self, output: Output) {
        let Output { bytes, size, reset, host } = output;
        let now = self.clock.now();
        if reset {
            self.watch.begins_anew(now);
            (self.echo, self.ends) = (EchoStrainer::default(), LineEnds::default());
        }
        if let Some(size) = size.filter(|size| *size != self.watch.terminal().size()) {
            self.watch.resize(size);
        }
        for piece in bytes.chunks(AT_ONCE) {
            self.draw(now, piece);
            tokio::task::yield_now().await;
        }
        if !bytes.is_empty() {
            // What its host knew is of before.
            self.host.reader = Reader::Unknown;
        }
        self.look_by(now + SETTLES);
        if let Some(host) = host {
            self.hear(host).await;
        }
    }

    /// Bytes that were printed at `printed`: from here on, no secret is in them.
    pub(super) fn draw(&mut self, printed: Timestamp, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let before = self.watch.terminal().before();
        let kept = self.echo.strain_with(&before, bytes, &self.settings.borrow().patterns);
        self.recent.push(&kept, u64::try_from(bytes.len()).unwrap_or_default());
        let mended = self.ends.mend(&kept);
        self.watch.output(printed, &mended);
        self.updated_at = self.updated_at.max(printed);
        let now = self.clock.now();
        self.write_at = Some(self.write_at.map_or(now + WRITTEN_WITHIN, |at| at.min(now + WRITTEN_WITHIN)));
    }

    /// What its host knows: nothing waits while somebody reads, or nobody is there. A busy program may be on its way to
    /// read, so its prompt is not judged at once, or it would come, go and come.
    pub(super) async fn hear(&mut self, host: Host) {
        self.host = host;
        match host.reader {
            Reader::Reads | Reader::Gone => self.look().await,
            Reader::Polls | Reader::Unknown | Reader::Busy => self.look_by(self.clock.now() + SETTLES),
        }
    }

    pub(super) fn look_by(&mut self, at: Timestamp) {
        self.look_at = Some(self.look_at.map_or(at, |sooner| sooner.min(at)));
    }

    /// Looks, writes down what is new, and looks again when a longer pause could say more.
    pub(super) async fn look(&mut self) {
        let now = self.clock.now();
        self.learns_patterns();
        let seen = self.watch.look(now, self.host).map(|found| self.sighting(found));
        let printed = self.watch.printed();
        self.look_at = printed.and_then(|printed| PAUSES.into_iter().map(|pause| printed + pause).find(|at| *at > now));
        self.judge(now, seen.as_ref()).await;
    }

    fn learns_patterns(&mut self) {
        self.watch.knows(&self.settings.borrow().patterns);
    }

    fn sighting(&self, found: Detected) -> Sighting {
        let drawn = found.prompt.signals.iter().any(|signal| {
            use crate::domain::prompt::Signal;
            matches!(signal, Signal::Menu | Signal::FullScreen)
        });
        let line = if drawn { None } else { self.watch.terminal().cursor_line() };
        let prompt = SeenPrompt::of(found.prompt, self.recent.end(), found.timestamp);
        Sighting { prompt, line, redrawn: self.hosting.is_there() || self.is_erased() }
    }

    /// Whether the prompt that is shown does not stand any more where it stood.
    pub(super) fn is_erased(&self) -> bool {
        let Some(shown) = self.prompting.shown() else { return false };
        // The end of a question is in the row of the cursor, also where it fills several.
        let end = shown.prompt.prompt_text.rsplit(' ').next().unwrap_or_default();
        let terminal = self.watch.terminal();
        match shown.line {
            Some(line) => terminal.line(line).is_none_or(|row| !row.contains(end)),
            None => terminal.screen_rows().iter().all(|row| !row.contains(end)),
        }
    }

    /// What waits now, for who asks: a text that was sent is whole, so that there is no pause to wait for.
    pub(super) fn detect(&mut self) -> Option<SeenPrompt> {
        let now = self.clock.now();
        self.learns_patterns();
        let found = if self.host == Host::default() {
            self.watch.look_settled(now, self.host)
        } else {
            self.watch.look(now, self.host)
        };
        found.map(|found| self.prompting.known(&self.sighting(found)))
    }
}
