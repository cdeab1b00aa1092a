//! What a forge may answer instead of doing what it was asked.

use std::time::Duration;

use thiserror::Error;

/// What a call of a forge comes to.
pub type ForgeResult<T> = Result<T, ForgeError>;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ForgeError {
    /// None is set, or it cannot be used as it is set.
    #[error("{0}")]
    Off(String),
    /// No answer, or that of a forge in trouble.
    #[error("the forge cannot be reached: {0}")]
    Unreachable(String),
    /// It is being done, and not done yet.
    #[error("{0}")]
    Working(String),
    #[error("the forge wants no more requests for {} s", after.as_secs())]
    Limited { after: Duration },
    /// The token is none, or none any more.
    #[error(
        "the forge does not accept the hub's token (401): it was revoked, ran out, or is mistyped; a person has to put \
         a new one into forge.tokenFile or CALLBOARD_FORGE_TOKEN"
    )]
    Unauthorized,
    /// The token does not reach so far.
    #[error("the forge does not let the hub's token do this (403): {0}")]
    Forbidden(String),
    /// There is no such thing, or the token does not see it.
    #[error("the forge knows no such thing, or the hub's token does not see it (404): {0}")]
    NotFound(String),
    #[error("the forge refuses: {0}")]
    Refused(String),
    /// Another repository stands where that of the pull request stood.
    #[error("{0}")]
    Replaced(String),
    /// It says something that nobody understands.
    #[error("the forge's answer cannot be read: {0}")]
    Unreadable(String),
}

impl ForgeError {
    /// Whether it may pass by itself, and when at the earliest.
    pub const fn passes(&self) -> Option<Option<Duration>> {
        match self {
            Self::Unreachable(_) | Self::Working(_) => Some(None),
            Self::Limited { after } => Some(Some(*after)),
            Self::Off(_)
            | Self::Unauthorized
            | Self::Forbidden(_)
            | Self::NotFound(_)
            | Self::Refused(_)
            | Self::Replaced(_)
            | Self::Unreadable(_) => None,
        }
    }

    /// Whether people can mend it: the settings, a token, or what it may. What a forge refuses is the agent's to mend.
    pub const fn is_for_people(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Unreachable(_) | Self::Working(_) | Self::Limited { .. })
    }

    pub const fn code(&self) -> &'static str {
        match self {
            Self::Off(_) => "FORGE_OFF",
            Self::Unreachable(_) | Self::Working(_) => "FORGE_UNREACHABLE",
            Self::Limited { .. } => "FORGE_LIMITED",
            Self::Unauthorized => "FORGE_UNAUTHORIZED",
            Self::Replaced(_) => "REPOSITORY_CHANGED",
            Self::Forbidden(_) | Self::NotFound(_) | Self::Refused(_) | Self::Unreadable(_) => "FORGE_REFUSED",
        }
    }
}
