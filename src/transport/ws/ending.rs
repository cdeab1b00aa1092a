//! Why a socket ends, and by which code of RFC 6455 its peer hears of it.

use axum::extract::ws::{CloseCode, CloseFrame, close_code};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

/// Its credential is good no more. From the range that applications may use, after HTTP's 401.
const UNAUTHENTICATED: CloseCode = 4401;

/// Why a socket ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The peer said that it ends.
    Closed,
    /// The connection broke.
    Lost(String),
    /// Nothing was heard of the peer, not even an answer to a ping.
    Silent,
    /// The peer does not read what it is sent.
    Slow,
    /// A binary message, where only text is spoken.
    Binary,
    /// A text that is no UTF-8.
    NotText,
    /// A message or a frame beyond its limit.
    TooLarge,
    /// Frames that are none.
    Malformed(String),
    /// The credential was revoked, rotated or has expired.
    Revoked,
    /// The hub goes down.
    GoingDown,
}

impl Ending {
    /// What the peer is told; none where nobody is there to hear it.
    pub(super) fn frame(&self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Closed | Self::Lost(_) | Self::Silent => return None,
            Self::Slow => (close_code::POLICY, "you do not read what you are sent"),
            Self::Binary => (close_code::UNSUPPORTED, "only text messages are read here"),
            Self::NotText => (close_code::INVALID, "a text message must be UTF-8"),
            Self::TooLarge => (close_code::SIZE, "this message is too large"),
            Self::Malformed(_) => (close_code::PROTOCOL, "this is no WebSocket frame"),
            Self::Revoked => (UNAUTHENTICATED, "your token is good no more"),
            Self::GoingDown => (close_code::AWAY, "the hub goes down: connect again"),
        };
        Some(CloseFrame { code, reason: reason.into() })
    }

    /// Whether the peer is gone, rather than sent away.
    pub const fn is_hang_up(&self) -> bool {
        matches!(self, Self::Closed | Self::Lost(_) | Self::Silent)
    }

    /// Whether what the peer sends makes no sense any more.
    pub(super) const fn is_unreadable(&self) -> bool {
        matches!(self, Self::NotText | Self::TooLarge | Self::Malformed(_))
    }

    /// What an error of the library means.
    pub(super) fn of(error: axum::Error) -> Self {
        let text = error.to_string();
        match error.into_inner().downcast::<Error>().map(|error| *error) {
            Ok(Error::ConnectionClosed | Error::AlreadyClosed) => Self::Closed,
            Ok(Error::Capacity(_)) => Self::TooLarge,
            Ok(Error::Utf8(_)) => Self::NotText,
            // How the library calls an end of the connection without a close frame.
            Ok(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Self::Lost(text),
            Ok(Error::Protocol(fault)) => Self::Malformed(fault.to_string()),
            Ok(_) | Err(_) => Self::Lost(text),
        }
    }
}
