//! A journal that is looked at from outside, whole and broken.

mod habits;
mod restored;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{InspectError, VerifyReport, backup, export, verify, verify_reader};
use crate::domain::agent::AgentRecord;
use crate::domain::ids::LeaseEpoch;
use crate::domain::outbox::{DeliveryId, DeliveryRecord, NewDelivery};
use crate::domain::task::{Task, TaskRecord};
use crate::samples::*;
use crate::sqlite::{self, Durability, SqliteReader, SqliteStore};
use crate::{Append, Entry, HubRecord, Reader as _, Row, Store, memory};

/// A day in a hub: three tasks, one of them done, one cancelled; an agent with a notice.
fn a_day(store: &mut dyn Store) {
    let mut write = |append: Append| store.write(&[append]).remove(0).unwrap();
    write(registers("fullstack-1", 1, at(0)));
    let mut tasks: Vec<Task> = (1..=3)
        .map(|n| {
            write(creates(spec(n)));
            Task::from_created(at(n.into()), &created(spec(n))).unwrap()
        })
        .collect();
    let records = task_records();
    let (offered, acknowledged, completed) = (records[1].clone(), records[3].clone(), records[5].clone());
    write(happens(&mut tasks[0], at(10), vec![offered]));
    write(happens(&mut tasks[0], at(11), vec![acknowledged]));
    write(happens(&mut tasks[0], at(12), vec![completed]));
    write(happens(&mut tasks[1], at(13), vec![TaskRecord::Cancelled { reason: None }]));
    let posted = AgentRecord::NoticePosted { notice: notice(1, "hello") };
    write(Append::new(at(14), by(), vec![agent_entry("fullstack-1", posted)]));
}

fn journal() -> (tempfile::TempDir, PathBuf, SqliteStore, SqliteReader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = sqlite::open(&path, Durability::Full).unwrap();
    a_day(&mut store);
    (folder, path, store, reader)
}

fn verified(path: &Path) -> VerifyReport {
    verify(path, |_, _| ()).unwrap()
}

/// Breaks the file by one statement, and says which promises are found broken, about what.
fn broken_by(statement: &str) -> Vec<String> {
    let (_folder, path, ..) = journal();
    let changed = Connection::open(&path).unwrap().execute(statement, []).unwrap();
    assert!(changed > 0, "nothing was broken by {statement}");
    let report = verified(&path);
    assert!(!report.is_sound());
    report
        .findings
        .iter()
        .map(|found| format!("{} {}: {}", short(found.promise), found.subject, found.sentence))
        .collect()
}

/// `T1` of `T1 one-holder`.
fn short(promise: &str) -> &str {
    promise.split(' ').next().unwrap()
}

#[test]
fn a_whole_journal_is_found_sound_while_its_hub_runs() {
    let (_folder, path, ..) = journal();
    let mut last = (0, 0);
    let report = verify(&path, |done, all| last = (done, all)).unwrap();
    assert_eq!(report.findings, []);
    assert!(report.is_sound());
    assert_eq!((report.records, report.tasks, report.agents, report.sessions), (10, 3, 1, 1));
    assert_eq!(last, (10, 10));
}

#[test]
fn the_twin_in_memory_is_verified_alike() {
    let (mut store, reader) = memory::open();
    a_day(&mut store);
    assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
}

#[test]
fn a_lost_record_breaks_the_count() {
    let found = broken_by("DELETE FROM records WHERE seq = 4");
    assert_eq!(found[0], "E1 record 5: it follows record 3");
    assert!(found.iter().any(|line| line == "J1 task:task0002: record 9: the task does not begin with its creation"));
}

#[test]
fn a_row_that_was_changed_is_found_and_its_contents_are_not_told() {
    let found = broken_by("UPDATE tasks SET body = replace(body, 'implement login', 'SECRET') WHERE id = 'task0003'");
    assert_eq!(found, ["J1 task:task0003: its row is not what its records come to: they differ at `/spec/prompt`"]);
    let found = broken_by("UPDATE agents SET updated_at = 1");
    assert_eq!(found, ["J1 agent:fullstack-1: its row is not what its records come to: they differ at `/updated_at`"]);
    let found = broken_by("DELETE FROM notices");
    assert_eq!(
        found,
        ["J1 agent:fullstack-1: its row is not what its records come to: they differ at `/notices/n_00000001`"]
    );
}

#[test]
fn rows_and_records_must_both_be_there() {
    let found = broken_by("DELETE FROM tasks WHERE id = 'task0003'");
    assert_eq!(found, ["J1 task:task0003: it has records and no row"]);
    let found = broken_by(
        "INSERT INTO sessions
         SELECT 's_00000009', agent, replace(body, 's_00000001', 's_00000009'), version FROM sessions",
    );
    assert_eq!(found, ["J1 session:s_00000009: it has a row and no records"]);
}

#[test]
fn a_record_that_cannot_be_read_is_named_and_the_rest_is_read() {
    let found = broken_by("UPDATE records SET body = '{' WHERE seq = 10");
    assert!(found[0].starts_with("J1 record 10: record 10: the body of a `agent.notice_posted` record is damaged"));
    assert!(found[1].starts_with("J1 agent:fullstack-1: its row is not"), "{found:?}");
}

#[test]
fn a_history_that_no_task_can_have_is_found() {
    let story = |records: &[TaskRecord]| {
        let (mut store, reader) = memory::open();
        store.write(&[creates(spec(1))]).remove(0).unwrap();
        let mut task = Task::from_created(at(1), &created(spec(1))).unwrap();
        for record in records {
            store.write(&[happens(&mut task, at(9), vec![record.clone()])]).remove(0).unwrap();
        }
        let report = verify_reader(&reader, |_, _| ()).unwrap();
        report.findings.iter().map(|found| format!("{}: {}", short(found.promise), found.sentence)).collect::<Vec<_>>()
    };
    let records = task_records();
    let (offered, returned, acknowledged) = (records[1].clone(), records[2].clone(), records[3].clone());
    let late = |epoch| {
        let TaskRecord::Acknowledged { agent, terms, expires_at, .. } = records[3].clone() else { unreachable!() };
        TaskRecord::Acknowledged { agent, epoch: LeaseEpoch(epoch), terms, expires_at }
    };
    let whole = [offered.clone(), returned.clone(), late(2)];
    assert_eq!(story(&whole), [""; 0], "who comes back late gets the next number");
    let twice = [offered.clone(), returned.clone(), offered.clone()];
    assert_eq!(story(&twice), ["T1: record 4: task `task0001` gives number 1 again, after 1"]);
    let stale = [offered.clone(), returned, acknowledged.clone()];
    assert_eq!(story(&stale), ["T1: record 4: task `task0001` gives number 1 again, after 1"]);
    let two = [offered, acknowledged, late(2)];
    let found = story(&two);
    assert!(found[0].starts_with("T1: record 4: task `task0001` has 2 running attempts"), "{found:?}");
    let cancelled = TaskRecord::Cancelled { reason: None };
    let risen = [cancelled, TaskRecord::Requeued { count_anew: true, held_for: None }];
    assert_eq!(story(&risen), ["T2: record 3: task `task0001` went from CANCELLED to QUEUED"]);
    assert_eq!(story(&[created(spec(1))]), ["J1: record 2: the task is created twice"]);
}

#[test]
fn what_the_row_of_a_delivery_says_and_what_its_records_say_must_agree() {
    let dead = DeliveryRecord::DeadLettered { reason: "410".to_owned() };
    let dropped = DeliveryRecord::Dropped { by: by().principal, reason: "late".to_owned() };
    let delivered = DeliveryRecord::Delivered { receipt: None };
    let told = |id: DeliveryId, record: &DeliveryRecord| {
        let (delivery, destination, summary, reason) = (id, "chat".to_owned(), "x".to_owned(), "410".to_owned());
        match record {
            DeliveryRecord::DeadLettered { .. } => {
                Some(HubRecord::DeliveryDeadLettered { delivery, destination, summary, reason })
            }
            DeliveryRecord::Retried => Some(HubRecord::DeliveryRetried { delivery, destination, summary }),
            DeliveryRecord::Dropped { .. } => {
                Some(HubRecord::DeliveryDropped { delivery, destination, summary, reason })
            }
            DeliveryRecord::Begun | DeliveryRecord::Delivered { .. } | DeliveryRecord::Postponed { .. } => None,
        }
    };
    // Each step with whether it is told in the records, and whether it is in the row.
    let story = |steps: &[(&DeliveryRecord, bool, bool)]| {
        let (mut store, reader) = memory::open();
        let new = NewDelivery {
            destination: "chat".to_owned(),
            lane: "a".to_owned(),
            summary: "x".to_owned(),
            body: serde_json::Value::Null,
        };
        let started = Entry::of_hub(HubRecord::Started { version: "1".to_owned() });
        let rows = vec![Row::Outgoing(Box::new(new))];
        let first = store.write(&[Append { rows, ..Append::new(at(1), by(), vec![started]) }]).remove(0).unwrap().first;
        let id = DeliveryId { seq: first.0, part: 0 };
        let mut delivery = reader.delivery(id).unwrap().unwrap();
        for (record, in_records, in_row) in steps {
            if *in_row {
                delivery.apply(at(2), record);
            }
            let entries = told(id, record).filter(|_| *in_records).map(Entry::of_hub).into_iter().collect();
            let rows = vec![Row::Delivery(Box::new(delivery.clone()))];
            store.write(&[Append { rows, ..Append::new(at(2), by(), entries) }]).remove(0).unwrap();
        }
        let report = verify_reader(&reader, |_, _| ()).unwrap();
        report.findings.iter().map(|found| format!("{}: {}", short(found.promise), found.sentence)).collect::<Vec<_>>()
    };
    let retried = DeliveryRecord::Retried;
    let whole = [(&dead, true, true), (&retried, true, true), (&delivered, true, true)];
    assert_eq!(story(&whole), [""; 0]);
    assert_eq!(story(&[(&dead, true, true), (&dropped, true, true)]), [""; 0]);
    assert_eq!(story(&[(&dead, false, true)]), ["O1: its row says dead_letter, and its records do not"]);
    assert_eq!(story(&[(&dead, true, false)]), ["O1: its row says pending, and its records do not"]);
    assert_eq!(story(&[(&dropped, false, true)]), ["O1: its row says dropped, and its records do not"]);
    let risen = [(&dropped, true, true), (&retried, true, true)];
    assert_eq!(story(&risen), ["O1: record 3 says something of it after it was dropped"]);
}

#[test]
fn an_export_has_a_line_for_each_record() {
    let (_folder, path, _store, reader) = journal();
    let mut out = Vec::new();
    assert_eq!(export(&path, &mut out).unwrap(), 10);
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 10);
    assert_eq!(lines[2]["kind"], "task.created");
    assert_eq!(lines[2]["record"]["spec"]["prompt"], "implement login\nand test it");
    let last = reader.records(crate::Seq(9), 1).unwrap().remove(0);
    assert_eq!(lines[9]["at"], last.at.to_string());
    assert_eq!(lines[9]["stream"], last.stream.to_string());
    assert!(lines.iter().all(|line| line.get("subject").is_none()), "nothing that the record says itself");
    let (_folder, path, mut store, _) = journal();
    store.write(&[asked_and_answered(1, 20)]).remove(0).unwrap();
    let mut out = Vec::new();
    export(&path, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let resolved = text.lines().find(|line| line.contains("question.resolved")).unwrap();
    assert!(resolved.contains(r#""subject":{"agent":"fullstack-1","task":"task0001"}"#), "{resolved}");
}

#[test]
fn an_export_shows_of_a_webhooks_address_what_everybody_may_see() {
    let (_folder, path, mut store, _) = journal();
    let webhook = Box::new(webhook("builds", 0));
    let added = Entry::of_hub(HubRecord::WebhookAdded { webhook });
    store.write(&[Append::new(at(20), by(), vec![added])]).remove(0).unwrap();
    let mut out = Vec::new();
    export(&path, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("https://ci.example.com/hook?…") && !text.contains("key=k"), "{text}");
}

#[test]
fn an_export_that_nobody_reads_any_more_is_no_failure_of_the_disk() {
    let (_folder, path, _store, _) = journal();
    let (reader, mut writer) = std::io::pipe().unwrap();
    drop(reader);
    assert!(matches!(export(&path, &mut writer), Err(InspectError::Unread)));
    let mut full: &mut [u8] = &mut [0; 8];
    assert!(matches!(export(&path, &mut full), Err(InspectError::Write { .. })), "eight bytes and no more");
}

#[test]
fn a_backup_is_the_journal_at_one_moment() {
    let (folder, path, mut store, reader) = journal();
    let to = folder.path().join("copy").with_extension("db");
    let mut done = 0;
    backup(&path, &to, |copied, all| {
        done = copied;
        assert!(copied <= all);
        // The hub writes on; the copy does not see it.
        store.write(&[says(1)]).remove(0).unwrap();
    })
    .unwrap();
    assert!(done > 0);
    assert!(!folder.path().join("copy.db-wal").exists() && !folder.path().join("copy.db.partial").exists());
    assert!(reader.position().unwrap().0 > 10);
    let report = verified(&to);
    assert_eq!((report.records, report.is_sound()), (10, true));
    let again = backup(&path, &to, |_, _| ()).unwrap_err();
    assert!(
        matches!(again, InspectError::Write { .. }) && again.to_string().ends_with("it is there already"),
        "{again}"
    );
    let elsewhere = folder.path().join("restored").join("callboard.db");
    std::fs::create_dir(elsewhere.parent().unwrap()).unwrap();
    std::fs::rename(&to, &elsewhere).unwrap();
    let (mut restored, _) = sqlite::open(&elsewhere, Durability::Full).unwrap();
    assert_eq!(restored.write(&[says(1)]).remove(0).unwrap().first.0, 11);
}

#[test]
fn there_must_be_a_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let error = verify(&path, |_, _| ()).unwrap_err();
    assert!(matches!(error, InspectError::Open(_)), "{error}");
    assert!(!path.exists());
}
