//! What is asked for: by its number alone, so that it can be asked again to the letter.

use serde_json::{Value, json};

/// How many agents take work of askers, and how many take what those delegate.
pub(super) const BUILDERS: usize = 40;
pub(super) const TESTERS: usize = 10;

/// What its worker is to do with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// Report that it failed.
    Fails,
    /// Ask back once, and complete it when it is answered.
    AsksBack,
    /// Delegate a part, wait for that, and complete it.
    Delegates,
    /// Complete it, unless its asker is quicker to call it off.
    IsCalledOff,
    /// Complete it, after another one.
    Waits,
    /// Tell another agent something, and complete it.
    Tells,
    /// Complete this part of another one.
    Part,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Plain,
        Self::Fails,
        Self::AsksBack,
        Self::IsCalledOff,
        Self::Delegates,
        Self::Tells,
        Self::Waits,
        Self::Part,
    ];

    fn of(number: usize) -> Self {
        // The last is no asker's.
        Self::ALL[number % (Self::ALL.len() - 1)]
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fails => "fails",
            Self::AsksBack => "asks-back",
            Self::Delegates => "delegates",
            Self::IsCalledOff => "is-called-off",
            Self::Waits => "waits",
            Self::Tells => "tells",
            Self::Part => "part",
        }
    }

    /// The kind and the key in a task's text.
    pub(super) fn read(prompt: &str) -> Option<(Self, &str)> {
        let (word, key) = prompt.split_once(' ')?;
        Some((Self::ALL.into_iter().find(|kind| kind.word() == word)?, key))
    }

    /// The states in which such a task may end.
    pub(super) const fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Fails => &["FAILED"],
            Self::IsCalledOff => &["CANCELLED", "COMPLETED"],
            Self::Plain | Self::AsksBack | Self::Delegates | Self::Waits | Self::Tells | Self::Part => &["COMPLETED"],
        }
    }
}

/// An order, as it is sent.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) key: String,
    pub(super) kind: Kind,
    pub(super) body: Value,
}

impl Order {
    /// The order number `number` of an asker. Half are for whoever is free, half for one agent. `after` is what one
    /// that waits has to wait for.
    pub(super) fn of(asker: &str, number: usize, after: Option<&str>) -> Self {
        let (key, mut kind) = (format!("{asker}-{number}"), Kind::of(number));
        if kind == Kind::Waits && after.is_none() {
            kind = Kind::Plain;
        }
        let target =
            if number.is_multiple_of(2) { "role:full-stack-engineer".to_owned() } else { builder(number % BUILDERS) };
        let dependencies = after.filter(|_| kind == Kind::Waits).map(str::to_owned);
        let body = json!({
            "targetAgentId": target,
            "prompt": format!("{} {key}", kind.word()),
            "dependencies": Vec::from_iter(dependencies),
        });
        Self { key, kind, body }
    }

    /// A part of the order under this key, for whoever tests.
    pub(super) fn part_of(key: &str) -> Self {
        let (key, kind) = (format!("part-of-{key}"), Kind::Part);
        let prompt = format!("{} {key}", kind.word());
        let body = json!({ "targetAgentId": "role:test-engineer", "prompt": prompt, "idempotencyKey": key });
        Self { key, kind, body }
    }

    /// What it has to wait for.
    pub(super) fn waits_for(&self) -> Option<&str> {
        self.body["dependencies"].get(0)?.as_str()
    }
}

/// The name of an agent that takes work of askers.
pub(super) fn builder(number: usize) -> String {
    format!("builder-{number}")
}

/// The name of an agent that takes what those delegate.
pub(super) fn tester(number: usize) -> String {
    format!("tester-{number}")
}
