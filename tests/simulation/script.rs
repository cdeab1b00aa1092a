//! What a schedule is made of, and how it is written down: one line of JSON for each step.
//!
//! `pick` chooses among what there is when the step comes, so a script stays good when a step is taken out of it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Who plays, as what, and what they can do: two engineers, two testers, a manager.
pub(crate) const CAST: [(&str, &str, &[&str]); 5] = [
    ("coder-1", "full-stack-engineer", &["code-writing", "review"]),
    ("coder-2", "full-stack-engineer", &["code-writing"]),
    ("tester-1", "test-engineer", &["test-running", "review"]),
    ("tester-2", "test-engineer", &["test-running"]),
    ("manager-1", "project-manager", &["planning", "review"]),
];

/// For whom work can be: a target as it is written, then what the taker must be able to do.
pub(crate) const TARGETS: [&str; 11] = [
    "coder-1", "coder-2", "tester-1", "manager-1", "role:full-stack-engineer", "role:test-engineer",
    "role:project-manager", "any", "any+review", "any+code-writing", "role:test-engineer+review",
];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Script {
    /// Ids are counted from here, and lots are drawn with it.
    pub(crate) ids: u64,
    pub(crate) house: HubSetup,
    #[serde(skip)]
    pub(crate) steps: Vec<Step>,
}

/// How the hub is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HubSetup {
    /// As shipped, and nobody says which connection it is or what it can do.
    Plain,
    /// Each role has another policy.
    Mixed,
    /// The same, with small mailboxes and short queues.
    Crowded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Speech {
    Progress,
    Complete,
    Fail,
    Block,
    Submit,
}

/// One of [`TARGETS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target(pub(crate) &'static str);

/// What somebody does. Agents are places in [`CAST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    Register {
        agent: usize,
    },
    /// Another process of the same agent registers.
    TakeOver {
        agent: usize,
    },
    /// The process that was there before calls and waits.
    Echo {
        agent: usize,
    },
    Wait {
        agent: usize,
        seconds: u64,
    },
    HangUp {
        agent: usize,
    },
    NotWritten {
        agent: usize,
    },
    Collect {
        agent: usize,
    },
    /// A call whose answer lies in the door's hands for a while, and may be lost there.
    Linger {
        agent: usize,
        seconds: u64,
        lost: bool,
    },
    Acknowledge {
        agent: usize,
        pick: usize,
    },
    Say {
        agent: usize,
        pick: usize,
        speech: Speech,
    },
    SayLate {
        agent: usize,
        pick: usize,
        speech: Speech,
    },
    SayAgain {
        agent: usize,
    },
    /// It reports on a task that may never have been its own.
    Meddle {
        agent: usize,
        pick: usize,
        speech: Speech,
    },
    Crash {
        agent: usize,
    },
    Evict {
        agent: usize,
        shutdown: bool,
    },
    Post {
        agent: usize,
    },
    PostAgain {
        pick: usize,
    },
    Delegate {
        agent: usize,
        target: Target,
    },
    /// An agent cancels, or answers, as the asker of a task.
    CallOff {
        agent: usize,
        pick: usize,
    },
    Reply {
        agent: usize,
        pick: usize,
    },
    Assign {
        target: Target,
        keyed: bool,
        after: Option<usize>,
        urgency: u8,
    },
    AssignAgain {
        pick: usize,
    },
    Cancel {
        pick: usize,
    },
    Answer {
        pick: usize,
    },
    Retry {
        pick: usize,
    },
    Requeue {
        pick: usize,
    },
    Approve {
        pick: usize,
    },
    RequestChanges {
        pick: usize,
    },
    Remark {
        pick: usize,
    },
    Prioritise {
        pick: usize,
        urgency: u8,
    },
    Reassign {
        pick: usize,
        target: Target,
    },
    Watch {
        pick: usize,
    },
    /// More calls at once than a mailbox holds.
    Flood {
        agent: usize,
    },
    Restart {
        pick: usize,
    },
    /// A host of agents on call connects: the one of before, or another.
    Host {
        same: bool,
        fresh: bool,
    },
    HostLost,
    /// The wall clock is set; the next life begins there.
    StepClock {
        seconds: i64,
    },
    Kill,
    Cut {
        writes: usize,
        kept: bool,
    },
    End,
    FailNext,
    Fill,
    Mend,
}

/// How much happens before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Gap {
    /// Nothing: the next step races with this one.
    None,
    /// Others get so many turns.
    Turns(usize),
    /// Everything comes to rest.
    Quiet,
    Seconds(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    #[serde(rename = "do")]
    pub(crate) deed: Deed,
    #[serde(rename = "then")]
    pub(crate) gap: Gap,
}

impl Script {
    /// As a file of `regressions/` holds it.
    pub(crate) fn written(&self) -> String {
        let mut lines = vec![serde_json::to_string(self).unwrap()];
        lines.extend(self.steps.iter().map(|step| serde_json::to_string(step).unwrap()));
        lines.join("\n") + "\n"
    }

    /// Reads what [`Script::written`] wrote; lines that begin with `#` say why it is kept.
    pub(crate) fn read(text: &str) -> Result<Self, serde_json::Error> {
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let head: Self = serde_json::from_str(lines.next().unwrap_or_default())?;
        let steps = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Self { steps, ..head })
    }
}

impl Target {
    /// The target as `assign_task` takes it.
    pub(crate) fn who(self) -> &'static str {
        self.0.split('+').next().unwrap_or_default()
    }

    pub(crate) fn capabilities(self) -> impl Iterator<Item = String> {
        self.0.split('+').skip(1).map(str::to_owned)
    }
}

impl Deed {
    /// Its name, for counting.
    pub(crate) fn name(&self) -> String {
        let words = format!("{self:?}");
        words.split(' ').next().unwrap_or_default().to_owned()
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = TARGETS.into_iter().find(|target| *target == text);
        known.map(Self).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no target of the cast")))
    }
}
