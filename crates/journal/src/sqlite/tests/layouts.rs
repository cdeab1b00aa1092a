//! Journals of earlier layouts with lives in them: read as they are, brought to today's, gone on with.

use std::path::{Path, PathBuf};

use rstest::rstest;
use rusqlite::{Connection, params};

use super::super::schema::tests::create_layout;
use super::super::{Durability, SqliteStore, open, open_read_only};
use crate::domain::outbox::{DeliveryId, NewDelivery};
use crate::domain::session::question::QuestionRecord;
use crate::domain::session::{Session, WorkflowStatus};
use crate::domain::work_item::WorkItem;
use crate::inspect::verify_reader;
use crate::memory::{self, MemoryReader};
use crate::samples::*;
use crate::{
    Append, DeliveryFilter, Entry, Kept, PageRequest, QuestionFilter, Reader, Record, Row, Seq, Store as _, Subject,
    WriteError, Written, codec,
};

fn write(store: &mut SqliteStore, append: Append) -> Result<Written, WriteError> {
    store.write(&[append]).remove(0)
}

/// An agent, its session at work, ten questions with their answers and one without.
fn life() -> MemoryReader {
    let (mut store, reader) = memory::open();
    let working = session_records().remove(2);
    let status = Entry::of_session(&session_id(1), None, None, Record::Session(working));
    let mut appends = vec![registers("fullstack-1", 1, at(0)), Append::new(at(1), by(), vec![status])];
    appends.extend((1..=10).map(|n| asked_and_answered(n, 10 + u64::from(n))));
    appends.push(in_question(30, vec![QuestionRecord::Asked { spec: Box::new(question_spec(11)) }]));
    appends.push(Append { at: at(31), ..says(1) });
    for written in store.write(&appends) {
        written.unwrap();
    }
    reader
}

/// The same in a file as the hub of that layout left it.
fn file_of(layout: u32, life: &MemoryReader) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    create_layout(&db, layout);
    for kept in life.records(Seq(0), 1_000).unwrap() {
        let encoded = codec::encode(&kept.record).unwrap();
        db.execute(
            "INSERT INTO records (seq, stream, kind, version, at, principal, surface, request, cause, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                kept.seq,
                kept.stream.to_string(),
                encoded.kind.name,
                encoded.kind.version,
                kept.at,
                kept.by.principal.as_str(),
                kept.by.surface.as_str(),
                kept.request,
                kept.cause,
                encoded.body,
            ],
        )
        .unwrap();
    }
    for agent in life.agents().unwrap() {
        let body = serde_json::to_string(&agent).unwrap();
        let row = params![agent.id.as_str(), agent.updated_at, body];
        db.execute("INSERT INTO agents (id, updated_at, body) VALUES (?1, ?2, ?3)", row).unwrap();
    }
    for session in life.sessions().unwrap() {
        let body = serde_json::to_string(&session).unwrap();
        let version = i64::try_from(session.version).unwrap();
        let row = params![session.id.as_str(), session.agent.as_str(), body, version];
        db.execute("INSERT INTO sessions (id, agent, body, version) VALUES (?1, ?2, ?3, ?4)", row).unwrap();
    }
    for question in questions(life) {
        let (spec, body) = (&question.spec, serde_json::to_string(&question).unwrap());
        let task = spec.task_id.as_ref().unwrap().as_str();
        let row =
            params![spec.id.as_str(), spec.session_id.as_str(), spec.agent_id.as_str(), task, question.is_open(), body];
        let put = "INSERT INTO questions (id, session, agent, task, open, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        db.execute(put, row).unwrap();
    }
    (folder, path)
}

fn questions(reader: &dyn Reader) -> Vec<crate::domain::session::question::Question> {
    reader.questions(&QuestionFilter::default(), &PageRequest::default()).unwrap().items
}

/// The records without what the earlier layout could not say.
fn untold(reader: &dyn Reader) -> Vec<Kept> {
    let all = reader.records(Seq(0), 1_000).unwrap();
    all.into_iter().map(|kept| Kept { about: Subject::NOTHING, ..kept }).collect()
}

fn holds_the_life(reader: &dyn Reader, life: &MemoryReader) {
    assert_eq!(reader.records(Seq(0), 1_000).unwrap(), untold(life), "what it is about stays unknown, and is no error");
    assert_eq!(reader.sessions().unwrap(), life.sessions().unwrap());
    assert_eq!(questions(reader), questions(life));
    assert_eq!(reader.deliveries(&DeliveryFilter::default(), &PageRequest::default()).unwrap().items, []);
    assert_eq!(reader.waiting_deliveries(None, 1).unwrap(), []);
    assert!(reader.delivery_counts().unwrap().is_empty());
    assert_eq!(reader.delivery(DeliveryId { seq: 1, part: 0 }).unwrap(), None);
    assert_eq!(verify_reader(reader, |_, _| ()).unwrap().findings, []);
}

#[rstest]
#[case::with_sessions_and_questions(4)]
#[case::lean(5)]
fn a_journal_with_sessions_and_questions_is_read_as_it_is_brought_to_todays_and_goes_on(#[case] layout: u32) {
    let life = life();
    let (_folder, path) = file_of(layout, &life);
    holds_the_life(&open_read_only(&path).unwrap(), &life);
    let (mut store, reader) = open(&path, Durability::Full).unwrap();
    holds_the_life(&reader, &life);
    // It goes on: what is written from now on says what it is about.
    let written = write(&mut store, asked_and_answered_later(&life)).unwrap();
    let about = &reader.records(Seq(written.first.0 - 1), 1).unwrap()[0].about;
    assert_eq!(about.agent, Some(agent_id("fullstack-1")));
    assert_eq!(store.prune(at(5), 1_000).unwrap().questions, 0, "the records of those that it forgot are there yet");
    // Of the old questions the session has forgotten two: they go with their records.
    let pruned = store.prune(at(24 * 60 * 60), 1_000).unwrap();
    assert_eq!(pruned.questions, 2, "{pruned:?}");
    assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
    drop((store, reader));
    let (_, reader) = open(&path, Durability::Full).unwrap();
    assert_eq!(questions(&reader).len(), 9);
}

/// The open question gets its answer.
fn asked_and_answered_later(life: &MemoryReader) -> Append {
    let mut append = asked_and_answered(11, 40);
    append.entries.remove(0);
    let version = life.session(&session_id(1)).unwrap().unwrap().version;
    Append { expects: vec![(session_id(1), version)], ..append }
}

#[test]
fn a_session_of_a_layout_without_a_status_begins_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    begun_by_the_third_layout(&path);
    let check = |reader: &dyn Reader| {
        let session = reader.sessions().unwrap().remove(0);
        assert_eq!((session.status(), session.version, session.opened_at), (WorkflowStatus::Started, 2, at(0)));
        assert_eq!(session.taken_up_at, at(5));
        assert_eq!(verify_reader(reader, |_, _| ()).unwrap().findings, []);
    };
    check(&open_read_only(&path).unwrap());
    let (mut store, reader) = open(&path, Durability::Full).unwrap();
    check(&reader);
    assert_eq!(questions(&reader), []);
    write(&mut store, asked_and_answered(1, 10)).unwrap();
    assert_eq!(questions(&reader).len(), 1);
    assert_eq!(reader.sessions().unwrap()[0].version, 5);
    assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
}

/// An agent registered, and came back.
fn begun_by_the_third_layout(path: &Path) {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    create_layout(&db, 3);
    let record = "INSERT INTO records (seq, stream, kind, version, at, principal, surface, body)
                  VALUES (?1, 'session:s_00000001', ?2, 1, ?3, 'agent:fullstack-1', 'agent', ?4)";
    let opened = r#"{"type":"opened","agent":"fullstack-1"}"#;
    db.execute(record, params![1, "session.opened", at(0), opened]).unwrap();
    db.execute(record, params![2, "session.taken_up", at(5), r#"{"type":"taken_up"}"#]).unwrap();
    let body =
        format!(r#"{{"id":"s_00000001","agent":"fullstack-1","opened_at":"{}","taken_up_at":"{}"}}"#, at(0), at(5));
    db.execute("INSERT INTO sessions (id, agent, body) VALUES ('s_00000001', 'fullstack-1', ?1)", [body]).unwrap();
}

#[test]
fn a_journal_without_an_outbox_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    create_layout(&db, 9);
    drop(db);
    assert_eq!(open_read_only(&path).unwrap().waiting_deliveries(None, 9).unwrap(), []);
    let (mut store, reader) = open(&path, Durability::Full).unwrap();
    let (destination, lane) = ("chat".to_owned(), "channel-1".to_owned());
    let new = NewDelivery { destination, lane, summary: "told".to_owned(), body: serde_json::json!({}) };
    write(&mut store, Append { rows: vec![Row::Outgoing(Box::new(new))], ..says(1) }).unwrap();
    let waiting = reader.waiting_deliveries(None, 9).unwrap();
    assert_eq!(waiting.iter().map(|delivery| delivery.id).collect::<Vec<_>>(), [DeliveryId { seq: 1, part: 0 }]);
}

#[test]
fn a_journal_without_webhooks_gets_a_place_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    create_layout(&db, 12);
    drop(db);
    assert_eq!(open_read_only(&path).unwrap().webhooks().unwrap(), []);
    let (mut store, reader) = open(&path, Durability::Full).unwrap();
    let added = webhook("builds", 0);
    write(&mut store, Append { rows: vec![Row::Webhook(Box::new(added.clone()))], ..says(1) }).unwrap();
    assert_eq!(reader.webhooks().unwrap(), [added]);
    assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
}

#[test]
fn a_journal_without_schedules_gets_a_place_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    create_layout(&db, 15);
    drop(db);
    assert_eq!(open_read_only(&path).unwrap().schedules().unwrap(), []);
    let (mut store, reader) = open(&path, Durability::Full).unwrap();
    let made = schedule("nightly");
    write(&mut store, Append { rows: vec![Row::Schedule(Box::new(made.clone()))], ..says(1) }).unwrap();
    assert_eq!(reader.schedules().unwrap(), [made]);
    assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
}

/// What sessions were tied to before there was a table of it is found, too.
#[test]
fn a_journal_without_ties_of_sessions_gets_them_from_what_its_sessions_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    create_layout(&db, 13);
    let mut session = Session::opened(session_id(1), agent_id("fullstack-1"), at(0));
    session.work_item = WorkItem::parse("Acme/Web#12").ok();
    session.hear_of_pull(at(1), &pull_records().remove(0));
    let body = serde_json::to_string(&session).unwrap();
    db.execute("INSERT INTO sessions (id, agent, body) VALUES ('s_00000001', 'fullstack-1', ?1)", [body]).unwrap();
    drop(db);
    let (_store, reader) = open(&path, Durability::Full).unwrap();
    for tie in session.ties() {
        let found = reader.sessions_tied(&[tie.clone()].into()).unwrap();
        assert_eq!(found.first().map(|found| found.id.clone()), Some(session_id(1)), "{tie:?}");
    }
    assert!(session.ties().len() >= 3);
}
