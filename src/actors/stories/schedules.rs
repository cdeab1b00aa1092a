//! Schedules on stopped time: one task for each moment, over restarts, kills, and a clock that is set.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::hub::{Hub, operator};
use crate::actors::schedules::{ScheduleDone, ScheduleError, ScheduleOrder, ScheduleRequest};
use crate::clock::{FakeMachine, LOOK_EVERY};
use crate::domain::ids::TaskId;
use crate::domain::schedule::{Schedule, ScheduleDraft};
use crate::domain::task::{TaskRecord, TaskSpec, TaskStateName};
use crate::domain::time::Timestamp;
use crate::journal::{Reader as _, Record, Seq};

const MOMENT: Duration = Duration::from_secs(2);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_hours(1);
const NOON: Timestamp = Timestamp(1_796_040_000_000);

impl Hub {
    async fn schedule_order(&self, order: ScheduleOrder) -> Result<ScheduleDone, ScheduleError> {
        let asked = ScheduleRequest { order, by: operator().by, request: None, key: None };
        self.hub.schedules.order(asked).await
    }

    /// Somebody adds a schedule with these fields, whose tasks say their moment.
    async fn schedules(&self, fields: Value) {
        let mut all = json!({"name": "nightly", "target": "role:test-engineer", "prompt": "test at {moment}"});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let draft: ScheduleDraft = serde_json::from_value(all).unwrap();
        let spec = Box::new(draft.parse(Some(self.hub.clock.now())).unwrap());
        self.schedule_order(ScheduleOrder::Add { spec, paused: draft.paused }).await.unwrap();
    }

    async fn schedule(&self) -> Schedule {
        self.hub.schedules.list().await.unwrap().remove(0)
    }

    /// Every task that was ever made, in order.
    fn made(&self) -> Vec<Arc<TaskSpec>> {
        let all = self.reader.records(Seq(0), 100_000).unwrap();
        let made = all.into_iter().filter_map(|kept| {
            let Record::Task(TaskRecord::Created { spec, .. }) = kept.record else { return None };
            Some(spec)
        });
        made.collect()
    }

    /// How often each kind of event of schedules came.
    fn told(&self) -> BTreeMap<&'static str, usize> {
        let mut told = BTreeMap::new();
        for kept in self.reader.records(Seq(0), 100_000).unwrap() {
            let kind = kept.record.kind();
            if kind.family() == "schedule" {
                *told.entry(kind.name.trim_start_matches("schedule.")).or_default() += 1;
            }
        }
        told
    }

    async fn cancels_all(&self) {
        for spec in self.made() {
            if !self.state(&spec.id).await.is_closed() {
                self.cancels(&spec.id).await;
            }
        }
        sleep(MOMENT).await;
    }
}

fn once_each(made: &[Arc<TaskSpec>]) {
    let mut times = BTreeMap::<&str, usize>::new();
    made.iter().for_each(|spec| *times.entry(&spec.prompt).or_default() += 1);
    assert!(times.values().all(|count| *count == 1), "{times:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_moment_makes_one_task_that_says_by_which_schedule_and_for_whom() {
    let hub = Hub::new().await;
    hub.schedules(json!({"every": "10m", "title": "tests of {date}"})).await;
    sleep(10 * MINUTE - MOMENT).await;
    assert!(hub.made().is_empty());
    sleep(2 * MOMENT).await;
    let made = hub.made();
    assert_eq!(made.len(), 1);
    let spec = &made[0];
    assert_eq!((spec.asker.as_str(), spec.depth), ("operator", 0));
    assert_eq!(spec.from.display_name, "the schedule nightly of operator");
    assert!(spec.title.as_ref().unwrap().starts_with("tests of 2027-01-15"), "{spec:?}");
    assert_eq!(hub.told(), BTreeMap::from([("created", 1), ("due", 1), ("fired", 1)]));
    assert_eq!(hub.schedule().await.last.unwrap().task, spec.id);
    hub.is_sound();
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_has_no_credential_any_more_has_no_task_made() {
    let hub = Hub::new().await;
    hub.schedules(json!({"every": "10m"})).await;
    hub.hub.credentials.begin(|_| None);
    sleep(10 * MINUTE + MOMENT).await;
    assert!(hub.made().is_empty());
    assert_eq!(hub.told(), BTreeMap::from([("created", 1), ("due", 1), ("skipped", 1)]));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_moment_that_passed_while_the_hub_was_down_is_told_and_caught_up_as_it_was_asked_for() {
    for (catch_up, tasks) in [("none", 0), ("one", 1), ("all", 6)] {
        let hub = Hub::new().await;
        hub.schedules(json!({"every": "10m", "catchUp": catch_up})).await;
        let hub = hub.dies_for(64 * MINUTE + MINUTE / 2).await;
        sleep(MOMENT).await;
        assert_eq!((hub.made().len(), hub.told()["missed"]), (tasks, 1), "{catch_up}");
        once_each(&hub.made());
        let hub = hub.rests_for(MINUTE).await;
        sleep(MOMENT).await;
        assert_eq!(hub.made().len(), tasks, "{catch_up}: and not again");
        assert_eq!(hub.schedule().await.missed, 6);
        hub.ends().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_single_moment_that_passed_while_the_hub_was_down_is_told() {
    let hub = Hub::new().await;
    let at = (hub.hub.clock.now() + HOUR).to_string();
    hub.schedules(json!({"at": at, "catchUp": "none"})).await;
    let hub = hub.rests_for(2 * HOUR).await;
    sleep(MOMENT).await;
    assert_eq!(hub.told(), BTreeMap::from([("created", 1), ("missed", 1)]));
    let one = hub.schedule().await;
    assert!(one.is_over(hub.hub.clock.now()) && one.last_unused.unwrap().1.contains("missed: 1"));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn while_the_task_before_is_open_the_next_is_skipped_or_waits_for_its_end() {
    let hub = Hub::new().await;
    hub.schedules(json!({"every": "10m"})).await;
    sleep(35 * MINUTE).await;
    assert_eq!((hub.made().len(), hub.told()["skipped"]), (1, 2));
    hub.ends().await;

    let hub = Hub::new().await;
    hub.schedules(json!({"every": "10m", "overlap": "queue"})).await;
    sleep(35 * MINUTE).await;
    assert_eq!((hub.made().len(), hub.schedule().await.due.len()), (1, 2));
    hub.cancels(&hub.made()[0].id).await;
    sleep(MOMENT).await;
    assert_eq!((hub.made().len(), hub.schedule().await.due.len()), (2, 1), "one after the other");
    // Also where it is closed while nobody looks.
    let hub = hub.rests_for(MOMENT).await;
    hub.cancels(&hub.made()[1].id).await;
    sleep(MOMENT).await;
    assert_eq!(hub.made().len(), 3);
    once_each(&hub.made());
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn over_a_hundred_kills_each_moment_makes_one_task() {
    let mut hub = Hub::new().await;
    hub.schedules(json!({"every": "60s", "catchUp": "all"})).await;
    let began = hub.hub.clock.now();
    for kill in 0..100 {
        let next = hub.schedule().await.next().unwrap();
        sleep(next.since(hub.hub.clock.now())).await;
        // At each place of what a moment leads to.
        for _ in 0..kill {
            tokio::task::yield_now().await;
        }
        hub = hub.dies_for(MOMENT).await;
        sleep(MOMENT).await;
        hub.cancels_all().await;
    }
    sleep(10 * MOMENT).await;
    let one = hub.schedule().await;
    let moments = one.cursor.since(began).as_secs() / 60;
    once_each(&hub.made());
    assert_eq!((hub.made().len() as u64, one.fired, one.skipped), (moments, moments, 0));
    hub.is_sound();
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_forward_and_back_makes_no_moment_come_twice() {
    let machine = FakeMachine::showing(NOON);
    let hub = Hub::on(&machine).await;
    hub.schedules(json!({"every": "10m", "overlap": "queue"})).await;
    sleep(10 * MINUTE + MOMENT).await;
    assert_eq!(hub.made().len(), 1);
    hub.cancels_all().await;
    machine.set_forward(3 * HOUR);
    sleep(LOOK_EVERY + MOMENT).await;
    assert_eq!((hub.made().len(), hub.told()["missed"]), (2, 1));
    hub.cancels_all().await;
    machine.set_back(3 * HOUR);
    sleep(HOUR).await;
    let hub = hub.starts_anew_on(&machine).await;
    sleep(HOUR).await;
    hub.cancels_all().await;
    once_each(&hub.made());
    let last = hub.schedule().await.cursor;
    assert!(last > NOON + 3 * HOUR, "it goes on behind what was decided: {last}");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_task_makes_the_next_with_its_result_once_and_a_loop_is_cut() {
    let hub = Hub::new().await;
    let tester = hub.agent("tester-1", "test-engineer").await;
    let again = json!({"after": {"role": "test-engineer"}, "prompt": "{task} said: {result}"});
    hub.schedules(again).await;
    let mut task: TaskId = hub.asks("tester-1", "begin").await.task_id;
    for depth in 1..=4 {
        tester.waits().await;
        tester.acknowledges(&task).await.unwrap();
        tester.completes(&task).await;
        sleep(MOMENT).await;
        let last = hub.made().pop().unwrap();
        if depth == 4 {
            assert_eq!(last.id, task, "no fourth: `limits.delegationDepth`");
            break;
        }
        assert_eq!((last.prompt.as_str(), last.depth), (format!("{task} said: done").as_str(), depth));
        task = last.id.clone();
    }
    let one = hub.schedule().await;
    assert_eq!((one.fired, one.skipped), (3, 1));
    assert!(one.last_unused.unwrap().1.contains("DELEGATION_TOO_DEEP"));
    // What ended before is read again after a restart, and makes nothing again.
    let hub = hub.dies_for(MOMENT).await;
    sleep(MINUTE).await;
    assert_eq!(hub.made().len(), 4);
    hub.is_sound();
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_full_disk_kept_from_being_written_is_made_once_there_is_room() {
    let hub = Hub::new().await;
    hub.schedules(json!({"every": "10m"})).await;
    sleep(9 * MINUTE).await;
    hub.faults.break_down("the disk is full");
    sleep(2 * MINUTE).await;
    assert!(hub.made().is_empty());
    hub.faults.mend();
    sleep(MINUTE).await;
    assert_eq!(hub.made().len(), 1);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_stands_in_the_file_is_there_changed_and_gone_with_it() {
    let hub = Hub::new().await;
    let has = |every: &str| {
        let draft = json!({"name": "triage", "every": every, "target": "role:test-engineer", "prompt": "sort"});
        let draft: ScheduleDraft = serde_json::from_value(draft).unwrap();
        std::sync::Arc::new(BTreeMap::from([("triage".to_owned(), (draft.parse(None).unwrap(), false))]))
    };
    hub.reloads(|settings| settings.schedules = has("10m"));
    sleep(11 * MINUTE).await;
    assert_eq!((hub.made().len(), hub.schedule().await.made_by.as_str()), (1, "hub"));
    let removed = hub.schedule_order(ScheduleOrder::Remove { name: "triage".to_owned() }).await;
    assert_eq!(removed.err(), Some(ScheduleError::InFile("triage".to_owned())));
    let ran = hub.schedule_order(ScheduleOrder::Run { name: "triage".to_owned() }).await.unwrap();
    assert_eq!(hub.state(&ran.task.unwrap()).await, TaskStateName::Queued);
    hub.reloads(|settings| settings.schedules = has("20m"));
    sleep(MOMENT).await;
    assert_eq!(hub.told()["changed"], 1);
    hub.reloads(|settings| settings.schedules = std::sync::Arc::default());
    sleep(MOMENT).await;
    assert_eq!((hub.hub.schedules.list().await.unwrap().len(), hub.told()["removed"]), (0, 1));
    hub.ends().await;
}
