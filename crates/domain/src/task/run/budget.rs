//! Whether what was used is within a budget. What is unknown counts as nothing and is never passed over: people are
//! told of it as soon as the first process said nothing.

use std::borrow::Borrow;

use super::usage::{Usage, Usd};

/// What the tasks of a role may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    pub per_task: Option<Allowance>,
    /// All tasks of the role together, from midnight UTC.
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

/// What people are to hear after a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetNews {
    /// A process did not say what it used, for the first time.
    Unknown,
    /// A notice: 80 % are used.
    Near,
    /// A question: it is used up; does it go on, or stop?
    Used,
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
            Self::Usd(all) => format!("{} of {all} are used", Usd(spent.known)),
            Self::Tokens(all) => format!("{} of {all} tokens are used", spent.known),
        };
        match spent.unknown {
            0 => used,
            1 => format!("{used}, and 1 process did not say what it used"),
            more => format!("{used}, and {more} processes did not say what they used"),
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
