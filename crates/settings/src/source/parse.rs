//! One YAML text into a tree. Duplicate keys are collected here and not by the parser, which would stop at the first.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, MergeKeyPolicy, Options, Spanned};

use super::node::{Entry, Kind, Node};
use crate::source_location::{ConfigFault, Layer, SourceLocation};

/// The largest file that is read, in bytes.
pub(crate) const FILE_LIMIT: usize = 256 * 1024;

/// Reads a text whose root is a map; empty is an empty map. A duplicate key is a fault, and its first value stays.
pub(crate) fn parse(layer: Layer, name: &str, text: &str, faults: &mut Vec<ConfigFault>) -> Result<Node, ConfigFault> {
    let whole = SourceLocation::whole(layer, name);
    if text.len() > FILE_LIMIT {
        return Err(whole.fault(format!("the file has {} bytes; {FILE_LIMIT} is the most that is read", text.len())));
    }
    let raw: Spanned<Raw> = serde_saphyr::from_str_with_options(text, options()).map_err(|error| {
        let place = error.location().map_or_else(|| whole.clone(), |at| placed(&whole, at));
        place.fault(syntax_message(&error))
    })?;
    let mut root = settle(raw, &whole, "", faults);
    match &root.kind {
        Kind::Map(_) => Ok(root),
        Kind::Null => {
            root.kind = Kind::Map(Vec::new());
            Ok(root)
        }
        Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) | Kind::List(_) => {
            Err(root.place.fault("the file must hold keys and values, as `key: value`"))
        }
    }
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: 50_000, max_aliases: 1_000, max_depth: 32, max_documents: 1 },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

/// The parser's words without the place, which the fault names itself.
fn syntax_message(error: &serde_saphyr::Error) -> String {
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or("unreadable");
    let message = message.split(" at line ").next().unwrap_or(message);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    format!("not readable as YAML: {message}; a value that begins with a special sign must be in quotes")
}

fn placed(whole: &SourceLocation, at: Location) -> SourceLocation {
    SourceLocation { line: narrow(at.line()), column: narrow(at.column()), ..whole.clone() }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn settle(raw: Spanned<Raw>, whole: &SourceLocation, path: &str, faults: &mut Vec<ConfigFault>) -> Node {
    let place = placed(whole, raw.referenced);
    let kind = match raw.value {
        Raw::Scalar(kind) => kind,
        Raw::List(items) => Kind::List(items.into_iter().map(|item| settle(item, whole, path, faults)).collect()),
        Raw::Map(pairs) => {
            let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
            for (key, value) in pairs {
                let key_place = placed(whole, key.referenced);
                let key = key.value;
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                    let line = first.key_place.line;
                    faults.push(key_place.fault(format!("`{below}` stands here twice: line {line} has it already")));
                } else {
                    let node = settle(value, whole, &below, faults);
                    entries.push(Entry { key, key_place, node });
                }
            }
            Kind::Map(entries)
        }
    };
    Node { place, kind }
}

/// A tree as the parser gives it, with every key as often as it stands there.
enum Raw {
    Scalar(Kind),
    List(Vec<Spanned<Self>>),
    Map(Vec<(Spanned<String>, Spanned<Self>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Whole(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Whole(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Fraction(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Text(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Null))
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Raw::Map(pairs))
    }
}
