//! The only maker of ids. In the hub they are random and grow with time; in tests they are counted from a seed.
//!
//! A random id is a UUID of version 7: milliseconds and their fraction, made to grow by one where two fall together,
//! and 62 bits that nobody can guess. These come from the system, some hundreds of ids at a time: a call makes several,
//! and asking the system for each costs more than all the rest of an id.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use uuid::Uuid;

use crate::domain::ids::{BlobId, CommentId, NoticeId, PullId, QuestionId, SessionId, TaskId, TicketId, WorkflowId};
use crate::domain::trace::TraceId;

/// Makes ids. Cheap to clone; clones share the source.
#[derive(Debug, Clone)]
pub struct Ids(Source);

/// How many random words are asked for at once, by each thread.
const WORDS: usize = 256;

thread_local! {
    /// Random words that were not used yet; each is used once.
    static UNUSED: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// The moment of the newest id of this process, in parts of a millisecond, of which it has 4,096.
static NEWEST: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone)]
enum Source {
    Random,
    Seeded { seed: u64, next: Arc<AtomicU64> },
}

impl Ids {
    /// Random ids: UUID version 7, so that they sort by the time they were made.
    pub const fn random() -> Self {
        Self(Source::Random)
    }

    /// Counted ids, the same in every run with the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seeded { seed, next: Arc::new(AtomicU64::new(1)) })
    }

    pub fn task(&self) -> TaskId {
        self.mint("", TaskId::parse)
    }

    pub fn session(&self) -> SessionId {
        self.mint("s_", SessionId::parse)
    }

    /// A question's id: `q_` and 26 characters; a later question has the greater id.
    pub fn question(&self) -> QuestionId {
        self.mint("q_", QuestionId::parse)
    }

    /// A notice's id: `n_` and 26 characters; a later notice has the greater id.
    pub fn notice(&self) -> NoticeId {
        self.mint("n_", NoticeId::parse)
    }

    pub fn comment(&self) -> CommentId {
        self.mint("c_", CommentId::parse)
    }

    pub fn blob(&self) -> BlobId {
        self.mint("b_", BlobId::parse)
    }

    pub fn pull(&self) -> PullId {
        self.mint("pr_", PullId::parse)
    }

    /// A ticket's id: `h_` and 26 characters, of 128 bits that nobody can guess; it says nothing of when it was made.
    pub fn ticket(&self) -> TicketId {
        self.mint_by_chance("h_", TicketId::parse)
    }

    /// The id of a run of a workflow: `w_` and 26 characters, of 128 bits that nobody can guess.
    pub fn workflow(&self) -> WorkflowId {
        self.mint_by_chance("w_", WorkflowId::parse)
    }

    /// An order's id, to type into a terminal: `i_` and 26 characters.
    pub fn input_order(&self) -> String {
        format!("i_{}", self.text())
    }

    /// A request's id, for logs, answers and events: 26 characters.
    pub fn request(&self) -> String {
        self.text()
    }

    /// A trace's id: 128 bits by chance. A seed's are all the same, and take no number from the ids that it counts.
    pub fn trace(&self) -> TraceId {
        TraceId::of(match &self.0 {
            Source::Random => (u128::from(word()) << 64) | u128::from(word()),
            Source::Seeded { seed, .. } => u128::from(*seed),
        })
    }

    /// Chance, evenly spread over all values. A seed's is the middle of them, and takes no number from its ids.
    pub fn chance(&self) -> u32 {
        match &self.0 {
            Source::Random => u32::try_from(word() >> 32).unwrap_or_default(),
            Source::Seeded { .. } => 1 << 31,
        }
    }

    fn mint<T, E>(&self, prefix: &str, parse: impl Fn(&str) -> Result<T, E>) -> T {
        let mut text = String::with_capacity(prefix.len() + LENGTH);
        // Every text that `write` makes has the shape that `parse` asks for, so the first round returns.
        loop {
            text.clear();
            text.push_str(prefix);
            self.write(&mut text);
            if let Ok(id) = parse(&text) {
                return id;
            }
        }
    }

    fn mint_by_chance<T, E>(&self, prefix: &str, parse: impl Fn(&str) -> Result<T, E>) -> T {
        match &self.0 {
            Source::Seeded { .. } => self.mint(prefix, parse),
            Source::Random => loop {
                let number = (u128::from(word()) << 64) | u128::from(word());
                let text: String = prefix.chars().chain(base32(number).map(char::from)).collect();
                if let Ok(id) = parse(&text) {
                    return id;
                }
            },
        }
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(LENGTH);
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        let number = match &self.0 {
            Source::Random => random().as_u128(),
            Source::Seeded { seed, next } => {
                let count = next.fetch_add(1, Ordering::Relaxed);
                (u128::from(count) << 64) | u128::from(*seed)
            }
        };
        text.extend(base32(number).map(char::from));
    }
}

/// A UUID of version 7 that is greater than every one before it.
fn random() -> Uuid {
    #[expect(clippy::disallowed_methods, reason = "this room makes ids, and their time is the wall clock's")]
    let since_epoch = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(since_epoch.as_nanos() * 4096 / 1_000_000).unwrap_or_default();
    let later = |newest: u64| Some(now.max(newest + 1));
    let newest = NEWEST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later).unwrap_or_default();
    let moment = now.max(newest + 1);
    Uuid::from_u64_pair((moment >> 12 << 16) | (7 << 12) | (moment & 0xfff), (2 << 62) | (word() >> 2))
}

/// A random word. Where the system gives none, the library's own way is tried, which says so loudly.
fn word() -> u64 {
    let mut unused = UNUSED.take();
    if unused.is_empty() {
        let mut bytes = [0; WORDS * 8];
        if getrandom::fill(&mut bytes).is_err() {
            #[expect(clippy::disallowed_methods, reason = "this is the room that makes ids")]
            return Uuid::new_v4().as_u64_pair().1 << 2;
        }
        unused.extend(bytes.chunks_exact(8).filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?))));
    }
    let word = unused.pop().unwrap_or_default();
    UNUSED.set(unused);
    word
}

/// How long an id is without its prefix.
const LENGTH: usize = 26;

/// Whether a text is as long as an id that the hub made, with or without the prefix of its kind.
pub fn is_whole(text: &str) -> bool {
    text.split_once('_').map_or(text, |(_, tail)| tail).len() >= LENGTH
}

/// 128 bits as 26 characters of Crockford's alphabet in lower case: sorts as the number does.
fn base32(mut number: u128) -> [u8; LENGTH] {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut text = [b'0'; LENGTH];
    for place in text.iter_mut().rev() {
        *place = ALPHABET[usize::try_from(number & 31).unwrap_or(0)];
        number >>= 5;
    }
    text
}

#[cfg(test)]
mod tests;
