//! A tree as serde reads it. Its errors know the path at which they arose, and say what would be right.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::node::{Entry, Kind, Node};
use crate::domain::text::{nearest, shorten};

#[derive(Debug)]
pub(crate) struct ReadError {
    pub(crate) about: About,
    /// The path, the innermost segment first: each level adds its own on the way out.
    pub(crate) reversed: Vec<String>,
}

#[derive(Debug)]
pub(crate) enum About {
    /// A key that nothing reads; the last segment of the path.
    UnknownKey { known: Vec<&'static str> },
    /// A key that must be there and is not.
    MissingKey(&'static str),
    /// A value that does not fit; the words fit after "`path` ".
    Value(String),
}

impl ReadError {
    fn value(message: impl Into<String>) -> Self {
        Self { about: About::Value(message.into()), reversed: Vec::new() }
    }

    fn below(mut self, segment: &str) -> Self {
        self.reversed.push(segment.to_owned());
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.about {
            About::UnknownKey { .. } => f.write_str("is not a key"),
            About::MissingKey(key) => write!(f, "lacks `{key}`"),
            About::Value(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::value(message.to_string())
    }

    fn invalid_type(got: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let wanted = plain(&wanted.to_string());
        let hint = match (wanted.as_str(), &got) {
            ("text", Unexpected::Bool(_) | Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_)) => {
                ": put it in quotes"
            }
            _ => "",
        };
        Self::value(format!("wants {wanted}, got {}{hint}", said(got)))
    }

    fn invalid_value(got: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::value(format!("wants {}, got {}", plain(&wanted.to_string()), said(got)))
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self { about: About::UnknownKey { known: known.to_vec() }, reversed: Vec::new() }
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        let near = nearest(variant, known.iter().copied());
        let hint = near.first().map(|name| format!(": did you mean `{name}`?")).unwrap_or_default();
        Self::value(format!("wants {}, got `{}`{hint}", one_of(known), shorten(variant, 60)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { about: About::MissingKey(field), reversed: Vec::new() }
    }
}

/// Serde's names of types in words that an operator uses.
fn plain(wanted: &str) -> String {
    match wanted {
        "a string" | "a borrowed string" | "path string" => "text".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "keys and values".to_owned(),
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0 up".to_owned(),
        struct_name if struct_name.starts_with("struct ") => "keys and values".to_owned(),
        other => other.to_owned(),
    }
}

fn said(got: Unexpected<'_>) -> String {
    match got {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(number) => format!("the number `{number}`"),
        Unexpected::Signed(number) => format!("the number `{number}`"),
        Unexpected::Float(number) => format!("the number `{number}`"),
        Unexpected::Str(text) => format!("the text `{}`", shorten(text, 60)),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "keys and values".to_owned(),
        Unexpected::Char(c) => format!("the text `{c}`"),
        Unexpected::Other(what) => what.to_owned(),
        Unexpected::Bytes(_)
        | Unexpected::NewtypeStruct
        | Unexpected::Enum
        | Unexpected::UnitVariant
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant => "something else".to_owned(),
    }
}

fn one_of(known: &[&str]) -> String {
    known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Whole(number) => match u64::try_from(*number) {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => visitor.visit_i64(i64::try_from(*number).unwrap_or(i64::MIN)),
            },
            Kind::Fraction(number) => visitor.visit_f64(*number),
            Kind::Text(text) => visitor.visit_borrowed_str(text),
            Kind::List(items) => visitor.visit_seq(Items { items: items.iter().enumerate() }),
            Kind::Map(entries) => visitor.visit_map(Entries { entries: entries.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.kind == Kind::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if let Kind::Text(text) = &self.kind {
            return visitor.visit_enum(Word(text));
        }
        Err(ReadError::value(format!("wants {}, got `{}`", one_of(known), shorten(&self.shown(), 60))))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, ReadError> for &'de Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Items<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Node>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some((index, node)) = self.items.next() else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|error| error.below(&index.to_string()))
    }
}

struct Entries<'de> {
    entries: std::slice::Iter<'de, Entry>,
    value: Option<&'de Entry>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry);
        let key: StrDeserializer<'de, ReadError> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.below(&entry.key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some(entry) = self.value.take() else { return Err(ReadError::custom("has a key without a value")) };
        seed.deserialize(&entry.node).map_err(|error| error.below(&entry.key))
    }
}

/// A text as the name of one of an enum's cases.
struct Word<'de>(&'de str);

impl<'de> EnumAccess<'de> for Word<'de> {
    type Error = ReadError;
    type Variant = NoContent;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, NoContent), ReadError> {
        let word: StrDeserializer<'de, ReadError> = self.0.into_deserializer();
        Ok((seed.deserialize(word)?, NoContent))
    }
}

struct NoContent;

impl<'de> VariantAccess<'de> for NoContent {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, ReadError> {
        Err(ReadError::custom("wants a word alone"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ReadError> {
        Err(ReadError::custom("wants a word alone"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, ReadError> {
        Err(ReadError::custom("wants a word alone"))
    }
}
