//! How a stand-in begins.

use std::time::Duration;

/// How a stand-in begins.
#[derive(Debug, Clone)]
pub struct Options {
    /// The bot's token.
    pub token: String,
    /// Whether the intent `MESSAGE_CONTENT` is switched on for the application.
    pub message_content: bool,
    /// What HELLO tells as the interval of heartbeats.
    pub heartbeat: Duration,
    /// IDENTIFYs that are left for the day.
    pub identifies_left: u32,
    /// Whether Discord's usual limits of requests hold: 50 a second, 5 messages per channel in 5 seconds.
    pub usual_limits: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            token: "MTA0.stand-in.not-a-secret".into(),
            message_content: true,
            heartbeat: Duration::from_millis(41_250),
            identifies_left: 1_000,
            usual_limits: false,
        }
    }
}
