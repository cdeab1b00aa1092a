//! A bar for what takes longer than two seconds, where somebody looks at it.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::Instant;

/// What takes less is over before anybody wonders.
const TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    since: Instant,
    shown: bool,
}

impl Progress {
    /// A bar that is not seen yet; `what` stands before it.
    pub(super) fn new(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        bar.set_message(what);
        Self { bar, since: Instant::now(), shown: false }
    }

    pub(super) fn at(&mut self, done: u64, of: u64) {
        self.bar.set_length(of);
        self.bar.set_position(done);
        if !self.shown && self.since.elapsed() >= TIMEOUT {
            self.shown = true;
            if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta}") {
                self.bar.set_style(style);
            }
            // It draws nothing where standard error is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
