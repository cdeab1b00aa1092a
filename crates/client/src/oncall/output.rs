//! What a client's output says, by the rules of its preset: the conversation, what was used, the result, an error.
//!
//! Output is taken as it comes and is nobody's to trust: a line or a document beyond [`MOST`] is left out and counted,
//! what is no JSON is left out, and texts are cleaned. What an output does not say stays unknown.

use serde_json::Value;

use super::presets::{Form, OutputRules, Places, Preset, Sums, When, is_conversation};
use crate::domain::task::{Usage, UsageSource, Usd};
use crate::domain::text;

/// The most that is held of a line, or of a document at the end, in bytes.
const MOST: usize = 4 * 1024 * 1024;
/// The most that is held of the error output, in bytes; its end is what counts.
const MOST_ERRORS: usize = 64 * 1024;
/// The most that is kept of a text, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;
/// How many lines at the end of an output are looked at for the reason of an end that nothing else tells.
const LAST_LINES: usize = 20;
/// How often the beginning of a document is looked for among other lines.
const ATTEMPTS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Error,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// The client's own id of the conversation.
    pub(super) conversation: Option<String>,
    pub(super) usage: Usage,
    /// The last text of the agent.
    pub(super) result: Option<String>,
    /// The error that nothing came after.
    pub(super) error: Option<ClientError>,
    /// The last lines that are no documents, of a client that told neither a result nor an error.
    pub(super) last_words: String,
    /// How many lines or documents were too long to be read.
    pub(super) too_long: u32,
}

/// An error, as the client's fields tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClientError {
    /// The status of the HTTP answer of its model.
    pub(super) status: Option<u64>,
    pub(super) kind: Option<String>,
    pub(super) message: Option<String>,
}

#[derive(Debug)]
pub(super) struct OutputReader {
    rules: OutputRules,
    out: Vec<u8>,
    /// Whether the line or document is too long, and its rest is left out.
    overflowed: bool,
    errors: Vec<u8>,
    /// The end of what its output has beside documents.
    strays: Vec<u8>,
    /// What the conversation had used before this process.
    before: Usage,
    reading: Reading,
}

impl OutputReader {
    /// `before`: what earlier processes of the same conversation used.
    pub(super) fn new(preset: &Preset, before: Usage) -> Self {
        let rules = preset.output.clone();
        let (out, errors, strays) = (Vec::new(), Vec::new(), Vec::new());
        Self { rules, out, overflowed: false, errors, strays, before, reading: Reading::default() }
    }

    /// The next bytes of an output. True when the conversation became known by them.
    pub(super) fn take(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let was_known = self.reading.conversation.is_some();
        match (stream, self.rules.form) {
            (_, Form::Text) => {}
            (Stream::Error, Form::Json | Form::Jsonl) => keep_end(&mut self.errors, bytes, MOST_ERRORS),
            (Stream::Out, Form::Json) => self.hold(bytes),
            (Stream::Out, Form::Jsonl) => {
                for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                    self.hold(part);
                    if part.ends_with(b"\n") {
                        self.end_line();
                    }
                }
            }
        }
        !was_known && self.reading.conversation.is_some()
    }

    /// The client's own id of the conversation, where it is known yet.
    pub(super) fn conversation(&self) -> Option<String> {
        self.reading.conversation.clone()
    }

    /// What was read, once both outputs have ended.
    #[must_use]
    pub(super) fn finish(mut self) -> Reading {
        match self.rules.form {
            Form::Text => {}
            Form::Jsonl => self.end_line(),
            Form::Json if self.overflowed => self.reading.too_long += 1,
            Form::Json => {
                let out = std::mem::take(&mut self.out);
                self.read_documents(&out);
                self.strays = out;
            }
        }
        // A client that has told its end in its output has no other on the other side.
        let errors = std::mem::take(&mut self.errors);
        if self.reading.error.is_none() && self.reading.result.is_none() {
            self.read_documents(&errors);
        }
        if self.reading.error.is_none() && self.reading.result.is_none() {
            self.reading.last_words = [last_lines(&self.strays), last_lines(&errors)].concat();
        }
        self.reading
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.overflowed || self.out.len() + bytes.len() > MOST {
            self.overflowed = true;
            self.out = Vec::new();
            return;
        }
        self.out.extend_from_slice(bytes);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.out);
        if std::mem::take(&mut self.overflowed) {
            self.reading.too_long += 1;
        } else if let Ok(event) = serde_json::from_slice::<Value>(&line) {
            self.read(&event);
        } else {
            keep_end(&mut self.strays, &line, MOST_ERRORS);
        }
    }

    /// Documents among other lines, each of which begins a line.
    fn read_documents(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut rest = text.as_ref();
        for _ in 0..ATTEMPTS {
            let Some(begin) = line_with_document(rest) else { return };
            rest = &rest[begin..];
            let mut documents = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let after = match documents.next() {
                Some(Ok(document)) => {
                    self.read(&document);
                    documents.byte_offset()
                }
                Some(Err(_)) | None => 1,
            };
            rest = rest.get(after..).unwrap_or_default();
        }
    }

    /// One event, or a list of events.
    fn read(&mut self, event: &Value) {
        if let Value::Array(events) = event {
            return events.iter().filter(|event| event.is_object()).for_each(|event| self.read(event));
        }
        let rules = &self.rules;
        if let Some(id) = string(event, &rules.conversation).filter(|id| is_conversation(id)) {
            self.reading.conversation = Some(id.to_owned());
        }
        let result = string(event, &rules.result.at).filter(|_| is_meant(event, &rules.result.when));
        let is_usage = !rules.usage.when.is_empty() && is_meant(event, &rules.usage.when);
        let is_error = !rules.error.when.is_empty() && is_meant(event, &rules.error.when);
        if result.is_some() || is_usage {
            self.reading.error = None;
        }
        if is_error {
            let status =
                number(event, &rules.error.status).or_else(|| string(event, &rules.error.status)?.parse().ok());
            let kind = string(event, &rules.error.kind).map(kept);
            let message = string(event, &rules.error.message).map(kept);
            self.reading.error = Some(ClientError { status, kind, message });
        } else if let Some(result) = result {
            self.reading.result = Some(kept(result));
        }
        if is_usage {
            let usage = usage(event, rules);
            self.reading.usage = match rules.usage.sums {
                Sums::Process => usage,
                Sums::Conversation => usage.since(&self.before),
                Sums::Each => self.reading.usage.plus(&usage),
            };
        }
    }
}

/// Where the first line begins that could hold a document.
fn line_with_document(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with(['{', '[']) {
            return Some(at + line.len() - line.trim_start().len());
        }
        at += line.len();
    }
    None
}

/// The last [`LAST_LINES`], cleaned.
fn last_lines(bytes: &[u8]) -> String {
    let end = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(LONGEST_TEXT)..]);
    let lines: Vec<&str> = end.lines().collect();
    let from = lines.len().saturating_sub(LAST_LINES);
    lines[from..].iter().map(|line| kept(line) + "\n").collect()
}

fn keep_end(held: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let bytes = &bytes[bytes.len().saturating_sub(most)..];
    let excess = (held.len() + bytes.len()).saturating_sub(most);
    held.drain(..excess);
    held.extend_from_slice(bytes);
}

fn kept(text: &str) -> String {
    text::redact(&text::clean(text, LONGEST_TEXT).text).into_owned()
}

/// Every value at a pointer, in which `*` stands for each member.
fn at<'a>(event: &'a Value, pointer: &str) -> Vec<&'a Value> {
    let mut found = vec![event];
    for name in pointer.split('/').skip(1) {
        found = found
            .into_iter()
            .flat_map(|value| match (value, name) {
                (Value::Object(fields), "*") => fields.values().collect(),
                (Value::Object(fields), name) => fields.get(name).into_iter().collect(),
                _ => Vec::new(),
            })
            .collect();
    }
    found
}

fn is_meant(event: &Value, when: &When) -> bool {
    when.iter().all(|(pointer, wanted)| at(event, pointer).into_iter().any(|value| is_such(value, wanted)))
}

/// `*` stands for anything that is there, and at the end of a text for any that begins so.
fn is_such(value: &Value, wanted: &Value) -> bool {
    match (wanted.as_str().and_then(|wanted| wanted.strip_suffix('*')), value.as_str()) {
        (Some(""), _) => !value.is_null(),
        (Some(begin), Some(text)) => text.starts_with(begin),
        (Some(_), None) => false,
        (None, _) => value == wanted,
    }
}

fn string<'a>(event: &'a Value, places: &Places) -> Option<&'a str> {
    places.iter().find_map(|place| at(event, place).into_iter().find_map(Value::as_str))
}

fn number(event: &Value, places: &Places) -> Option<u64> {
    sum(event, places, Value::as_u64, u64::checked_add)
}

/// The sum of all numbers at the first place that has one; none where there is none, or it is too large.
fn sum<N>(event: &Value, places: &Places, read: fn(&Value) -> Option<N>, add: fn(N, N) -> Option<N>) -> Option<N> {
    let numbers = places.iter().map(|place| at(event, place).into_iter().filter_map(read).collect::<Vec<_>>());
    let mut numbers = numbers.into_iter().find(|numbers| !numbers.is_empty())?.into_iter();
    let first = numbers.next()?;
    numbers.try_fold(first, add)
}

fn usage(event: &Value, rules: &OutputRules) -> Usage {
    let rule = &rules.usage;
    let dollars = sum(event, &rule.cost, Value::as_f64, |one, other| Some(one + other));
    Usage {
        input_tokens: number(event, &rule.input),
        output_tokens: number(event, &rule.output),
        cached_tokens: number(event, &rule.cached),
        cost_usd: dollars.and_then(Usd::of),
        turns: number(event, &rule.turns),
        duration_ms: number(event, &rule.duration),
        source: UsageSource::Client,
    }
}
