//! Whether what was used is within a budget. What is unknown counts as nothing and is never passed over: people are
//! told of it as soon as the first process said nothing.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::super::state::Task;
use super::usage::{Usage, Usd};
use super::{ProcessExit, Run};

/// The answer by which a task uses the same amount once more.
pub const GO_ON: &str = "go on";
/// The answer by which it is FAILED; so it is when nobody answers.
pub const STOP: &str = "stop";

/// What the tasks of a role may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Budget {
    /// One task, as `5 USD` or `200000 tokens` (input and output); none: as much as it takes.
    #[schemars(with = "Option<String>")]
    pub per_task: Option<Allowance>,
    /// All tasks of the role together, from midnight UTC, by when their runs began; none: as much as they take.
    #[schemars(with = "Option<String>")]
    pub per_day: Option<Allowance>,
}

/// A part of a [`Budget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    Usd(Usd),
    /// Input and output.
    Tokens(u64),
}

/// What was used, in the unit of an [`Allowance`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// By the processes that said so.
    pub known: u64,
    /// How many processes did not say.
    pub unknown: u32,
}

/// How much of an allowance is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BudgetLevel {
    Within,
    /// 80 % and more.
    Near,
    /// All of it: nothing new starts before people say so.
    Used,
}

/// What people are to hear of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetNews {
    /// A process did not say what it used, for the first time.
    Unknown,
    /// A notice: 80 % are used.
    Near,
    /// A question: it is used up; does it go on, or stop?
    Used,
    /// The same of a role's day: do its tasks start today, or not?
    DayUsed,
    /// People let its tasks start until the day ends.
    DayGoesOn,
    /// They did not, or nobody answered: none starts before the next day.
    DayStops,
}

impl BudgetNews {
    /// Whether it is about the day of a role, and not about one task.
    pub const fn is_of_day(self) -> bool {
        matches!(self, Self::DayUsed | Self::DayGoesOn | Self::DayStops)
    }
}

impl Allowance {
    /// The share at which people are told, in percent.
    const NEAR: u128 = 80;

    /// What these processes used of it; each may have said nothing.
    pub fn spent<U: Borrow<Usage>>(self, each: impl IntoIterator<Item = Option<U>>) -> Spent {
        each.into_iter().fold(Spent::default(), |spent, usage| {
            match usage.and_then(|usage| self.part_of(usage.borrow())) {
                Some(part) => Spent { known: spent.known.saturating_add(part), ..spent },
                None => Spent { unknown: spent.unknown.saturating_add(1), ..spent },
            }
        })
    }

    pub fn level(self, spent: Spent) -> BudgetLevel {
        let (used, all) = (u128::from(spent.known), u128::from(self.amount()));
        if used >= all {
            BudgetLevel::Used
        } else if used * 100 >= all * Self::NEAR {
            BudgetLevel::Near
        } else {
            BudgetLevel::Within
        }
    }

    /// What is new between two moments: each level is told once.
    pub fn news(self, before: Spent, after: Spent) -> Option<BudgetNews> {
        match self.level(after) {
            BudgetLevel::Used if self.level(before) < BudgetLevel::Used => Some(BudgetNews::Used),
            BudgetLevel::Near if self.level(before) < BudgetLevel::Near => Some(BudgetNews::Near),
            BudgetLevel::Within | BudgetLevel::Near | BudgetLevel::Used => {
                (before.unknown == 0 && after.unknown > 0).then_some(BudgetNews::Unknown)
            }
        }
    }

    /// In a sentence: `4.10 USD of 5.00 USD are used, and 2 processes did not say what they used`.
    pub fn told(self, spent: Spent) -> String {
        let used = match self {
            Self::Usd(_) => format!("{} of {self} are used", Usd(spent.known)),
            Self::Tokens(_) => format!("{} of {self} are used", spent.known),
        };
        match spent.unknown {
            0 => used,
            1 => format!("{used}, and 1 process did not say what it used"),
            more => format!("{used}, and {more} processes did not say what they used"),
        }
    }

    /// The same amount once more than was allowed so far, or used.
    fn beyond(self, allowed: Self, spent: Spent) -> Self {
        let amount = allowed.amount().max(spent.known).saturating_add(self.amount());
        match self {
            Self::Usd(_) => Self::Usd(Usd(amount)),
            Self::Tokens(_) => Self::Tokens(amount),
        }
    }

    const fn amount(self) -> u64 {
        match self {
            Self::Usd(usd) => usd.0,
            Self::Tokens(tokens) => tokens,
        }
    }

    fn part_of(self, usage: &Usage) -> Option<u64> {
        match self {
            Self::Usd(_) => usage.cost_usd.map(|usd| usd.0),
            Self::Tokens(_) => usage.tokens(),
        }
    }
}

impl FromStr for Allowance {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let allowance = match text.trim().split_once(char::is_whitespace) {
            Some((amount, unit)) if unit.trim().eq_ignore_ascii_case("usd") => {
                amount.parse().ok().and_then(Usd::of).map(Self::Usd)
            }
            Some((amount, unit)) if unit.trim() == "tokens" => amount.parse().ok().map(Self::Tokens),
            Some(_) | None => None,
        };
        let more_than_nothing = allowance.filter(|allowance| allowance.amount() > 0);
        more_than_nothing.ok_or("a budget is more than nothing, with its unit: `5 USD`, or `200000 tokens`")
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usd(usd) => usd.fmt(f),
            Self::Tokens(tokens) => write!(f, "{tokens} tokens"),
        }
    }
}

impl Serialize for Allowance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Allowance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// How a task stands to its part of a budget once one more process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskBudget {
    /// None where people know it already.
    pub news: Option<BudgetNews>,
    pub level: BudgetLevel,
    /// In a sentence.
    pub told: String,
}

impl Task {
    /// How it stands, with the next process if one ends now. Each time that a run was stopped for the budget and the
    /// task went on, people allowed it the same amount once more.
    pub fn budget_after(&self, per_task: Allowance, next: Option<&ProcessExit>) -> TaskBudget {
        let used = |runs: &[Run]| per_task.spent(runs.iter().flat_map(|run| &run.exits).map(|exit| exit.usage));
        let stopped = |run: &Run| run.day.is_none() && run.is_stopped_for_budget();
        let stops = self.runs.iter().enumerate().filter(|(_, run)| stopped(run));
        let all = stops.fold(per_task, |all, (place, _)| per_task.beyond(all, used(&self.runs[..=place])));
        let exits = self.runs.iter().flat_map(|run| &run.exits).chain(next);
        let (before, after) = (used(&self.runs), all.spent(exits.map(|exit| exit.usage)));
        TaskBudget { news: all.news(before, after), level: all.level(after), told: all.told(after) }
    }
}
