//! Texts as a task keeps them: the whole of a short one, and of a long one where it lies.

use serde::{Deserialize, Serialize};

use crate::ids::BlobId;
use crate::text::Sanitized;

/// A text that may be long. Above a limit the text lies in a blob and only its head stays with the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "lowercase")]
pub enum KeptText {
    Inline {
        text: String,
        /// What was dropped from it and what came with it; none when nothing was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sanitized: Option<Sanitized>,
    },
    Stored {
        blob: BlobId,
        head: String,
        bytes: u64,
        /// SHA-256 of it, in hexadecimal: two texts are the same when this is.
        digest: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sanitized: Option<Sanitized>,
    },
}

impl KeptText {
    /// Above this many bytes a text is kept apart: a state row is rewritten with every change.
    pub const INLINE_LIMIT: usize = 16 * 1024;

    pub fn inline(text: impl Into<String>) -> Self {
        Self::Inline { text: text.into(), sanitized: None }
    }

    /// The text, or its head where it is kept apart.
    pub fn head(&self) -> &str {
        match self {
            Self::Inline { text, .. } => text,
            Self::Stored { head, .. } => head,
        }
    }

    #[must_use]
    pub fn cleaned_of(mut self, dropped: Option<Sanitized>) -> Self {
        match &mut self {
            Self::Inline { sanitized, .. } | Self::Stored { sanitized, .. } => *sanitized = dropped,
        }
        self
    }

    pub const fn sanitized(&self) -> Option<&Sanitized> {
        match self {
            Self::Inline { sanitized, .. } | Self::Stored { sanitized, .. } => sanitized.as_ref(),
        }
    }

    /// Whether both say the same; where one is kept apart, by digest and never by place.
    pub fn same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Inline { text: a, .. }, Self::Inline { text: b, .. }) => a == b,
            (Self::Stored { digest: a, .. }, Self::Stored { digest: b, .. }) => a == b,
            (Self::Inline { .. }, Self::Stored { .. }) | (Self::Stored { .. }, Self::Inline { .. }) => false,
        }
    }
}
