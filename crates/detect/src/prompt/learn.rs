//! What people answer to a kind of prompt, kept so that habit cannot be forged.
//!
//! - Only what the hub itself saw being typed counts fully; what an agent tells of itself counts a tenth, and never
//!   for a prompt that is dangerous or asks for a secret.
//! - Secrets are not learned at all, whoever typed them.
//! - A success strengthens, a failure weakens, and everything fades by half in thirty days.
//!
//! Whose patterns are used where (workspace or hub) is for the caller: a pattern knows its prompt and nothing else.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::PromptKind;
use super::redact;
use super::screen_view::Host;
use callboard_base::time::Timestamp;

/// From how many sightings on a pattern suggests.
pub const MIN_SIGHTINGS: u32 = 3;
/// After how many milliseconds a sighting counts half: thirty days.
const HALF_LIFE_MS: f64 = 30.0 * 24.0 * 3600.0 * 1000.0;
/// Below this weight a pattern is forgotten habit, and suggests nothing.
const FADED: f64 = 0.5;
/// How much a sighting counts that an agent only tells of.
const REPORTED: f64 = 0.1;
/// The most characters of an answer that is a habit and not a text.
const LONGEST_INPUT: usize = 200;
/// The most answers that a pattern keeps.
const MOST_ANSWERS: usize = 24;
/// The most characters of a prompt's key.
const LONGEST_KEY: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputSource {
    /// A person at the terminal.
    UserTyped,
    /// An agent suggested it, a person sent it.
    AiSuggested,
    /// The hub typed it by itself.
    AutoInjected,
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The hub saw it being typed.
    Attested,
    /// An agent tells.
    AgentReported,
}

#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    pub prompt_text: &'a str,
    pub kind: PromptKind,
    pub dangerous: bool,
    pub input_text: &'a str,
    pub success: bool,
    pub source: InputSource,
    pub provenance: Provenance,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotLearned {
    Secret,
    /// An agent told of an answer to a dangerous prompt.
    UnattestedDanger,
    /// The hub's own typing would teach it to repeat itself.
    OwnTyping,
    TooLong,
    /// A failure of an answer that nobody suggested.
    NothingToWeaken,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// The prompt, with numbers, names and paths taken out.
    pub prompt_text: String,
    /// Its kind, as whoever saw the last answer knew it.
    pub kind: PromptKind,
    /// What was answered, and how it fared.
    pub answers: BTreeMap<String, AnswerCounts>,
    pub last_seen: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerCounts {
    pub successes: u32,
    pub failures: u32,
    /// How many of the successes an agent only told of.
    pub reported: u32,
    /// What that weighs, as of `at`.
    weight: f64,
    at: Timestamp,
}

/// An answer as it stands among the others.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedAnswer {
    pub input: String,
    /// Its share of all answers, smoothed and faded: 0.0 to 1.0.
    pub share: f64,
    pub count: u32,
    pub total: u32,
}

/// By what a pattern is found: the program, and the prompt without what differs from time to time.
pub fn key(program: Option<&str>, prompt_text: &str) -> String {
    format!("{}\u{1f}{}", program.unwrap_or_default(), normalized(prompt_text))
}

/// The prompt in lower case, its numbers, quoted names, paths and addresses replaced by signs.
pub fn normalized(prompt_text: &str) -> String {
    let lower = prompt_text.to_lowercase();
    let mut text = String::new();
    let mut quote: Option<char> = None;
    for word in lower.split_whitespace() {
        if let Some(mark) = quote {
            if let Some(at) = word.rfind(mark) {
                quote = None;
                text.push_str(&word[at + mark.len_utf8()..]);
            }
            continue;
        }
        if text.chars().count() >= LONGEST_KEY {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        let bare = word.trim_start_matches(['(', '[']);
        let mark = bare.chars().next().filter(|c| matches!(c, '"' | '\'' | '`' | '‘' | '“'));
        if let Some(mark) = mark {
            let close = closing(mark);
            let rest = &bare[mark.len_utf8()..];
            match rest.rfind(close) {
                Some(at) => text.push_str(&format!("<name>{}", &rest[at + close.len_utf8()..])),
                None => {
                    quote = Some(close);
                    text.push_str("<name>");
                }
            }
        } else {
            text.push_str(&abstracted(word));
        }
    }
    text
}

const fn closing(mark: char) -> char {
    match mark {
        '‘' => '’',
        '“' => '”',
        '`' => '\'',
        other => other,
    }
}

/// A word without what differs: a path, an address, a hash, digits.
fn abstracted(word: &str) -> String {
    let body = word.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | ',' | ':' | ';' | '?' | '!' | '.'));
    let answers = body.split('/').count() >= 2 && body.split('/').all(|part| part.len() <= 3 || part == "abort");
    if (body.contains('/') && !answers && body.len() > 4) || body.starts_with("~/") {
        return word.replace(body, "<path>");
    }
    if body.contains('@') {
        return word.replace(body, "<address>");
    }
    let hex =
        body.len() >= 7 && body.bytes().all(|b| b.is_ascii_hexdigit()) && body.bytes().any(|b| b.is_ascii_digit());
    if hex {
        return word.replace(body, "<hash>");
    }
    let mut text = String::new();
    for c in word.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}

impl Pattern {
    pub fn new(prompt_text: &str, kind: PromptKind, now: Timestamp) -> Self {
        Self { prompt_text: normalized(prompt_text), kind, answers: BTreeMap::new(), last_seen: now }
    }

    /// Learns from an answer. Fails when the answer must not or cannot teach anything; the pattern is then as before.
    pub fn learn(&mut self, answer: &Answer<'_>) -> Result<(), NotLearned> {
        may_teach(answer)?;
        self.take(answer)
    }

    /// Takes an answer in that was found fit. Fails, without a change, when it weakens what nobody answered.
    pub fn take(&mut self, answer: &Answer<'_>) -> Result<(), NotLearned> {
        let weight = match answer.provenance {
            Provenance::Attested => 1.0,
            Provenance::AgentReported => REPORTED,
        };
        if answer.success {
            self.make_room(answer);
            let fresh = AnswerCounts { successes: 0, failures: 0, reported: 0, weight: 0.0, at: answer.at };
            let tally = self.answers.entry(answer.input_text.to_owned()).or_insert(fresh);
            tally.change(weight, answer.at);
            tally.successes += 1;
            tally.reported += u32::from(answer.provenance == Provenance::AgentReported);
        } else {
            let tally = self.answers.get_mut(answer.input_text).ok_or(NotLearned::NothingToWeaken)?;
            tally.change(-weight, answer.at);
            tally.failures += 1;
        }
        // The same words may come to be known for what they ask.
        let attested = answer.success && answer.provenance == Provenance::Attested;
        if attested && answer.at >= self.last_seen && self.kind != PromptKind::Password {
            self.kind = answer.kind;
        }
        self.last_seen = self.last_seen.max(answer.at);
        Ok(())
    }

    /// The lightest answer goes when there are too many.
    fn make_room(&mut self, answer: &Answer<'_>) {
        if self.answers.len() < MOST_ANSWERS || self.answers.contains_key(answer.input_text) {
            return;
        }
        let weight = |tally: &AnswerCounts| tally.weight_at(answer.at);
        let lightest = self.answers.iter().min_by(|a, b| weight(a.1).total_cmp(&weight(b.1)));
        if let Some(lightest) = lightest.map(|(input, _)| input.clone()) {
            self.answers.remove(&lightest);
        }
    }

    /// How often it was seen, in tenths: what an agent only tells of counts one.
    pub fn sightings(&self) -> u32 {
        let tenths = |tally: &AnswerCounts| 10 * tally.successes.saturating_sub(tally.reported) + tally.reported;
        self.answers.values().map(tenths).fold(0, u32::saturating_add)
    }

    /// Whether both say the same habit. Earlier hubs kept the kind that a prompt was taken for first.
    pub fn agrees(&self, other: &Self) -> bool {
        let same = |(one, other): ((&String, &AnswerCounts), (&String, &AnswerCounts))| {
            one.0 == other.0 && one.1.agrees(other.1)
        };
        let secret = |pattern: &Self| pattern.kind == PromptKind::Password;
        secret(self) == secret(other)
            && close(self.last_seen, other.last_seen)
            && self.answers.len() == other.answers.len()
            && self.answers.iter().zip(&other.answers).all(same)
    }

    /// Its answers, the heaviest first; none before [`MIN_SIGHTINGS`], and none once all have faded.
    pub fn standings(&self, now: Timestamp) -> Vec<RankedAnswer> {
        let all: f64 = self.answers.values().map(|tally| tally.weight_at(now)).sum();
        if self.sightings() < 10 * MIN_SIGHTINGS || all < FADED || self.kind == PromptKind::Password {
            return Vec::new();
        }
        let total = self.answers.values().map(|tally| tally.successes).sum();
        let mut found: Vec<RankedAnswer> = self
            .answers
            .iter()
            .map(|(input, tally)| RankedAnswer {
                input: input.clone(),
                share: (tally.weight_at(now) + 1.0) / (all + 2.0),
                count: tally.successes,
                total,
            })
            .filter(|standing| standing.count > 0)
            .collect();
        found.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.input.cmp(&b.input)));
        found
    }
}

impl AnswerCounts {
    /// Whether both say the same, but for what a moment's difference in time and a number's last digits come to.
    fn agrees(&self, other: &Self) -> bool {
        let counts = |tally: &Self| (tally.successes, tally.failures, tally.reported);
        counts(self) == counts(other) && (self.weight - other.weight).abs() < 1e-3 && close(self.at, other.at)
    }

    fn weight_at(&self, now: Timestamp) -> f64 {
        let past = now.since(self.at).as_secs_f64() * 1000.0;
        self.weight * (-past / HALF_LIFE_MS).exp2()
    }

    fn change(&mut self, by: f64, now: Timestamp) {
        self.weight = (self.weight_at(now) + by).max(0.0);
        self.at = self.at.max(now);
    }
}

/// Earlier hubs wrote an answer down a moment after they had weighed it.
const fn close(one: Timestamp, other: Timestamp) -> bool {
    one.0.abs_diff(other.0) < 60_000
}

fn may_teach(answer: &Answer<'_>) -> Result<(), NotLearned> {
    let secret = redact::is_secret(answer.prompt_text, Some(answer.kind), Host::default())
        || answer.input_text == redact::REDACTED
        || callboard_base::text::holds_secret(answer.input_text);
    if secret {
        return Err(NotLearned::Secret);
    }
    if answer.dangerous && answer.provenance == Provenance::AgentReported {
        return Err(NotLearned::UnattestedDanger);
    }
    if answer.source == InputSource::AutoInjected && answer.success {
        return Err(NotLearned::OwnTyping);
    }
    if answer.input_text.chars().count() > LONGEST_INPUT {
        return Err(NotLearned::TooLong);
    }
    Ok(())
}
