//! All patterns: where each holds, which one speaks for a prompt, and what an answer would make of it.
//!
//! What people answer in one repository says nothing about another: a pattern holds in the workspace in which it was
//! learned, until an operator lets the whole hub have it. A workspace's own goes before the hub's.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::learn::{Answer, NotLearned, Pattern, normalized};
use callboard_base::ids::PatternId;

/// The most patterns that are kept; the one that was answered longest ago goes first.
pub const MOST_PATTERNS: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "scope", content = "workspace", rename_all = "snake_case")]
pub enum PatternPlace {
    /// In one workspace; an empty name stands for all that name none.
    Workspace(String),
    /// In the whole hub.
    Hub,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptPattern {
    pub id: PatternId,
    pub place: PatternPlace,
    pub pattern: Pattern,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct PatternBook {
    patterns: BTreeMap<PatternId, KeptPattern>,
}

impl PatternPlace {
    /// The place of somebody who works there.
    pub fn of(workspace: Option<&str>) -> Self {
        Self::Workspace(workspace.unwrap_or_default().to_owned())
    }

    /// Whether what was learned here is offered to somebody who works there.
    pub fn holds_in(&self, workspace: Option<&str>) -> bool {
        *self == Self::Hub || *self == Self::of(workspace)
    }

    /// What a pattern's name is made from: the place, and the prompt without what differs from time to time.
    pub fn key(&self, prompt_text: &str) -> String {
        let place = match self {
            Self::Workspace(workspace) => format!("workspace\u{1f}{workspace}"),
            Self::Hub => "hub\u{1f}".to_owned(),
        };
        format!("{place}\u{1f}{}", normalized(prompt_text))
    }
}

impl KeptPattern {
    /// Whether this is the same habit: what the prompt is called may differ, for how it is abstracted may change.
    pub fn agrees(&self, other: &Self) -> bool {
        self.id == other.id && self.place == other.place && self.pattern.agrees(&other.pattern)
    }
}

impl PatternBook {
    pub fn get(&self, id: &PatternId) -> Option<&KeptPattern> {
        self.patterns.get(id)
    }

    pub const fn by_name(&self) -> &BTreeMap<PatternId, KeptPattern> {
        &self.patterns
    }

    pub fn all(&self) -> impl Iterator<Item = &KeptPattern> {
        self.patterns.values()
    }

    /// What the pattern of that name would be after this answer. Fails when the answer cannot teach anything.
    pub fn learned(
        &self,
        id: &PatternId,
        place: &PatternPlace,
        answer: &Answer<'_>,
    ) -> Result<KeptPattern, NotLearned> {
        let mut kept = self.known_or_new(id, place, answer);
        kept.pattern.learn(answer)?;
        Ok(kept)
    }

    /// The same for an answer that was found fit when it was given. Fails when it weakens what nobody answered.
    pub fn taught(&self, id: &PatternId, place: &PatternPlace, answer: &Answer<'_>) -> Result<KeptPattern, NotLearned> {
        let mut kept = self.known_or_new(id, place, answer);
        kept.pattern.take(answer)?;
        Ok(kept)
    }

    fn known_or_new(&self, id: &PatternId, place: &PatternPlace, answer: &Answer<'_>) -> KeptPattern {
        self.patterns.get(id).cloned().unwrap_or_else(|| KeptPattern {
            id: id.clone(),
            place: place.clone(),
            pattern: Pattern::new(answer.prompt_text, answer.kind, answer.at),
        })
    }

    /// The pattern that has to go before a new one comes; none while there is room, or the new one is known.
    pub fn surplus(&self, coming: &PatternId) -> Option<PatternId> {
        if self.patterns.len() < MOST_PATTERNS || self.patterns.contains_key(coming) {
            return None;
        }
        let oldest = self.patterns.values().min_by_key(|kept| (kept.pattern.last_seen, &kept.id));
        oldest.map(|kept| kept.id.clone())
    }

    /// Takes a pattern in, in place of the one of its name.
    pub fn put(&mut self, kept: KeptPattern) {
        self.patterns.insert(kept.id.clone(), kept);
    }

    pub fn forget(&mut self, id: &PatternId) {
        self.patterns.remove(id);
    }
}
