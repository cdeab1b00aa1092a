//! The way in: one pass that drops what hides, then NFC, then the limit.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use super::class::{EMOJI_STYLE, JOINER, TEXT_STYLE, banned, is_held};
use super::sequence::Sequences;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Removed {
    /// NUL, C0 other than line feed and tab, DEL, C1.
    Control,
    /// A terminal escape sequence.
    EscapeSequence,
    /// An override of the direction of writing.
    Direction,
    /// A tag character: text that nobody sees and a model reads.
    Tag,
    /// A character without width, outside an emoji.
    ZeroWidth,
    /// What lay beyond the limit.
    TooLong,
}

/// A text as it may be kept and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleaned {
    /// The text: NFC, lines ended by line feeds.
    pub text: String,
    /// How many characters were dropped for what they are; those beyond the limit are not counted.
    pub removed: usize,
    /// What sorts of things were dropped.
    pub kinds: BTreeSet<Removed>,
}

impl Cleaned {
    /// Whether nothing was dropped, so that no badge is needed.
    pub fn is_untouched(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// What was dropped from what somebody wrote; kept beside it for its readers: it was not as clean as it looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sanitized {
    /// How many characters were dropped.
    pub removed: usize,
    /// What sorts of things were: `control`, `escape_sequence`, `direction`, `tag`, `zero_width`.
    #[schemars(with = "BTreeSet<String>")]
    pub kinds: BTreeSet<Removed>,
}

impl Sanitized {
    /// What is dropped from this text; none when nothing is.
    pub fn of(text: &str) -> Option<Self> {
        if !text.chars().any(may_go) {
            return None;
        }
        let (_, removed, kinds) = drop_hidden(text);
        (removed > 0).then_some(Self { removed, kinds })
    }

    /// What is dropped from all texts of a value, and from the names in it; none when nothing is.
    pub fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::of(text),
            Value::Array(items) => Self::of_all(items.iter().map(Self::of_value)),
            Value::Object(fields) => {
                let both = |(name, value): (&String, &Value)| [Self::of(name), Self::of_value(value)];
                Self::of_all(fields.iter().flat_map(both))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn of_all(parts: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        parts.flatten().reduce(|mut all, part| {
            all.removed += part.removed;
            all.kinds.extend(part.kinds);
            all
        })
    }
}

/// Whether a character may be dropped. Most texts have none such, and need no second look.
fn may_go(c: char) -> bool {
    banned(c).is_some() || matches!(c, JOINER | EMOJI_STYLE | TEXT_STYLE)
}

/// Cleans a text from outside and cuts it to `limit` bytes. Cleaning twice changes nothing more.
pub fn clean(text: &str, limit: usize) -> Cleaned {
    let (kept, removed, mut kinds) = drop_hidden(text);
    let mut text: String = kept.into_iter().nfc().collect();
    if text.len() > limit {
        kinds.insert(Removed::TooLong);
        text.truncate(cut(&text, limit).len());
        drop_dangling(&mut text);
    }
    Cleaned { text, removed, kinds }
}

/// The longest beginning of a text that has at most `limit` bytes and ends between two characters.
pub fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// A text for one line of a message: at most `limit` characters, with `…` where it was cut, line ends as spaces.
pub fn shorten(text: &str, limit: usize) -> String {
    let mut short: String = text.chars().take(limit).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(limit).is_some() {
        short.pop();
        short.push('…');
    }
    short
}

fn drop_hidden(text: &str) -> (Vec<char>, usize, BTreeSet<Removed>) {
    let text: Vec<char> = text.chars().collect();
    let mut sequences = Sequences::default();
    let mut kept: Vec<char> = Vec::with_capacity(text.len());
    let (mut removed, mut kinds) = (0, BTreeSet::new());
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        let length = sequences.length_at(&text, at);
        if length > 0 {
            removed += length;
            kinds.insert(if length > 1 { Removed::EscapeSequence } else { Removed::Control });
            at += length;
            continue;
        }
        at += 1;
        match c {
            '\r' if text.get(at) == Some(&'\n') => {}
            '\u{2028}' | '\u{2029}' => kept.push('\n'),
            c => {
                let reason = banned(c).or_else(|| {
                    let held = is_held(c, kept.last().copied(), text.get(at).copied());
                    (!held).then_some(Removed::ZeroWidth)
                });
                match reason {
                    None => kept.push(c),
                    Some(reason) => {
                        removed += 1;
                        kinds.insert(reason);
                    }
                }
            }
        }
    }
    (kept, removed, kinds)
}

/// Takes away what the cut left without the neighbour that justified it.
fn drop_dangling(text: &mut String) {
    while let Some(last) = text.pop() {
        if last == JOINER || !is_held(last, text.chars().next_back(), None) {
            continue;
        }
        text.push(last);
        break;
    }
}
