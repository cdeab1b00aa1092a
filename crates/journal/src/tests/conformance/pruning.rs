//! Letting go of what is old.

use super::TestStore;
use crate::domain::agent::{AgentRecord, Notice};
use crate::domain::session::question::{LateAnswer, QuestionRecord};
use crate::domain::task::{Task, TaskRecord};
use crate::domain::time::Timestamp;
use crate::inspect::verify_reader;
use crate::samples::*;
use crate::{Append, Blob, PageRequest, Pruned, QuestionFilter, Reader, Seq, TaskFilter, WriteError};

/// A day after dawn: everything up to then is old.
const OLD: u64 = 24 * 60 * 60;

/// Everything that may go.
fn prune_all(bench: &mut impl TestStore, before: Timestamp) -> Pruned {
    let mut all = Pruned::default();
    loop {
        let pruned = bench.store().prune(before, 3).unwrap();
        assert!(pruned.records <= 3 && pruned.tasks <= 3 && pruned.questions <= 3, "{pruned:?}");
        (all.records, all.tasks) = (all.records + pruned.records, all.tasks + pruned.tasks);
        all.questions += pruned.questions;
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
fn cancelled(bench: &mut impl TestStore, n: u32, later: u64) -> Task {
    bench.write(creates(spec(n)));
    let mut task = Task::from_created(at(n.into()), &created(spec(n))).unwrap();
    bench.write(happens(&mut task, at(later), vec![TaskRecord::Cancelled { reason: None }]));
    task
}

pub(super) fn closed_tasks_and_events_that_are_old_go_and_the_rest_comes_to_the_same(mut bench: impl TestStore) {
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

pub(super) fn what_an_open_task_waited_for_stays_until_that_one_closes(mut bench: impl TestStore) {
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

pub(super) fn the_last_record_stays_however_old(mut bench: impl TestStore) {
    bench.write(says(5));
    assert_eq!(prune_all(&mut bench, at(OLD)).records, 4);
    assert_eq!(bench.reader().position().unwrap(), Seq(5));
    let mut bench = bench.reopen();
    assert_eq!(bench.write(says(1)).first, Seq(6));
}

pub(super) fn what_an_agent_has_not_heard_outlives_its_record(mut bench: impl TestStore) {
    bench.write(registers("fullstack-1", 1, at(0)));
    let posted = AgentRecord::NoticePosted { notice: notice(1, "hello") };
    bench.write(Append::new(at(1), by(), vec![agent_entry("fullstack-1", posted)]));
    bench.write(says(1));
    prune_all(&mut bench, at(OLD));
    assert_eq!(bench.reader().records(Seq(0), 10).unwrap().len(), 1);
    assert_eq!(bench.reader().agents().unwrap()[0].notices.len(), 1);
}

pub(super) fn long_texts_go_with_their_task(mut bench: impl TestStore) {
    use crate::domain::task::KeptText;
    let records = task_records();
    bench.write(creates(spec(1)));
    let mut task = Task::from_created(at(1), &created(spec(1))).unwrap();
    bench.write(happens(&mut task, at(2), vec![records[1].clone()]));
    bench.write(happens(&mut task, at(3), vec![records[3].clone()]));
    let completed = |record: &TaskRecord| {
        let TaskRecord::Completed { agent, diff, artifacts, evidence, .. } = record.clone() else { return None };
        Some((agent, diff, artifacts, evidence))
    };
    let (agent, diff, artifacts, evidence) = records.iter().find_map(completed).unwrap();
    let (blob, head) = (blob_id(7), "long".to_owned());
    let message = KeptText::Stored { blob: blob.clone(), head, bytes: 4, digest: "d".to_owned(), sanitized: None };
    let done = TaskRecord::Completed { agent, message, diff, artifacts, evidence, posted_to: None };
    let text = Blob { id: blob.clone(), text: "long".to_owned() };
    bench.write(Append { blobs: vec![text], ..happens(&mut task, at(4), vec![done]) });
    bench.write(says(1));
    assert!(bench.reader().blob(&blob).unwrap().is_some());
    prune_all(&mut bench, at(OLD));
    assert_eq!(bench.reader().blob(&blob).unwrap(), None);
    assert!(bench.reader().tasks(&TaskFilter::default(), &PageRequest::default()).unwrap().items.is_empty());
}

/// The questions that are left, the oldest first.
fn left(bench: &impl TestStore) -> Vec<String> {
    let page = bench.reader().questions(&QuestionFilter::default(), &PageRequest::default()).unwrap();
    page.items.iter().rev().map(|question| question.spec.id.to_string()).collect()
}

fn ids(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    numbers.into_iter().map(|n| question_id(n).to_string()).collect()
}

pub(super) fn answered_questions_go_with_their_last_record(mut bench: impl TestStore) {
    bench.write(registers("fullstack-1", 1, at(0)));
    for n in 1..=12 {
        bench.write(asked_and_answered(n, n.into()));
    }
    // Of the second the agent has yet to hear; the third was answered again when the others were old.
    let unheard = Notice { question_id: Some(question_id(2)), ..notice(1, "Ada answered: old") };
    let posted = AgentRecord::NoticePosted { notice: unheard };
    bench.write(Append::new(at(20), by(), vec![agent_entry("fullstack-1", posted)]));
    let answer = LateAnswer { value: "new".to_owned(), by: ada(), at: at(OLD + 1) };
    let late = QuestionRecord::AnsweredLate { id: question_id(3), answer: Box::new(answer) };
    bench.write(in_question(OLD + 1, vec![late]));
    bench.write(Append { at: at(OLD + 2), ..says(1) });
    // The session remembers the last nine.
    assert_eq!(prune_all(&mut bench, at(OLD)).questions, 1);
    assert_eq!(left(&bench), ids(2..=12));
    let heard = AgentRecord::NoticesHeard { ids: [notice_id(1)].into() };
    bench.write(Append::new(at(OLD + 3), by(), vec![agent_entry("fullstack-1", heard)]));
    assert_eq!(prune_all(&mut bench, at(OLD)).questions, 1);
    assert_eq!(left(&bench), ids(3..=12));
    bench.write(Append { at: at(2 * OLD), ..says(1) });
    assert_eq!(prune_all(&mut bench, at(2 * OLD)).questions, 1, "its late answer is old now, too");
    assert_eq!(left(&bench), ids(4..=12));
    // A question that is open stays however old it is, and so does what follows it.
    let asked = QuestionRecord::Asked { spec: Box::new(question_spec(13)) };
    bench.write(in_question(2 * OLD + 1, vec![asked]));
    bench.write(Append { at: at(3 * OLD), ..says(1) });
    assert_eq!(prune_all(&mut bench, at(3 * OLD)).questions, 1);
    assert_eq!(left(&bench), ids(5..=13));
    let mut bench = bench.reopen();
    assert_eq!(left(&bench), ids(5..=13));
    bench.write(Append { at: at(4 * OLD), ..says(1) });
    sound(bench.reader());
}

pub(super) fn an_answer_to_a_question_that_is_gone_is_not_kept(mut bench: impl TestStore) {
    bench.write(registers("fullstack-1", 1, at(0)));
    for n in 1..=10 {
        bench.write(asked_and_answered(n, n.into()));
    }
    let version = bench.reader().session(&session_id(1)).unwrap().unwrap().version;
    bench.write(Append { at: at(OLD), ..says(1) });
    assert_eq!(prune_all(&mut bench, at(OLD)).questions, 1);
    let answer = |n: u32| {
        let answer = LateAnswer { value: "new".to_owned(), by: ada(), at: at(OLD) };
        let late = QuestionRecord::AnsweredLate { id: question_id(n), answer: Box::new(answer) };
        Append { expects: vec![(session_id(1), version)], ..in_question(OLD, vec![late]) }
    };
    // Whoever read it before it went decided on what is gone: they look again.
    assert_eq!(bench.store().write(&[answer(1)]).remove(0), Err(WriteError::Moved(session_id(1))));
    assert!(bench.store().write(&[answer(2)]).remove(0).is_ok());
    sound(bench.reader());
}
