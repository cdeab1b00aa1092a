//! What a process of a client used. What nobody said is unknown, and so is a sum with something unknown in it: never 0.

use std::borrow::Borrow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was used, as far as somebody said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// Input that the model had in its cache.
    pub cached_tokens: Option<u64>,
    #[schemars(with = "Option<f64>")]
    pub cost_usd: Option<Usd>,
    /// Requests to the model.
    pub turns: Option<u64>,
    pub duration_ms: Option<u64>,
    /// Who said so; of several the one to be trusted least.
    pub source: UsageSource,
}

/// Who said what was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageSource {
    /// The client, in its output.
    #[default]
    Client,
    /// The agent, in a report.
    Agent,
}

/// An amount of money in millionths of a US dollar; a number of dollars wherever it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd(pub u64);

impl Usage {
    /// All together; none where there is nothing to add up. A process that said nothing makes each sum unknown.
    pub fn sum<U: Borrow<Self>>(each: impl IntoIterator<Item = Option<U>>) -> Option<Self> {
        each.into_iter()
            .map(|usage| usage.map(|usage| *usage.borrow()).unwrap_or_default())
            .reduce(|sum, next| sum.and(&next))
    }

    fn and(&self, other: &Self) -> Self {
        let sum = self.by_field(other, |one, other| Some(one?.saturating_add(other?)));
        Self { source: self.source.max(other.source), ..sum }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self { source: self.source, ..Self::default() }
    }

    /// Parts of what one process said. A field is known where one of the two knows it.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        self.by_field(other, |one, other| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (known, None) | (None, known) => known,
        })
    }

    /// What came to it since `before`, where a client tells sums of the whole conversation. A field that shrank is
    /// no sum, and stays as it is.
    #[must_use]
    pub fn since(self, before: &Self) -> Self {
        self.by_field(before, |now, before| now.map(|now| now.checked_sub(before.unwrap_or(0)).unwrap_or(now)))
    }

    fn by_field(&self, other: &Self, join: impl Fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        let micros = |cost: Option<Usd>| cost.map(|cost| cost.0);
        Self {
            input_tokens: join(self.input_tokens, other.input_tokens),
            output_tokens: join(self.output_tokens, other.output_tokens),
            cached_tokens: join(self.cached_tokens, other.cached_tokens),
            cost_usd: join(micros(self.cost_usd), micros(other.cost_usd)).map(Usd),
            turns: join(self.turns, other.turns),
            duration_ms: join(self.duration_ms, other.duration_ms),
            source: self.source,
        }
    }

    /// Input and output together. Cached input is left out: clients count it in different ways.
    pub fn tokens(&self) -> Option<u64> {
        Some(self.input_tokens?.saturating_add(self.output_tokens?))
    }
}

impl Usd {
    const MICROS: f64 = 1e6;
    /// No client reports more than a billion dollars; up to there the number of dollars is exact.
    const MOST: f64 = 1e9;

    /// So many dollars; none where that is no amount of money.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 1e15 by the line before"
    )]
    pub fn of(dollars: f64) -> Option<Self> {
        (0.0..=Self::MOST).contains(&dollars).then(|| Self((dollars * Self::MICROS).round() as u64))
    }

    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 millionths")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / Self::MICROS
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} USD", self.dollars())
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::of(dollars).ok_or_else(|| serde::de::Error::custom(format!("`{dollars}` is no amount of US dollars")))
    }
}
