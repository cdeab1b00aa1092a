//! The hub's log, on standard error: lines for people on a terminal, one JSON object a line elsewhere.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, Registry, reload};

use super::output::paint::colours;
use crate::settings::{Layer, Loaded, LogFormat, LogLevel, LogSettings};

#[derive(Debug, Default)]
pub(super) struct Log {
    level: Option<reload::Handle<Targets, Registry>>,
    demo: bool,
}

impl Log {
    /// Takes the level that is set now. The form of the lines stays.
    pub(super) fn relevel(&self, loaded: &Loaded) {
        let Some(handle) = &self.level else { return };
        if let Err(error) = handle.reload(filter(level(loaded, self.demo))) {
            tracing::warn!("the level of the log stays as it is: {error}");
        }
    }
}

/// A demo is read by people: unless somebody set the level, only what is wrong goes between the steps.
fn level(loaded: &Loaded, demo: bool) -> LogLevel {
    let default = loaded.origins.get("log.level").is_none_or(|place| place.layer == Layer::Defaults);
    if demo && default { LogLevel::Warn } else { loaded.settings.hub.log.level }
}

/// Begins to log. A second call changes nothing.
pub(super) fn start(loaded: &Loaded, demo: bool) -> Log {
    let (subscriber, handle) = subscriber(&loaded.settings.hub.log, level(loaded, demo));
    // It fails when somebody logs already, as in a test: then that is the log.
    let level = subscriber.try_init().is_ok().then_some(handle);
    Log { level, demo }
}

fn subscriber(
    settings: &LogSettings,
    level: LogLevel,
) -> (impl tracing::Subscriber + Send + Sync + use<>, reload::Handle<Targets, Registry>) {
    let terminal = io::stderr().is_terminal();
    let json = match settings.format {
        LogFormat::Auto => !terminal,
        LogFormat::Pretty => false,
        LogFormat::Json => true,
    };
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(terminal && colours());
    let layer = if json {
        layer.json().flatten_event(true).with_span_list(false).boxed()
    } else {
        layer.with_target(false).boxed()
    };
    let (filter, handle) = reload::Layer::new(filter(level));
    (tracing_subscriber::registry().with(layer.with_filter(filter)), handle)
}

/// Ours at the level that is set; libraries no more talkative than `warn`.
fn filter(level: LogLevel) -> Targets {
    let ours = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // The MCP library calls it an error when a client hangs up on an answer; what matters of that, the hub says itself.
    let hang_ups = "rmcp::service";
    let libraries = Targets::new().with_default(ours.min(LevelFilter::WARN)).with_target(hang_ups, LevelFilter::OFF);
    libraries.with_target("callboard", ours)
}

#[cfg(test)]
mod tests;
