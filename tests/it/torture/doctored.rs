//! The judge bites: what it passes is doctored in each way that it has to see.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::orders::{Kind, Order};
use super::promises::{Promise, Promises, Verdict, events};

type Tasks = BTreeMap<String, Value>;
type Doctor = fn(&mut Promises, &mut Tasks);
type Named = fn(&Verdict) -> &Vec<String>;

/// Ways to break it: what is done, and which list of the verdict has to name it.
const BREAKS: [(&str, Doctor, Named); 14] = [
    ("a task is gone", |promises, tasks| drop(tasks.remove(&of(promises, Kind::Plain))), |it| &it.lost),
    ("a task is another", |promises, tasks| put(promises, tasks, Kind::Plain, "prompt", "other"), |it| &it.lost),
    ("a task hangs", |promises, tasks| put(promises, tasks, Kind::Fails, "state", "ASSIGNED"), |it| &it.stuck),
    ("a failure is none", |promises, tasks| put(promises, tasks, Kind::Fails, "state", "COMPLETED"), |it| &it.lost),
    ("a task is of nobody", |_, tasks| drop(tasks.insert("unasked1".to_owned(), json!({}))), |it| &it.doubled),
    ("a lease is gone", |promises, tasks| task(promises, tasks, Kind::Plain)["attempts"] = json!([]), |it| &it.lost),
    ("a response is another", |promises, tasks| last_attempt(promises, tasks)["message"] = json!("no"), |it| &it.lost),
    ("work is done twice", doubles_the_attempt, |it| &it.doubled),
    ("an end comes twice", |promises, tasks| repeats(promises, tasks, Kind::Plain, "task.completed"), |it| &it.doubled),
    ("an offer comes twice", |promises, tasks| repeats(promises, tasks, Kind::Plain, "task.offered"), |it| &it.doubled),
    (
        "an answer comes twice",
        |promises, tasks| repeats(promises, tasks, Kind::AsksBack, "task.answered"),
        |it| &it.doubled,
    ),
    ("a question is gone", |promises, tasks| forgets(promises, tasks, Kind::AsksBack, "task.blocked"), |it| &it.lost),
    ("a dependency is skipped", begins_too_early, |it| &it.doubled),
    ("a note is unheard", |promises, _| promises.wrote.values_mut().for_each(|it| it.1.push('x')), |it| &it.lost),
];

/// Every break is seen in what was passed.
pub(super) fn each_break_is_seen(promises: &Promises, tasks: &Tasks) {
    for (what, doctor, named_in) in BREAKS {
        let (mut promises, mut tasks) = (promises.clone(), tasks.clone());
        doctor(&mut promises, &mut tasks);
        let verdict = promises.against(&tasks);
        assert!(!named_in(&verdict).is_empty(), "{what}, and nobody sees it: {verdict}");
    }
}

/// A task of this kind that ended as such a task does.
fn of(promises: &Promises, kind: Kind) -> String {
    let its = |(order, _): &&(Order, String)| order.kind == kind;
    promises.asked.values().find(its).unwrap_or_else(|| panic!("no {kind:?} was asked for")).1.clone()
}

fn task<'a>(promises: &Promises, tasks: &'a mut Tasks, kind: Kind) -> &'a mut Value {
    tasks.get_mut(&of(promises, kind)).unwrap()
}

fn put(promises: &Promises, tasks: &mut Tasks, kind: Kind, field: &str, value: &str) {
    task(promises, tasks, kind)[field] = json!(value);
}

fn last_attempt<'a>(promises: &Promises, tasks: &'a mut Tasks) -> &'a mut Value {
    task(promises, tasks, Kind::Plain)["attempts"].as_array_mut().unwrap().last_mut().unwrap()
}

fn doubles_the_attempt(promises: &mut Promises, tasks: &mut Tasks) {
    let attempt = last_attempt(promises, tasks).clone();
    task(promises, tasks, Kind::Plain)["attempts"].as_array_mut().unwrap().push(attempt);
}

fn repeats(promises: &Promises, tasks: &mut Tasks, kind: Kind, event: &str) {
    let task = task(promises, tasks, kind);
    let again = events(task, &[event]).last().unwrap().clone();
    task["history"].as_array_mut().unwrap().push(again);
}

fn forgets(promises: &Promises, tasks: &mut Tasks, kind: Kind, event: &str) {
    task(promises, tasks, kind)["history"].as_array_mut().unwrap().retain(|it| it["type"] != event);
}

fn begins_too_early(promises: &mut Promises, tasks: &mut Tasks) {
    for event in task(promises, tasks, Kind::Waits)["history"].as_array_mut().unwrap() {
        event["seq"] = json!(0);
    }
}

/// A small world in which all went well.
fn all_went_well() -> (Promises, Tasks) {
    let (mut promises, mut tasks) = (Promises::default(), Tasks::new());
    let mut seq = 0;
    for number in 0..7 {
        let order = Order::of("asker-0", number, Some("task0000"));
        let (task, agent, epoch) = (format!("task{number:04}"), "builder-1".to_owned(), 1);
        let state = order.kind.ends()[0].to_owned();
        let asks_back = order.kind == Kind::AsksBack;
        promises.take(Promise::Asked { order: order.clone(), task: task.clone() });
        promises.take(Promise::Offered { task: task.clone(), agent: agent.clone(), epoch });
        promises.take(Promise::Leased { task: task.clone(), agent: agent.clone(), epoch });
        let message = "words".to_owned();
        match state.as_str() {
            "CANCELLED" => promises.take(Promise::CalledOff { task: task.clone() }),
            _ => promises.take(Promise::Ended { task: task.clone(), state: state.clone(), message: message.clone() }),
        }
        if asks_back {
            promises.take(Promise::AskedBack { task: task.clone() });
            promises.take(Promise::Answered { task: task.clone() });
        }
        let last = format!("task.{}", state.to_lowercase());
        let mut kinds = vec!["task.offered"];
        kinds.extend(asks_back.then_some(["task.blocked", "task.answered"]).into_iter().flatten());
        kinds.push(&last);
        let history = kinds.into_iter().map(|kind| {
            seq += 1;
            json!({ "seq": seq, "type": kind, "data": { "leaseEpoch": seq } })
        });
        let history: Vec<Value> = history.collect();
        let attempts = json!([{ "agentId": agent, "epoch": epoch, "message": message, "outcome": "completed" }]);
        let shown = json!({
            "prompt": order.body["prompt"], "state": state, "attempts": attempts, "history": history,
        });
        tasks.insert(task, shown);
    }
    let (to, notice) = ("tester-1".to_owned(), "n_1".to_owned());
    promises.take(Promise::Wrote { key: "note".to_owned(), to: to.clone(), notice: notice.clone() });
    promises.take(Promise::Heard { agent: to, notice });
    (promises, tasks)
}

#[test]
fn what_was_kept_is_clean_and_what_is_broken_is_seen() {
    let (promises, tasks) = all_went_well();
    assert_eq!(promises.against(&tasks), Verdict::default());
    each_break_is_seen(&promises, &tasks);
}

#[test]
fn promises_that_contradict_one_another_are_seen() {
    let (promises, tasks) = all_went_well();
    let task = || "task0000".to_owned();
    let order = || Order::of("asker-0", 0, None);
    let note =
        |notice: &str| Promise::Wrote { key: "note".to_owned(), to: "tester-1".to_owned(), notice: notice.into() };
    let contradictions = [
        Promise::Asked { order: order(), task: "task0001".to_owned() },
        Promise::Offered { task: task(), agent: "builder-2".to_owned(), epoch: 1 },
        Promise::Leased { task: task(), agent: "builder-2".to_owned(), epoch: 1 },
        Promise::Ended { task: task(), state: "COMPLETED".to_owned(), message: "again".to_owned() },
        note("n_2"),
    ];
    for contradiction in contradictions {
        let mut promises = promises.clone();
        promises.take(contradiction.clone());
        assert!(!promises.against(&tasks).doubled.is_empty(), "{contradiction:?}");
    }
    for repeat in [Promise::Asked { order: order(), task: task() }, note("n_1")] {
        let mut promises = promises.clone();
        promises.take(repeat.clone());
        assert!(promises.against(&tasks).is_clean(), "a repeat is no contradiction: {repeat:?}");
    }
    let mut refused = promises;
    refused.take(Promise::Refused { what: "no".to_owned() });
    assert_eq!(refused.against(&tasks).refused.len(), 1);
}
