//! Hears what the hub logs on this thread: errors, and actors that were built anew because they panicked.

use std::fmt::Write as _;
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[expect(clippy::disallowed_types, reason = "a subscriber is called from anywhere and cannot send to an actor")]
type Lines = std::sync::Mutex<Vec<String>>;

/// What is logged when a schedule breaks the disk, or ends an actor by hand.
const EXPECTED: [&str; 2] = ["did not keep a batch", "ended by hand"];

#[derive(Clone, Default)]
pub(crate) struct LoggedErrors(Arc<Lines>);

impl LoggedErrors {
    /// What is not expected, and was not taken yet.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Runs with an ear on this thread.
pub(crate) fn hearing<T>(run: impl FnOnce(&LoggedErrors) -> T) -> T {
    let heard = LoggedErrors::default();
    tracing::subscriber::with_default(Ear(heard.clone()), || run(&heard))
}

/// Hears warnings and errors alone: nobody pays for spans that nobody looks at, and each message has one.
struct Ear(LoggedErrors);

impl Subscriber for Ear {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event<'_>) {
        let level = *event.metadata().level();
        let mut line = LogLine(format!("{level} {}:", event.metadata().target()));
        event.record(&mut line);
        let serious = level == Level::ERROR || line.0.contains("is built anew");
        if serious && !EXPECTED.iter().any(|words| line.0.contains(words)) {
            self.0.0.lock().unwrap().push(line.0);
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct LogLine(String);

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}
