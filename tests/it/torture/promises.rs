//! What clients were told with success, held against what the hub shows at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::orders::Order;

/// Something that a client was told.
#[derive(Debug, Clone)]
pub(super) enum Promise {
    /// The order is that task.
    Asked { order: Order, task: String },
    /// The task was handed to an agent.
    Offered { task: String, agent: String, epoch: u64 },
    /// The agent has the task, and nobody else.
    Leased { task: String, agent: String, epoch: u64 },
    /// The question is recorded.
    AskedBack { task: String },
    /// The answer is recorded.
    Answered { task: String },
    /// The response is recorded.
    Ended { task: String, state: String, message: String },
    /// The task is called off.
    CalledOff { task: String },
    /// The note under this key will be heard.
    Wrote { key: String, to: String, notice: String },
    /// The agent heard this.
    Heard { agent: String, notice: String },
    /// A no that no client deserved.
    Refused { what: String },
}

/// All that was promised.
#[derive(Debug, Default, Clone)]
pub(super) struct Promises {
    pub(super) count: usize,
    /// Orders and their tasks, by key.
    pub(super) asked: BTreeMap<String, (Order, String)>,
    /// Who was handed what, by task and number.
    offered: BTreeMap<(String, u64), String>,
    /// Who had what, by task and number.
    leased: BTreeMap<(String, u64), String>,
    asked_back: BTreeMap<String, usize>,
    answered: BTreeMap<String, usize>,
    ended: BTreeMap<String, (String, String)>,
    called_off: BTreeSet<String>,
    pub(super) wrote: BTreeMap<String, (String, String)>,
    heard: BTreeSet<(String, String)>,
    broken: Verdict,
}

/// What was broken, each in a sentence.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) lost: Vec<String>,
    pub(super) doubled: Vec<String>,
    pub(super) stuck: Vec<String>,
    pub(super) refused: Vec<String>,
}

impl Verdict {
    pub(super) fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lost, doubled, stuck, refused } = self;
        let (lost, doubled, stuck, refused) = (lost.len(), doubled.len(), stuck.len(), refused.len());
        write!(f, "{lost} lost, {doubled} doubled, {stuck} stuck, {refused} refused")
    }
}

impl Promises {
    /// Notes one down. Two that contradict one another are broken at once.
    pub(super) fn take(&mut self, promise: Promise) {
        self.count += 1;
        let doubled = &mut self.broken.doubled;
        match promise {
            Promise::Asked { order, task } => {
                let (key, now) = (order.key.clone(), task.clone());
                if let Some((_, first)) = self.asked.insert(key.clone(), (order, task)).filter(|(_, it)| *it != now) {
                    doubled.push(format!("key `{key}` is `{first}` and `{now}`"));
                }
            }
            Promise::Offered { task, agent, epoch } => {
                let other = self.offered.insert((task.clone(), epoch), agent.clone());
                if let Some(other) = other.filter(|other| *other != agent) {
                    doubled.push(format!("offer {epoch} of `{task}` went to `{other}` and `{agent}`"));
                }
            }
            Promise::Leased { task, agent, epoch } => {
                let other = self.leased.insert((task.clone(), epoch), agent.clone());
                if let Some(other) = other.filter(|other| *other != agent) {
                    doubled.push(format!("lease {epoch} of `{task}` is `{other}`s and `{agent}`s"));
                }
            }
            Promise::AskedBack { task } => *self.asked_back.entry(task).or_default() += 1,
            Promise::Answered { task } => *self.answered.entry(task).or_default() += 1,
            Promise::Ended { task, state, message } => {
                if self.ended.insert(task.clone(), (state, message)).is_some() {
                    doubled.push(format!("`{task}` ended twice"));
                }
            }
            Promise::CalledOff { task } => drop(self.called_off.insert(task)),
            Promise::Wrote { key, to, notice } => {
                let note = (to, notice);
                if let Some(other) = self.wrote.insert(key.clone(), note.clone()).filter(|other| *other != note) {
                    doubled.push(format!("note `{key}` is {other:?} and {note:?}"));
                }
            }
            Promise::Heard { agent, notice } => drop(self.heard.insert((agent, notice))),
            Promise::Refused { what } => self.broken.refused.push(what),
        }
    }

    /// Holds them against the tasks, as the hub shows each with its history.
    pub(super) fn against(&self, tasks: &BTreeMap<String, Value>) -> Verdict {
        let mut verdict = self.broken.clone();
        let known: BTreeSet<&String> = self.asked.values().map(|(_, task)| task).collect();
        let unasked = tasks.keys().filter(|task| !known.contains(task));
        verdict.doubled.extend(unasked.map(|task| format!("nobody knows `{task}`: an order was taken twice")));
        for (key, (order, task)) in &self.asked {
            match tasks.get(task) {
                None => verdict.lost.push(format!("`{task}` of key `{key}` is gone")),
                Some(shown) if shown["prompt"] != order.body["prompt"] => {
                    verdict.lost.push(format!("`{task}` of key `{key}` is another order"));
                }
                Some(shown) => self.task_against(task, order, shown, tasks, &mut verdict),
            }
        }
        for (key, (to, notice)) in &self.wrote {
            if !self.heard.contains(&(to.clone(), notice.clone())) {
                verdict.lost.push(format!("`{to}` never heard note `{key}`"));
            }
        }
        verdict
    }

    fn task_against(
        &self,
        task: &str,
        order: &Order,
        shown: &Value,
        tasks: &BTreeMap<String, Value>,
        verdict: &mut Verdict,
    ) {
        let state = shown["state"].as_str().unwrap_or_default();
        if !["COMPLETED", "FAILED", "CANCELLED"].contains(&state) {
            verdict.stuck.push(format!("`{task}`, {:?}, is {state}: {shown}", order.kind));
        } else if !order.kind.ends().contains(&state) {
            verdict.lost.push(format!("`{task}`, {:?}, is {state}", order.kind));
        }
        let attempts = list(shown, "attempts");
        let its = (task.to_owned(), 0)..=(task.to_owned(), u64::MAX);
        for ((_, epoch), agent) in self.leased.range(its) {
            if !attempts.iter().any(|it| it["agentId"] == **agent && it["epoch"] == *epoch) {
                verdict.lost.push(format!("the lease {epoch} of `{agent}` on `{task}` is gone"));
            }
        }
        let worked = attempts.iter().filter(|it| it["outcome"] != "blocked").count();
        if worked > 1 {
            verdict.doubled.push(format!("`{task}` was worked on {worked} times"));
        }
        if let Some((told, message)) = self.ended.get(task)
            && (state != told || attempts.last().is_none_or(|it| it["message"] != **message))
        {
            verdict.lost.push(format!("the response `{message}` to `{task}` is gone"));
        }
        if self.called_off.contains(task) && state != "CANCELLED" {
            verdict.lost.push(format!("`{task}` was called off and is {state}"));
        }
        self.history_against(task, order, shown, tasks, verdict);
    }

    fn history_against(
        &self,
        task: &str,
        order: &Order,
        shown: &Value,
        tasks: &BTreeMap<String, Value>,
        verdict: &mut Verdict,
    ) {
        let count = |kinds: &[&str]| events(shown, kinds).count();
        let ends = count(&["task.completed", "task.failed", "task.cancelled"]);
        if ends > 1 {
            verdict.doubled.push(format!("`{task}` ended {ends} times"));
        }
        for (kind, told) in [("task.blocked", &self.asked_back), ("task.answered", &self.answered)] {
            let (kept, told) = (count(&[kind]), told.get(task).copied().unwrap_or_default());
            if kept < told {
                verdict.lost.push(format!("{told} times `{kind}` of `{task}` were recorded, and {kept} are kept"));
            }
        }
        if count(&["task.answered"]) > count(&["task.blocked"]) {
            verdict.doubled.push(format!("`{task}` was answered more often than it asked"));
        }
        let epochs: Vec<u64> =
            events(shown, &["task.offered"]).filter_map(|it| it["data"]["leaseEpoch"].as_u64()).collect();
        let called_off = shown["state"] == "CANCELLED";
        if (epochs.is_empty() && !called_off) || !epochs.is_sorted_by(|one, next| one < next) {
            verdict.doubled.push(format!("the offers of `{task}` do not rise: {epochs:?}"));
        }
        if let Some(first) = order.waits_for() {
            let done = tasks.get(first).and_then(|first| events(first, &["task.completed"]).next());
            let done = done.and_then(|it| it["seq"].as_u64()).unwrap_or(u64::MAX);
            let began = events(shown, &["task.offered"]).filter_map(|it| it["seq"].as_u64()).min();
            if began.is_some_and(|began| began < done) {
                verdict.doubled.push(format!("`{task}` was offered before `{first}` was done"));
            }
        }
    }
}

fn list<'a>(shown: &'a Value, field: &str) -> &'a [Value] {
    shown[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Entries of a history that are of one of these kinds, oldest first.
pub(super) fn events<'a>(shown: &'a Value, kinds: &'a [&'a str]) -> impl Iterator<Item = &'a Value> {
    list(shown, "history").iter().filter(move |it| kinds.iter().any(|kind| it["type"] == *kind))
}
