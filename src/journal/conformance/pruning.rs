//! Letting go of what is old.

use super::Bench;
use crate::domain::task::{Task, TaskRecord};
use crate::domain::time::Timestamp;
use crate::journal::inspect::verify_reader;
use crate::journal::samples::*;
use crate::journal::{Append, Blob, PageRequest, Pruned, Reader, Seq, TaskFilter};

/// A day after dawn: everything up to then is old.
const OLD: u64 = 24 * 60 * 60;

/// Everything that may go.
fn prune_all(bench: &mut impl Bench, before: Timestamp) -> Pruned {
    let mut all = Pruned::default();
    loop {
        let pruned = bench.store().prune(before, 3).unwrap();
        assert!(pruned.records <= 3 && pruned.tasks <= 3, "{pruned:?}");
        (all.records, all.tasks) = (all.records + pruned.records, all.tasks + pruned.tasks);
        sound(bench.reader());
        if !pruned.more {
            return all;
        }
    }
}

fn sound(reader: &dyn Reader) {
    let report = verify_reader(reader, |_, _| ()).unwrap();
    assert_eq!(report.findings, [], "J1 holds after each batch");
}

/// A task that is created, and cancelled `later` seconds after dawn.
fn cancelled(bench: &mut impl Bench, n: u32, later: u64) -> Task {
    bench.write(creates(spec(n)));
    let mut task = Task::from_created(at(n.into()), &created(spec(n))).unwrap();
    bench.write(happens(&mut task, at(later), vec![TaskRecord::Cancelled { reason: None }]));
    task
}

pub(super) fn closed_tasks_and_events_that_are_old_go_and_the_rest_comes_to_the_same(mut bench: impl Bench) {
    bench.write(registers("fullstack-1", 1, at(0)));
    cancelled(&mut bench, 1, 60);
    bench.write(creates(spec(2)));
    cancelled(&mut bench, 3, OLD + 60);
    bench.write(Append { at: at(OLD + 61), ..says(1) });
    let before = bench.reader().open_tasks().unwrap();
    let last = bench.reader().position().unwrap();
    let kept: Vec<_> = bench.reader().records(Seq(0), 100).unwrap().into_iter().map(|kept| kept.seq).collect();
    let old = kept.iter().filter(|seq| seq.0 < last.0 - 1).count();
    let pruned = prune_all(&mut bench, at(OLD));
    assert_eq!((pruned.records, pruned.tasks), (old, 1));
    let left = |bench: &dyn Reader| -> Vec<u64> {
        bench.records(Seq(0), 100).unwrap().into_iter().map(|kept| kept.seq.0).collect()
    };
    assert_eq!(left(bench.reader()), [last.0 - 1, last.0], "gapless from the oldest kept one");
    assert_eq!(bench.reader().base().unwrap().position(), Seq(last.0 - 2));
    assert_eq!(bench.reader().report().unwrap().horizon, Seq(last.0 - 2));
    assert_eq!(bench.reader().task(&task_id(1)).unwrap(), None);
    assert!(bench.reader().task(&task_id(3)).unwrap().is_some(), "it has a record that is not old");
    assert_eq!(bench.reader().open_tasks().unwrap(), before);
    assert_eq!(bench.found(&TaskFilter::default()), [3, 2]);
    let mut bench = bench.reopen();
    assert_eq!(bench.write(says(1)).first, last.next(), "numbers go on");
    sound(bench.reader());
}

pub(super) fn what_an_open_task_waited_for_stays_until_that_one_closes(mut bench: impl Bench) {
    cancelled(&mut bench, 1, 60);
    let mut waiting = spec(2);
    waiting.dependencies = vec![task_id(1)];
    bench.write(creates(waiting.clone()));
    bench.write(says(1));
    prune_all(&mut bench, at(OLD));
    assert!(bench.reader().task(&task_id(1)).unwrap().is_some());
    let mut task = Task::from_created(at(2), &created(waiting)).unwrap();
    bench.write(happens(&mut task, at(OLD + 1), vec![TaskRecord::Cancelled { reason: None }]));
    prune_all(&mut bench, at(OLD));
    assert_eq!(bench.reader().task(&task_id(1)).unwrap(), None);
    assert!(bench.reader().task(&task_id(2)).unwrap().is_some());
}

pub(super) fn the_last_record_stays_however_old(mut bench: impl Bench) {
    bench.write(says(5));
    assert_eq!(prune_all(&mut bench, at(OLD)).records, 4);
    assert_eq!(bench.reader().position().unwrap(), Seq(5));
    let mut bench = bench.reopen();
    assert_eq!(bench.write(says(1)).first, Seq(6));
}

pub(super) fn what_an_agent_has_not_heard_outlives_its_record(mut bench: impl Bench) {
    use crate::domain::agent::AgentRecord;
    bench.write(registers("fullstack-1", 1, at(0)));
    let posted = AgentRecord::NoticePosted { notice: notice(1, "hello") };
    bench.write(Append::new(at(1), by(), vec![agent_entry("fullstack-1", posted)]));
    bench.write(says(1));
    prune_all(&mut bench, at(OLD));
    assert_eq!(bench.reader().records(Seq(0), 10).unwrap().len(), 1);
    assert_eq!(bench.reader().agents().unwrap()[0].notices.len(), 1);
}

pub(super) fn long_texts_go_with_their_task(mut bench: impl Bench) {
    use crate::domain::task::KeptText;
    let records = task_records();
    bench.write(creates(spec(1)));
    let mut task = Task::from_created(at(1), &created(spec(1))).unwrap();
    bench.write(happens(&mut task, at(2), vec![records[1].clone()]));
    bench.write(happens(&mut task, at(3), vec![records[3].clone()]));
    let TaskRecord::Completed { agent, diff, artifacts, evidence, .. } = records[6].clone() else {
        panic!("the seventh sample is a completion")
    };
    let (blob, head) = (blob_id(7), "long".to_owned());
    let message = KeptText::Stored { blob: blob.clone(), head, bytes: 4, digest: "d".to_owned() };
    let done = TaskRecord::Completed { agent, message, diff, artifacts, evidence };
    let text = Blob { id: blob.clone(), text: "long".to_owned() };
    bench.write(Append { blobs: vec![text], ..happens(&mut task, at(4), vec![done]) });
    bench.write(says(1));
    assert!(bench.reader().blob(&blob).unwrap().is_some());
    prune_all(&mut bench, at(OLD));
    assert_eq!(bench.reader().blob(&blob).unwrap(), None);
    assert!(bench.reader().tasks(&TaskFilter::default(), &PageRequest::default()).unwrap().items.is_empty());
}
