//! Durations as people write them: `500ms`, `30s`, `1h30m`, `90d`.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Unexpected};

const WANTED: &str = "a duration such as `30s`, `5m`, `1h30m`";

pub(super) fn maybe_span<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let given = Option::<Given>::deserialize(deserializer)?;
    given.map(|given| parse(&given)).transpose()
}

fn parse<E: serde::de::Error>(given: &Given) -> Result<Duration, E> {
    match given {
        Given::Text(text) => {
            humantime::parse_duration(text).map_err(|_| E::invalid_value(Unexpected::Str(text), &WANTED))
        }
        Given::Number(number) => Err(E::invalid_value(Unexpected::Unsigned(*number), &WANTED)),
    }
}

/// A text, or a number without the unit that it needs.
enum Given {
    Text(String),
    Number(u64),
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Given;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(WANTED)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Given, E> {
                Ok(Given::Text(text.to_owned()))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Given, E> {
                Ok(Given::Number(number))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A duration: how it is read, and its schema.
#[derive(Debug)]
pub(super) struct Span;

impl Span {
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        parse(&Given::deserialize(deserializer)?)
    }
}

impl JsonSchema for Span {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Span")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^([0-9]+ ?(ns|us|ms|s|sec|m|min|h|hr|d|day|days|w|week|weeks|y) ?)+$",
        })
    }
}
