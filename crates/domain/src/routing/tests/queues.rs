//! Who gets what: the queues against a model that keeps none and looks at every pair, and the rules one by one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::{agent, role};
use crate::ids::{AgentId, TaskId};
use crate::routing::matching::{Candidate, Matching, QueuedTask, serves};
use crate::task::{Priority, RightsSet, Target, TargetWho};
use crate::time::Timestamp;

const AGENTS: [&str; 4] = ["ann", "bob", "cat", "dan"];
const ROLES: [&str; 2] = ["tester", "builder"];
const AGING: Duration = Duration::from_secs(60);
const OFFLINE: Duration = Duration::from_secs(30);

fn task_id(number: usize) -> TaskId {
    TaskId::parse(&format!("task{number:04}")).unwrap()
}

fn at(seconds: u64) -> Timestamp {
    Timestamp(1_000_000 + seconds * 1_000)
}

fn names(given: &[&str]) -> BTreeSet<String> {
    given.iter().map(|name| (*name).to_owned()).collect()
}

fn target(who: TargetWho, capabilities: &[&str]) -> Target {
    Target { who, capabilities: names(capabilities) }
}

fn of_role(number: usize) -> Target {
    target(TargetWho::Role(role(ROLES[number])), &[])
}

fn queued(number: usize, target: Target) -> QueuedTask {
    QueuedTask {
        id: task_id(number),
        target,
        priority: Priority::Normal,
        created_at: at(number as u64),
        excluded: BTreeSet::new(),
        within: RightsSet::All,
        repo: None,
        held_for: None,
    }
}

fn candidate(role_number: usize) -> Candidate {
    Candidate {
        role: role(ROLES[role_number]),
        capabilities: BTreeSet::new(),
        repo: None,
        waiting_since: Some(at(0)),
        last_seen: Some(at(0)),
        only: None,
        reserved: None,
    }
}

/// Only what is for anybody is bounded by its asker's rights: whom they name was looked at when they asked.
fn covers(id: &AgentId, candidate: &Candidate, task: &QueuedTask) -> bool {
    task.target.who != TargetWho::Any || task.within.allows(Some(id), Some(&candidate.role))
}

/// What is so, without any order in it.
#[derive(Debug, Default)]
struct Model {
    candidates: BTreeMap<AgentId, Candidate>,
    queued: BTreeMap<TaskId, QueuedTask>,
    offline: Duration,
}

impl Model {
    fn kept_for_another(&self, now: Timestamp, id: &AgentId, task: &QueuedTask) -> bool {
        task.held_for.as_ref().is_some_and(|(holder, until)| {
            let present = self.candidates.get(holder).is_some_and(|candidate| {
                candidate.waiting_since.is_some() || candidate.last_seen.is_some_and(|seen| seen + self.offline > now)
            });
            holder != id && *until > now && present
        })
    }

    fn fits(&self, now: Timestamp, id: &AgentId, task: &QueuedTask) -> bool {
        let Some(candidate) = self.candidates.get(id) else { return false };
        candidate.waiting_since.is_some()
            && candidate.reserved.is_none()
            && candidate.only.as_ref().is_none_or(|only| *only == task.id)
            && serves(id, candidate, &task.target)
            && !task.excluded.contains(id)
            && covers(id, candidate, task)
            && !self.kept_for_another(now, id, task)
    }

    fn class(now: Timestamp, task: &QueuedTask) -> u8 {
        let aged = now.since(task.created_at) >= AGING;
        task.priority as u8 + u8::from(aged)
    }

    fn task_for(&self, now: Timestamp, id: &AgentId) -> Option<TaskId> {
        let eligible = self.queued.values().filter(|task| self.fits(now, id, task));
        let best = eligible.max_by_key(|task| {
            let kept = task.held_for.as_ref().is_some_and(|(holder, _)| holder == id);
            (Self::class(now, task), kept, Reverse(task.created_at), Reverse(task.id.clone()))
        });
        best.map(|task| task.id.clone())
    }

    fn agent_for(&self, now: Timestamp, task: &QueuedTask) -> Option<AgentId> {
        let eligible = self.candidates.iter().filter(|(id, _)| self.fits(now, id, task));
        let best = eligible.min_by_key(|(id, candidate)| {
            let held = task.held_for.as_ref().is_some_and(|(holder, _)| holder == *id);
            let elsewhere = task.repo.is_none() || candidate.repo != task.repo;
            let spare = candidate.capabilities.len().saturating_sub(task.target.capabilities.len());
            (!held, elsewhere, spare, candidate.waiting_since, (*id).clone())
        });
        best.map(|(id, _)| id.clone())
    }
}

/// Something that happens to the queues.
#[derive(Debug, Clone)]
enum Step {
    Candidate(AgentId, Candidate),
    Unseat(AgentId),
    Unpark(AgentId),
    Enqueue(QueuedTask),
    Dequeue(TaskId),
    Reserve(TaskId, AgentId),
    Release(TaskId, AgentId),
    Retime(Duration),
    TimePasses(u64),
}

fn any_agent() -> impl Strategy<Value = AgentId> {
    prop::sample::select(AGENTS.to_vec()).prop_map(agent)
}

fn any_target() -> impl Strategy<Value = Target> {
    let who = prop_oneof![
        any_agent().prop_map(TargetWho::Agent),
        prop::sample::select(ROLES.to_vec()).prop_map(|id| TargetWho::Role(role(id))),
        Just(TargetWho::Any),
    ];
    (who, prop::sample::subsequence(vec!["a", "b"], 0..=1)).prop_map(|(who, needs)| target(who, &needs))
}

fn any_candidate() -> impl Strategy<Value = Candidate> {
    let role = prop::sample::select(ROLES.to_vec()).prop_map(role);
    let capabilities = prop::sample::subsequence(vec!["a", "b", "c"], 0..=3).prop_map(|given| names(&given));
    let repo = prop::option::of(Just("repo".to_owned()));
    let waits = prop::option::weighted(0.7, (0..20_u64).prop_map(at));
    let seen = prop::option::weighted(0.8, (0..60_u64).prop_map(at));
    let only = prop::option::weighted(0.2, (0..6_usize).prop_map(task_id));
    (role, capabilities, repo, waits, seen, only).prop_map(
        |(role, capabilities, repo, waiting_since, last_seen, only)| Candidate {
            role,
            capabilities,
            repo,
            waiting_since,
            last_seen,
            only,
            reserved: None,
        },
    )
}

fn any_task() -> impl Strategy<Value = QueuedTask> {
    let priority = prop::sample::select(vec![Priority::Normal, Priority::High, Priority::Critical]);
    let excluded = prop::sample::subsequence(AGENTS.to_vec(), 0..=1);
    let held_for = prop::option::of((any_agent(), (0..90_u64).prop_map(at)));
    let repo = prop::option::of(Just("repo".to_owned()));
    let only = prop::sample::subsequence(vec!["ann", "bob", "tester"], 0..=3);
    let within = only.prop_map(|names| RightsSet::Only(names.into_iter().map(str::to_owned).collect()));
    let within = prop_oneof![2 => Just(RightsSet::All), 1 => within];
    (0..6_usize, any_target(), priority, 0..40_u64, excluded, within, repo, held_for).prop_map(
        |(number, target, priority, created, excluded, within, repo, held_for)| QueuedTask {
            id: task_id(number),
            target,
            priority,
            created_at: at(created),
            excluded: excluded.into_iter().map(agent).collect(),
            within,
            repo,
            held_for,
        },
    )
}

fn any_step() -> impl Strategy<Value = Step> {
    let task = (0..6_usize).prop_map(task_id);
    prop_oneof![
        4 => (any_agent(), any_candidate()).prop_map(|(id, candidate)| Step::Candidate(id, candidate)),
        1 => any_agent().prop_map(Step::Unseat),
        1 => any_agent().prop_map(Step::Unpark),
        6 => any_task().prop_map(Step::Enqueue),
        1 => task.clone().prop_map(Step::Dequeue),
        1 => (task.clone(), any_agent()).prop_map(|(task, id)| Step::Reserve(task, id)),
        1 => (task, any_agent()).prop_map(|(task, id)| Step::Release(task, id)),
        1 => (1..60_u64).prop_map(|seconds| Step::Retime(Duration::from_secs(seconds))),
        2 => (1..30_u64).prop_map(Step::TimePasses),
    ]
}

struct Both {
    now: Timestamp,
    real: Matching,
    model: Model,
}

impl Both {
    fn take(&mut self, step: Step) {
        let Self { now, real, model } = self;
        match step {
            Step::Candidate(id, mut candidate) => {
                real.candidate(&id, candidate.clone());
                candidate.reserved = model.candidates.get(&id).and_then(|old| old.reserved.clone());
                model.candidates.insert(id, candidate);
            }
            Step::Unseat(id) => {
                real.remove_candidate(&id);
                model.candidates.remove(&id);
            }
            Step::Unpark(id) => {
                real.unpark(&id);
                model.candidates.entry(id).and_modify(|candidate| candidate.waiting_since = None);
            }
            Step::Enqueue(task) => {
                real.enqueue(task.clone());
                model.queued.insert(task.id.clone(), task);
            }
            Step::Dequeue(id) => {
                real.dequeue(&id);
                model.queued.remove(&id);
            }
            Step::Reserve(task, id) => {
                real.reserve(&task, &id);
                model.queued.remove(&task);
                model.candidates.entry(id).and_modify(|candidate| candidate.reserved = Some(task));
            }
            Step::Release(task, id) => {
                real.release(&task, &id);
                let let_go = |candidate: &mut Candidate| {
                    candidate.reserved = candidate.reserved.take().filter(|kept| *kept != task);
                };
                model.candidates.entry(id).and_modify(let_go);
            }
            Step::Retime(offline) => {
                real.retime(AGING, offline);
                model.offline = offline;
            }
            Step::TimePasses(seconds) => *now = *now + Duration::from_secs(seconds),
        }
    }

    fn agree(&mut self) -> Result<(), TestCaseError> {
        let Self { now, real, model } = self;
        let due: BTreeSet<TaskId> = real.end_holds(*now).into_iter().collect();
        for task in model.queued.values_mut().filter(|task| due.contains(&task.id)) {
            let (holder, _) = task.held_for.take().unwrap();
            prop_assert_eq!(real.queued(&task.id), Some(&*task), "{} kept it", holder);
        }
        prop_assert!(real.next_hold_end().is_none_or(|at| at > *now));
        prop_assert_eq!((real.len(), real.is_empty()), (model.queued.len(), model.queued.is_empty()));
        for name in AGENTS {
            let id = agent(name);
            prop_assert_eq!(real.candidate_of(&id), model.candidates.get(&id));
            prop_assert_eq!(real.task_for(*now, &id), model.task_for(*now, &id), "for {}", name);
        }
        let mut pairs = Vec::new();
        for task in model.queued.values() {
            let found = model.agent_for(*now, task);
            prop_assert_eq!(&real.agent_for(*now, task), &found, "for {}", task.id);
            pairs.extend(found.map(|id| (task.id.clone(), id)));
            let could = |(id, candidate): (&AgentId, &Candidate)| {
                !task.excluded.contains(id) && serves(id, candidate, &task.target) && covers(id, candidate, task)
            };
            prop_assert_eq!(real.reachable(task), model.candidates.iter().any(could));
            let here = model.queued.values().filter(|other| other.target == task.target);
            let rank = |task: &QueuedTask| (Reverse(Model::class(*now, task)), task.created_at, task.id.clone());
            let place = here.filter(|other| rank(other) < rank(task)).count() + 1;
            prop_assert_eq!(real.position(*now, &task.id), Some(place));
            let waiting = model.queued.values().filter(|other| other.target.who == task.target.who).count();
            prop_assert_eq!(real.queued_for(&task.target.who), waiting);
        }
        prop_assert_eq!(real.unmatched_pairs(*now), pairs);
        prop_assert_eq!(real.by_target().values().sum::<usize>(), model.queued.len());
        prop_assert_eq!(real.candidates().count(), model.candidates.len());
        Ok(())
    }
}

proptest! {
    #[test]
    fn the_queues_find_what_a_look_at_every_pair_finds(steps in prop::collection::vec(any_step(), 1..40)) {
        let model = Model { offline: OFFLINE, ..Model::default() };
        let mut both = Both { now: at(40), real: Matching::new(AGING, OFFLINE), model };
        for step in steps {
            both.take(step);
            both.agree()?;
        }
    }
}

#[test]
fn what_is_kept_for_an_agent_goes_before_what_is_older_in_the_same_lane() {
    let mut matching = Matching::new(AGING, OFFLINE);
    matching.candidate(&agent("ann"), candidate(0));
    matching.enqueue(queued(1, of_role(0)));
    matching.enqueue(QueuedTask { held_for: Some((agent("ann"), at(90))), ..queued(2, of_role(0)) });
    assert_eq!(matching.task_for(at(10), &agent("ann")), Some(task_id(2)));
    matching.enqueue(QueuedTask { priority: Priority::High, ..queued(3, of_role(0)) });
    assert_eq!(matching.task_for(at(10), &agent("ann")), Some(task_id(3)), "a higher class goes before it");
}

#[test]
fn a_hold_ends_with_its_time_or_with_its_holder() {
    let held = |until| QueuedTask { held_for: Some((agent("ann"), until)), ..queued(1, of_role(0)) };
    let mut matching = Matching::new(AGING, OFFLINE);
    let silent = Candidate { waiting_since: None, last_seen: Some(at(5)), ..candidate(0) };
    matching.candidate(&agent("ann"), silent.clone());
    matching.enqueue(held(at(20)));
    assert_eq!(matching.next_hold_end(), Some(at(20)));
    matching.enqueue(held(at(90)));
    assert_eq!(matching.next_hold_end(), Some(at(35)), "silent since 5, absent 30 later");
    matching.candidate(&agent("ann"), Candidate { last_seen: Some(at(30)), ..silent.clone() });
    assert_eq!(matching.next_hold_end(), Some(at(60)), "it was heard again");
    matching.candidate(&agent("ann"), candidate(0));
    assert_eq!(matching.next_hold_end(), Some(at(90)), "who waits is there");
    matching.candidate(&agent("ann"), silent);
    matching.retime(AGING, Duration::from_secs(1));
    assert_eq!(matching.next_hold_end(), Some(at(6)));
    assert_eq!(matching.end_holds(at(5)), []);
    assert_eq!(matching.end_holds(at(6)), [task_id(1)]);
    matching.enqueue(held(at(90)));
    matching.remove_candidate(&agent("ann"));
    assert_eq!(matching.end_holds(at(7)), [task_id(1)], "who was sent away is not waited for");
    assert_eq!(matching.next_hold_end(), None);
}

#[test]
fn a_crowd_is_searched_from_the_longest_waiting_and_not_to_its_end() {
    let mut matching = Matching::new(AGING, OFFLINE);
    for number in 0..100 {
        let since = Some(at(number));
        // The last one would be the best by its repository.
        let repo = (number == 99).then(|| "repo".to_owned());
        matching
            .candidate(&agent(&format!("agent-{number}")), Candidate { waiting_since: since, repo, ..candidate(0) });
    }
    let wanted = QueuedTask { repo: Some("repo".to_owned()), ..queued(1, of_role(0)) };
    assert_eq!(matching.agent_for(at(200), &wanted), Some(agent("agent-0")));
}

/// Nothing of what was is left behind: a hub that runs for months grows with what it has, not with what it had.
#[test]
fn what_has_gone_leaves_nothing_behind() {
    let as_new = |matching: &Matching| format!("{matching:?}");
    let mut matching = Matching::new(AGING, OFFLINE);
    let fresh = as_new(&matching);
    for priority in [Priority::Normal, Priority::High, Priority::Critical] {
        matching.candidate(&agent("ann"), candidate(0));
        matching.candidate(&agent("bob"), candidate(0));
        let held_for = Some((agent("ann"), at(90)));
        matching.enqueue(QueuedTask { priority, held_for, ..queued(1, of_role(0)) });
        matching.enqueue(QueuedTask { priority, ..queued(2, of_role(0)) });
        matching.dequeue(&task_id(1));
        matching.dequeue(&task_id(2));
        matching.unpark(&agent("bob"));
        matching.remove_candidate(&agent("ann"));
        matching.remove_candidate(&agent("bob"));
        assert_eq!(as_new(&matching), fresh, "{priority:?}");
    }
}

#[test]
fn an_agent_is_offered_one_task_at_a_time() {
    let mut matching = Matching::new(AGING, OFFLINE);
    matching.candidate(&agent("ann"), candidate(0));
    for number in [1, 2] {
        matching.enqueue(queued(number, of_role(0)));
    }
    matching.reserve(&task_id(1), &agent("ann"));
    assert_eq!(matching.task_for(at(10), &agent("ann")), None, "nobody knows yet what came of the first");
    matching.release(&task_id(2), &agent("ann"));
    assert_eq!(matching.task_for(at(10), &agent("ann")), None, "that was another one");
    matching.release(&task_id(1), &agent("ann"));
    assert_eq!(matching.task_for(at(10), &agent("ann")), Some(task_id(2)));
}

/// At the very moment at which a hold ends, or its holder counts as absent, others may have the task.
#[test]
fn a_hold_is_over_at_its_end_and_not_a_moment_later() {
    let mut matching = Matching::new(AGING, OFFLINE);
    matching.candidate(&agent("ann"), Candidate { waiting_since: None, last_seen: Some(at(5)), ..candidate(0) });
    let held = |until| QueuedTask { held_for: Some((agent("ann"), until)), ..queued(1, of_role(0)) };
    let kept = |now, until| matching.kept_for_another(now, &agent("bob"), &held(until));
    let before = |moment: Timestamp| Timestamp(moment.0 - 1);
    assert!(kept(before(at(20)), at(20)) && !kept(at(20), at(20)));
    assert!(kept(before(at(35)), at(90)) && !kept(at(35), at(90)), "silent since 5, absent 30 later");
    assert!(!matching.kept_for_another(at(10), &agent("ann"), &held(at(20))), "it is her own");
}
