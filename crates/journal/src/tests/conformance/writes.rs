//! What a batch leaves behind, and what it does not.

use std::collections::{BTreeMap, BTreeSet};

use super::TestStore;
use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::task::TaskRecord;
use crate::samples::*;
use crate::{Append, Blob, HubRecord, PageRequest, Reader, Record, Row, Seq, Store, TaskFilter, WriteError, Written};

pub(super) fn numbers_follow_one_another_and_name_their_cause(mut bench: impl TestStore) {
    assert_eq!(bench.reader().position().unwrap(), Seq(0));
    let written = bench.store().write(&[says(2), says(1), says(3)]);
    let written: Vec<Written> = written.into_iter().map(Result::unwrap).collect();
    let of = |first, last| Written { first: Seq(first), last: Seq(last) };
    assert_eq!(written, [of(1, 2), of(3, 3), of(4, 6)]);
    assert_eq!(bench.write(says(1)), of(7, 7));
    assert_eq!((bench.store().position(), bench.reader().position().unwrap()), (Seq(7), Seq(7)));
    let kept = bench.reader().records(Seq(0), 100).unwrap();
    assert_eq!(kept.iter().map(|kept| kept.seq.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    let causes: Vec<_> = kept.iter().map(|kept| kept.cause.map(|seq| seq.0)).collect();
    assert_eq!(causes, [None, Some(1), None, None, Some(4), Some(4), None]);
}

pub(super) fn a_failed_batch_leaves_nothing_and_gives_its_numbers_back(mut bench: impl TestStore) {
    bench.write(creates(spec(1)));
    bench.break_disk();
    let blob = Blob { id: blob_id(1), text: "long".to_owned() };
    let answers = bench.store().write(&[Append { blobs: vec![blob], ..creates(spec(2)) }, says(1)]);
    assert!(answers.iter().all(|answer| matches!(answer, Err(WriteError::Fault(_)))), "{answers:?}");
    assert_eq!(bench.reader().position().unwrap(), Seq(1));
    assert_eq!(bench.reader().task(&task_id(2)).unwrap(), None);
    assert_eq!(bench.reader().blob(&blob_id(1)).unwrap(), None);
    bench.mend_disk();
    assert_eq!(bench.write(says(1)).first, Seq(2));
}

pub(super) fn rows_alone_take_no_number(mut bench: impl TestStore) {
    bench.write(says(3));
    let rows = Append { entries: Vec::new(), ..creates(spec(1)) };
    assert_eq!(bench.write(rows), Written { first: Seq(4), last: Seq(3) });
    assert!(bench.reader().task(&task_id(1)).unwrap().is_some());
    assert_eq!(bench.write(says(1)).first, Seq(4));
}

pub(super) fn a_row_takes_the_place_of_the_one_before(mut bench: impl TestStore) {
    bench.write(creates(spec(1)));
    let mut task = bench.reader().task(&task_id(1)).unwrap().unwrap();
    bench.write(happens(&mut task, at(9), vec![TaskRecord::Cancelled { reason: None }]));
    assert_eq!(bench.reader().task(&task_id(1)).unwrap(), Some(task.clone()));
    assert_eq!(bench.found(&TaskFilter::default()), [1]);
    bench.write(registers("fullstack-1", 1, at(1)));
    bench.write(registers("fullstack-1", 2, at(2)));
    let agents = bench.reader().agents().unwrap();
    assert_eq!(agents.len(), 1);
    assert_eq!(agents[0].registration.as_ref().unwrap().session, session_id(2));
    assert_eq!(bench.reader().sessions().unwrap().len(), 2);
    assert_eq!(bench.reader().session(&session_id(2)).unwrap().unwrap().opened_at, at(2));
}

pub(super) fn notices_stay_until_they_are_heard(mut bench: impl TestStore) {
    bench.write(registers("fullstack-1", 1, at(0)));
    let mut live = bench.reader().agent(&agent_id("fullstack-1")).unwrap().unwrap();
    let mut tell = |bench: &mut dyn Store, at, record: AgentRecord| {
        live.apply(at, &record);
        bench.write(&[Append::new(at, by(), vec![agent_entry("fullstack-1", record)])]).remove(0).unwrap();
        live.clone()
    };
    for n in [2, 1, 3] {
        tell(bench.store(), at(n.into()), AgentRecord::NoticePosted { notice: notice(n, &format!("notice {n}")) });
    }
    let live =
        tell(bench.store(), at(9), AgentRecord::NoticesHeard { ids: BTreeSet::from([notice_id(1), notice_id(7)]) });
    let kept = bench.reader().agent(&agent_id("fullstack-1")).unwrap().unwrap();
    assert_eq!(kept, live, "a row with its notices is the agent as it lives");
    assert_eq!(kept.notices.keys().cloned().collect::<Vec<_>>(), [notice_id(2), notice_id(3)]);
    // A row does not bring notices along, and does not take them away.
    let row = Row::Agent(Box::new(Agent { notices: BTreeMap::new(), ..kept.clone() }));
    bench.write(Append { rows: vec![row], ..Append::new(at(9), by(), Vec::new()) });
    assert_eq!(bench.reader().agents().unwrap(), [kept]);
}

pub(super) fn a_notice_for_a_stranger_waits_for_them(mut bench: impl TestStore) {
    let posted = AgentRecord::NoticePosted { notice: notice(1, "hello") };
    let mut live = Agent::unknown(agent_id("newcomer"));
    live.apply(at(3), &posted);
    bench.write(Append::new(at(3), by(), vec![agent_entry("newcomer", posted)]));
    assert_eq!(bench.reader().agent(&agent_id("newcomer")).unwrap(), Some(live));
    bench.write(registers("newcomer", 1, at(4)));
    assert_eq!(bench.reader().agent(&agent_id("newcomer")).unwrap().unwrap().notices.len(), 1);
}

pub(super) fn a_long_text_comes_back_whole(mut bench: impl TestStore) {
    let text = "é".repeat(1_000_000);
    bench.write(Append { blobs: vec![Blob { id: blob_id(1), text: text.clone() }], ..says(1) });
    assert_eq!(bench.reader().blob(&blob_id(1)).unwrap(), Some(text));
    assert_eq!(bench.reader().blob(&blob_id(2)).unwrap(), None);
}

pub(super) fn every_kind_of_record_comes_back_as_it_was(mut bench: impl TestStore) {
    let entries = one_of_each();
    let append = Append { request: Some("req-7".to_owned()), ..Append::new(at(5), by(), entries) };
    bench.write(append.clone());
    assert_eq!(bench.reader().records(Seq(0), 500).unwrap(), append.into_kept(Seq(1)));
}

pub(super) fn what_is_opened_again_is_what_was_written(mut bench: impl TestStore) {
    fn all(reader: &dyn Reader) -> impl PartialEq + std::fmt::Debug + use<> {
        let page = PageRequest { limit: 500, cursor: None };
        let tasks = reader.tasks(&TaskFilter::default(), &page).unwrap();
        let recalled = reader.recall(at(1), &principal("person:ada"), "key").unwrap();
        let records = reader.records(Seq(0), 1_000).unwrap();
        (reader.position(), tasks, reader.agents(), reader.sessions(), records, reader.blob(&blob_id(1)), recalled)
    }
    for n in 1..=5 {
        bench.write(creates(spec(n)));
    }
    bench.write(registers("fullstack-1", 1, at(1)));
    let entries = one_of_each();
    let blobs = vec![Blob { id: blob_id(1), text: "long".to_owned() }];
    bench.write(Append { blobs, ..keyed(Append::new(at(1), by(), entries), "key", "first") });
    let before = all(bench.reader());
    let mut bench = bench.reopen();
    assert_eq!(all(bench.reader()), before);
    let next = bench.reader().position().unwrap().next();
    assert_eq!(bench.store().position().next(), next);
    assert!(matches!(bench.reader().records(Seq(0), 1).unwrap()[0].record, Record::Task(_)));
    assert_eq!(bench.write(says(1)).first, next);
    let newest = bench.reader().records(Seq(next.0 - 1), 9).unwrap();
    assert_eq!(newest[0].record, Record::Hub(HubRecord::Stopped));
}
