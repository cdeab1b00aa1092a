//! A schedule as people write it, checked.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bad_field::BadField;
use super::moments::{moment, next_of, pattern, zone};
use super::spec::{After, CatchUp, Overlap, ScheduleSpec, Trigger};
use super::{LONGEST, LONGEST_NAME, LONGEST_PROMPT, SHORTEST};
use crate::ids::RoleId;
use crate::task::{Priority, TaskStateName};
use crate::time::{Millis, Timestamp};

/// A schedule: exactly one of `at`, `every`, `cron` and `after` says when.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScheduleDraft {
    /// Its name: 1 to 40 of a to z, 0 to 9 and `-`.
    pub name: String,
    /// Once, at this moment: `2027-01-31T09:00:00+01:00`, or without the distance from UTC beside `timezone`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Again after each span, as `90m` or `24h`: 60 s at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// At the times of a pattern: minute, hour, day of month, month, weekday.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The time zone of `cron` or `at`, as `Europe/Berlin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// When another task ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AfterDraft>,
    /// For whom: an agent's id or display name, `role:<role>`, or `any`.
    pub target: String,
    /// What is to be done. `{schedule}`, `{moment}`, `{date}`, `{time}`, and behind `after` `{task}`, `{title}`,
    /// `{state}` and `{result}` are filled in; `{result?…}` stands only where there is one.
    pub prompt: String,
    /// A line for lists, with the same fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How urgent; normal when left out.
    #[serde(default)]
    pub priority: Priority,
    /// What happens while the task before is open; skipped when left out.
    #[serde(default)]
    pub overlap: Overlap,
    /// What happens to moments that passed while the hub was down; one task for all when left out.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// No moment after this one comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whether it waits until somebody resumes it.
    #[serde(default)]
    pub paused: bool,
}

/// Which tasks are waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AfterDraft {
    /// Tasks of this role; of every role when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The state in which they end: COMPLETED, FAILED, CANCELLED or DEAD_LETTER.
    #[serde(default = "completed")]
    pub state: TaskStateName,
}

const fn completed() -> TaskStateName {
    TaskStateName::Completed
}

impl ScheduleDraft {
    /// Checks all that needs no look at who is there. What lies before `now` never comes; a file has no `now`. The
    /// error is the first field that cannot be taken.
    pub fn parse(&self, now: Option<Timestamp>) -> Result<ScheduleSpec, BadField> {
        self.check_texts()?;
        let trigger = self.trigger()?;
        let until = self.until.as_deref().map(|text| moment(text, self.timezone.as_deref())).transpose();
        let until = until.map_err(|bad| BadField { field: "until", ..bad })?;
        let spec = ScheduleSpec {
            name: self.name.clone(),
            trigger,
            target: self.target.trim().to_owned(),
            prompt: self.prompt.clone(),
            title: self.title.clone(),
            priority: self.priority,
            overlap: self.overlap,
            catch_up: self.catch_up,
            until,
        };
        let Some(now) = now else { return Ok(spec) };
        if matches!(spec.trigger, Trigger::At { at } if at <= now) {
            return Err(BadField::new("at", "has passed: choose a moment that is still to come"));
        }
        let first = spec.trigger.after(now, now).unwrap_or(now);
        if spec.until.is_some_and(|until| until < first) {
            return Err(BadField::new("until", "lies before the first moment: then no task would ever be made"));
        }
        Ok(spec)
    }

    /// The same schedule as it would be written.
    pub fn of(spec: &ScheduleSpec, paused: bool) -> Self {
        let (mut at, mut every, mut cron, mut timezone, mut after) = (None, None, None, None, None);
        match &spec.trigger {
            Trigger::At { at: once } => at = Some(once.to_string()),
            Trigger::Every { every: span } => every = Some(humantime::format_duration(span.span()).to_string()),
            Trigger::Cron { cron: pattern, timezone: zone } => {
                (cron, timezone) = (Some(pattern.clone()), Some(zone.clone()));
            }
            Trigger::After(After { role, state }) => {
                after = Some(AfterDraft { role: role.as_ref().map(ToString::to_string), state: *state });
            }
        }
        Self {
            name: spec.name.clone(),
            at,
            every,
            cron,
            timezone,
            after,
            target: spec.target.clone(),
            prompt: spec.prompt.clone(),
            title: spec.title.clone(),
            priority: spec.priority,
            overlap: spec.overlap,
            catch_up: spec.catch_up,
            until: spec.until.map(|until| until.to_string()),
            paused,
        }
    }

    fn check_texts(&self) -> Result<(), BadField> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.chars().all(fits) {
            return Err(BadField::new("name", format!("a name has 1 to {LONGEST_NAME} of a to z, 0 to 9 and `-`")));
        }
        if self.target.trim().is_empty() {
            return Err(BadField::new("target", "must say for whom: an agent, `role:<role>`, or `any`"));
        }
        if self.prompt.trim().is_empty() {
            return Err(BadField::new("prompt", "must say what is to be done"));
        }
        if self.prompt.len() > LONGEST_PROMPT {
            let said = format!("has {} bytes, and {LONGEST_PROMPT} is the most", self.prompt.len());
            return Err(BadField::new("prompt", said));
        }
        Ok(())
    }

    fn trigger(&self) -> Result<Trigger, BadField> {
        let given = [self.at.is_some(), self.every.is_some(), self.cron.is_some(), self.after.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            return Err(BadField::new("at", "give exactly one of `at`, `every`, `cron` and `after`"));
        }
        if self.timezone.is_some() && self.at.is_none() && self.cron.is_none() {
            return Err(BadField::new("timezone", "belongs to `cron` or `at`: leave it out"));
        }
        if let Some(at) = &self.at {
            return moment(at, self.timezone.as_deref()).map(|at| Trigger::At { at });
        }
        if let Some(every) = &self.every {
            return span(every).map(|span| Trigger::Every { every: Millis::from(span) });
        }
        if let Some(cron) = &self.cron {
            let cron = cron.split_whitespace().collect::<Vec<_>>().join(" ");
            let Some(timezone) = self.timezone.clone() else {
                return Err(BadField::new("timezone", "belongs to `cron`: give a name as `Europe/Berlin` or `UTC`"));
            };
            // From the same moment whenever it is asked: some day fits within the next years, or none ever does.
            if next_of(&pattern(&cron)?, &zone(&timezone)?, Timestamp(0)).is_none() {
                return Err(BadField::new("cron", "never comes: no month has that day, as 30 February"));
            }
            return Ok(Trigger::Cron { cron, timezone });
        }
        let Some(AfterDraft { role, state }) = &self.after else {
            return Err(BadField::new("at", "give exactly one of `at`, `every`, `cron` and `after`"));
        };
        if !state.is_closed() {
            let said = format!("`{state}` is no end of a task: give COMPLETED, FAILED, CANCELLED or DEAD_LETTER");
            return Err(BadField::new("after", said));
        }
        let role = role.as_ref().map(|role| RoleId::parse(role.strip_prefix("role:").unwrap_or(role))).transpose();
        let role = role.map_err(|error| BadField::new("after", error.to_string()))?;
        Ok(Trigger::After(After { role, state: *state }))
    }
}

fn span(text: &str) -> Result<Duration, BadField> {
    let span = humantime::parse_duration(text)
        .map_err(|_| BadField::new("every", "is no span: write it as `15m`, `24h` or `7days`"))?;
    if span < SHORTEST {
        return Err(BadField::new("every", format!("{} s is the smallest span", SHORTEST.as_secs())));
    }
    if span > LONGEST {
        return Err(BadField::new("every", "366 days is the longest span: use `cron` with a date"));
    }
    Ok(span)
}
