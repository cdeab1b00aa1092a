//! The hub's log, on standard error: lines for people on a terminal, one JSON object a line elsewhere.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::output::paint::colours;
use crate::settings::{LogFormat, LogLevel, LogSettings};

/// Begins to log. A second call changes nothing.
pub(super) fn start(settings: &LogSettings) {
    let terminal = io::stderr().is_terminal();
    let json = match settings.format {
        LogFormat::Auto => !terminal,
        LogFormat::Pretty => false,
        LogFormat::Json => true,
    };
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(terminal && colours());
    let layer = if json { layer.json().flatten_event(true).boxed() } else { layer.with_target(false).boxed() };
    // It fails when somebody logs already, as in a test: then that is the log.
    drop(tracing_subscriber::registry().with(layer.with_filter(filter(settings.level))).try_init());
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
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn libraries_stay_quiet_at_debug() {
        let filter = filter(LogLevel::Debug);
        assert!(filter.would_enable("callboard::hub", &Level::DEBUG));
        assert!(filter.would_enable("hyper", &Level::WARN));
        assert!(!filter.would_enable("hyper", &Level::INFO));
        assert!(!filter.would_enable("rmcp::service", &Level::ERROR));
    }

    #[test]
    fn at_error_nobody_warns() {
        let filter = filter(LogLevel::Error);
        assert!(filter.would_enable("callboard", &Level::ERROR));
        assert!(!filter.would_enable("callboard", &Level::WARN));
        assert!(!filter.would_enable("hyper", &Level::WARN));
    }
}
