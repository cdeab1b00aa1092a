//! What clients were told with success, held against what the hub shows at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

/// Something that a client was told.
#[derive(Debug, Clone)]
pub(super) enum Promise {
    /// The order under this key is that task.
    Asked { key: String, task: String },
    /// The task was handed to an agent.
    Offered { task: String, agent: String, epoch: u64 },
    /// The agent has the task, and nobody else.
    Leased { task: String, agent: String, epoch: u64 },
    /// The response is recorded.
    Ended { task: String, state: String, message: String },
    /// A no that no client deserved.
    Refused { what: String },
}

/// All that was promised.
#[derive(Debug, Default)]
pub(super) struct Promises {
    pub(super) count: usize,
    /// Tasks by key.
    pub(super) asked: BTreeMap<String, String>,
    /// Who was handed what, by task and number.
    offered: BTreeMap<(String, u64), String>,
    leased: BTreeMap<String, (String, u64)>,
    ended: BTreeMap<String, (String, String)>,
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
            Promise::Asked { key, task } => {
                if let Some(first) = self.asked.insert(key.clone(), task.clone()).filter(|first| *first != task) {
                    doubled.push(format!("key `{key}` is `{first}` and `{task}`"));
                }
            }
            Promise::Offered { task, agent, epoch } => {
                let other = self.offered.insert((task.clone(), epoch), agent.clone());
                if let Some(other) = other.filter(|other| *other != agent) {
                    doubled.push(format!("offer {epoch} of `{task}` went to `{other}` and `{agent}`"));
                }
            }
            Promise::Leased { task, agent, epoch } => {
                let lease = (agent, epoch);
                if let Some(other) = self.leased.insert(task.clone(), lease.clone()).filter(|other| *other != lease) {
                    doubled.push(format!("`{task}` is leased as {other:?} and as {lease:?}"));
                }
            }
            Promise::Ended { task, state, message } => {
                if self.ended.insert(task.clone(), (state, message)).is_some() {
                    doubled.push(format!("`{task}` ended twice"));
                }
            }
            Promise::Refused { what } => self.broken.refused.push(what),
        }
    }

    /// Holds them against the tasks, as the hub shows each with its history.
    pub(super) fn against(&self, tasks: &BTreeMap<String, Value>) -> Verdict {
        let mut verdict = self.broken.clone();
        let known: BTreeSet<&String> = self.asked.values().collect();
        let unasked = tasks.keys().filter(|task| !known.contains(task));
        verdict.doubled.extend(unasked.map(|task| format!("nobody knows `{task}`: an order was taken twice")));
        for (key, task) in &self.asked {
            match tasks.get(task) {
                None => verdict.lost.push(format!("`{task}` of key `{key}` is gone")),
                Some(shown) if shown["prompt"] != format!("do {key}") => {
                    verdict.lost.push(format!("`{task}` of key `{key}` is another order"));
                }
                Some(shown) => self.task_against(task, shown, &mut verdict),
            }
        }
        verdict
    }

    fn task_against(&self, task: &str, shown: &Value, verdict: &mut Verdict) {
        let state = shown["state"].as_str().unwrap_or_default();
        if !["COMPLETED", "FAILED"].contains(&state) {
            verdict.stuck.push(format!("`{task}` is {state}"));
        }
        let attempts = shown["attempts"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some((agent, epoch)) = self.leased.get(task)
            && !attempts.iter().any(|it| it["agentId"] == **agent && it["epoch"] == *epoch)
        {
            verdict.lost.push(format!("the lease {epoch} of `{agent}` on `{task}` is gone"));
        }
        if attempts.len() > 1 {
            verdict.doubled.push(format!("`{task}` was worked on {} times", attempts.len()));
        }
        if let Some((told, message)) = self.ended.get(task)
            && (state != told || attempts.last().is_none_or(|it| it["message"] != **message))
        {
            verdict.lost.push(format!("the response `{message}` to `{task}` is gone"));
        }
        let history = shown["history"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ends = ["task.completed", "task.failed"];
        let ends = history.iter().filter(|it| ends.iter().any(|end| it["type"] == *end)).count();
        if ends > 1 {
            verdict.doubled.push(format!("`{task}` has {ends} responses"));
        }
        let offers = history.iter().filter(|it| it["type"] == "task.offered");
        let epochs: Vec<u64> = offers.filter_map(|it| it["data"]["leaseEpoch"].as_u64()).collect();
        if epochs.is_empty() || !epochs.is_sorted_by(|one, next| one < next) {
            verdict.doubled.push(format!("the offers of `{task}` do not rise: {epochs:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn promised() -> Promises {
        let mut promises = Promises::default();
        let (task, agent) = ("t".to_owned(), "worker-1".to_owned());
        promises.take(Promise::Asked { key: "k".to_owned(), task: task.clone() });
        promises.take(Promise::Offered { task: task.clone(), agent: agent.clone(), epoch: 2 });
        promises.take(Promise::Leased { task: task.clone(), agent, epoch: 2 });
        promises.take(Promise::Ended { task, state: "COMPLETED".to_owned(), message: "done".to_owned() });
        promises
    }

    fn shown() -> Value {
        let offered = |epoch: u64| json!({ "type": "task.offered", "data": { "leaseEpoch": epoch } });
        json!({
            "prompt": "do k", "state": "COMPLETED",
            "attempts": [{ "agentId": "worker-1", "epoch": 2, "message": "done" }],
            "history": [offered(1), offered(2), { "type": "task.completed", "data": {} }],
        })
    }

    fn verdict(promises: &Promises, shown: Value) -> Verdict {
        promises.against(&BTreeMap::from([("t".to_owned(), shown)]))
    }

    #[test]
    fn what_was_kept_is_clean() {
        assert_eq!(verdict(&promised(), shown()), Verdict::default());
    }

    #[test]
    fn what_is_lost_doubled_or_stuck_is_seen() {
        let with = |change: fn(&mut Value)| {
            let mut changed = shown();
            change(&mut changed);
            verdict(&promised(), changed)
        };
        assert_eq!(promised().against(&BTreeMap::new()).lost.len(), 1);
        assert_eq!(with(|task| task["prompt"] = json!("do another")).lost.len(), 1);
        assert_eq!(with(|task| task["attempts"][0]["message"] = json!("other")).lost.len(), 1);
        assert_eq!(with(|task| task["attempts"] = json!([])).lost.len(), 2);
        assert_eq!(with(|task| task["state"] = json!("IN_PROGRESS")).stuck.len(), 1);
        assert_eq!(with(|task| task["history"][1] = task["history"][0].clone()).doubled.len(), 1);
        assert_eq!(with(|task| task["history"][1] = task["history"][2].clone()).doubled.len(), 1);
        assert_eq!(with(|task| task["attempts"] = json!([task["attempts"][0], task["attempts"][0]])).doubled.len(), 1);
    }

    #[test]
    fn promises_that_contradict_one_another_are_seen() {
        let mut promises = promised();
        let (task, other) = (|| "t".to_owned(), || "worker-2".to_owned());
        promises.take(Promise::Asked { key: "k".to_owned(), task: task() });
        assert!(verdict(&promises, shown()).is_clean(), "the same key for the same task is no contradiction");
        promises.take(Promise::Offered { task: task(), agent: other(), epoch: 2 });
        promises.take(Promise::Leased { task: task(), agent: other(), epoch: 3 });
        assert_eq!(promises.broken.doubled.len(), 2);
        promises.take(Promise::Asked { key: "k".to_owned(), task: "u".to_owned() });
        promises.take(Promise::Refused { what: "no".to_owned() });
        let broken = verdict(&promises, shown());
        assert!(broken.doubled.len() >= 3 && broken.refused.len() == 1 && broken.lost.len() == 1, "{broken:?}");
    }
}
