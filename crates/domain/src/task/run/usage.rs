//! What a process of a client used. What nobody said is unknown, and so is a sum with something unknown in it: never 0.

use std::borrow::Borrow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was used, as far as somebody said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    #[must_use]
    pub fn sum<U: Borrow<Self>>(each: impl IntoIterator<Item = Option<U>>) -> Option<Self> {
        each.into_iter()
            .map(|usage| usage.map(|usage| usage.borrow().clone()).unwrap_or_default())
            .reduce(|sum, next| sum.and(&next))
    }

    fn and(&self, other: &Self) -> Self {
        fn both(a: Option<u64>, b: Option<u64>) -> Option<u64> {
            Some(a?.saturating_add(b?))
        }
        Self {
            input_tokens: both(self.input_tokens, other.input_tokens),
            output_tokens: both(self.output_tokens, other.output_tokens),
            cached_tokens: both(self.cached_tokens, other.cached_tokens),
            cost_usd: both(self.cost_usd.map(|usd| usd.0), other.cost_usd.map(|usd| usd.0)).map(Usd),
            turns: both(self.turns, other.turns),
            duration_ms: both(self.duration_ms, other.duration_ms),
            source: self.source.max(other.source),
        }
    }

    /// Input and output together. Cached input is left out: clients count it in different ways.
    #[must_use]
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

    #[must_use]
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
