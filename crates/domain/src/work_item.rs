//! The name of a piece of work in a tracker.

use std::fmt;

use thiserror::Error;

use crate::names::as_text;
use crate::text::cut;

/// The longest name, in bytes.
const LONGEST: usize = 200;
/// How much of what is no name is repeated in a refusal, in bytes.
const REPEATED: usize = 80;

/// A work item: `owner/repo#12` on a forge, or the id that another tracker gave.
///
/// At most 200 bytes, printable, without white space. Upper and lower case are kept and mean the same, as on forges.
#[derive(Debug, Clone)]
pub struct WorkItem(String);

/// Why a text names no work item.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{given}` names no work item: write it as `owner/repo#12`, or as the tracker's id, without white space")]
pub struct WorkItemError {
    given: String,
}

impl WorkItem {
    /// Reads a name. Fails when it is empty, longer than 200 bytes, or has white space or hidden characters.
    pub fn parse(text: &str) -> Result<Self, WorkItemError> {
        let name = text.trim();
        let fits = |c: char| c.is_ascii_graphic() || c.is_alphanumeric();
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(fits) {
            return Err(WorkItemError { given: cut(name, REPEATED).escape_debug().to_string() });
        }
        Ok(Self(name.to_owned()))
    }

    /// The item of this number in a repository; none where the repository has no name.
    pub fn numbered(repository: &str, number: u64) -> Option<Self> {
        if repository.is_empty() { None } else { Self::parse(&format!("{repository}#{number}")).ok() }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The repository that it is in: what stands before `#`, on a forge.
    pub fn repository(&self) -> Option<&str> {
        self.0.rsplit_once('#').map(|(repository, _)| repository)
    }

    pub fn is_in(&self, repository: &str) -> bool {
        self.repository().is_some_and(|own| own.eq_ignore_ascii_case(repository))
    }
}

impl PartialEq for WorkItem {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for WorkItem {}

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(WorkItem);
