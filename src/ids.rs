//! The only maker of ids. In the hub they are random and grow with time; in tests they are counted from a seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::domain::ids::{BlobId, CommentId, NoticeId, QuestionId, SessionId, TaskId};

/// Makes ids. Cheap to clone; clones share the source.
#[derive(Debug, Clone)]
pub struct Ids(Source);

#[derive(Debug, Clone)]
enum Source {
    Random,
    Seeded { seed: u64, next: Arc<AtomicU64> },
}

impl Ids {
    /// Random ids: UUID version 7, so that they sort by the time they were made.
    #[must_use]
    pub const fn random() -> Self {
        Self(Source::Random)
    }

    /// Counted ids, the same in every run with the same seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seeded { seed, next: Arc::new(AtomicU64::new(1)) })
    }

    /// A task's id: 26 characters of `[a-z0-9]`.
    #[must_use]
    pub fn task(&self) -> TaskId {
        self.mint("", TaskId::parse)
    }

    /// A session's id: `s_` and 26 characters.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.mint("s_", SessionId::parse)
    }

    /// A question's id: `q_` and 26 characters; a later question has the greater id.
    #[must_use]
    pub fn question(&self) -> QuestionId {
        self.mint("q_", QuestionId::parse)
    }

    /// A notice's id: `n_` and 26 characters; a later notice has the greater id.
    #[must_use]
    pub fn notice(&self) -> NoticeId {
        self.mint("n_", NoticeId::parse)
    }

    /// A comment's id: `c_` and 26 characters.
    #[must_use]
    pub fn comment(&self) -> CommentId {
        self.mint("c_", CommentId::parse)
    }

    /// A blob's id: `b_` and 26 characters.
    #[must_use]
    pub fn blob(&self) -> BlobId {
        self.mint("b_", BlobId::parse)
    }

    /// A request's id, for logs, answers and events: 26 characters.
    #[must_use]
    pub fn request(&self) -> String {
        self.text()
    }

    fn mint<T, E>(&self, prefix: &str, parse: impl Fn(&str) -> Result<T, E>) -> T {
        // Every text that `text` makes has the shape that `parse` asks for, so the first round returns.
        loop {
            if let Ok(id) = parse(&format!("{prefix}{}", self.text())) {
                return id;
            }
        }
    }

    fn text(&self) -> String {
        match &self.0 {
            Source::Random => {
                #[expect(clippy::disallowed_methods, reason = "this is the room that makes ids")]
                let id = Uuid::now_v7();
                base32(id.as_u128())
            }
            Source::Seeded { seed, next } => {
                let count = next.fetch_add(1, Ordering::Relaxed);
                base32((u128::from(count) << 64) | u128::from(*seed))
            }
        }
    }
}

/// 128 bits as 26 characters of Crockford's alphabet in lower case: sorts as the number does.
fn base32(mut number: u128) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut text = [b'0'; 26];
    for place in text.iter_mut().rev() {
        *place = ALPHABET[usize::try_from(number & 31).unwrap_or(0)];
        number >>= 5;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_ids_differ_and_grow() {
        let ids = Ids::random();
        let made: Vec<_> = (0..1000).map(|_| ids.notice()).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn seeded_ids_are_the_same_in_every_run() {
        assert_eq!(Ids::seeded(7).task(), Ids::seeded(7).task());
        assert_ne!(Ids::seeded(7).task(), Ids::seeded(8).task());
    }
}
