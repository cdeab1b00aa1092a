//! That what was learned is held against the answers it comes from: as they are, changed, and after they were pruned.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::super::{VerifyReport, verify};
use crate::domain::ids::{PatternId, TerminalId};
use crate::domain::prompt::PromptKind;
use crate::domain::prompt::book::{KeptPattern, PatternBook, PatternPlace};
use crate::domain::prompt::learn::{Answer, InputSource, Provenance};
use crate::domain::terminal::{TerminalRecord, TrackedInput};
use crate::domain::time::Millis;
use crate::samples::*;
use crate::sqlite::{self, Durability, SqliteStore};
use crate::{Append, Entry, HubRecord, Row, Store as _};

struct Journal {
    _folder: tempfile::TempDir,
    path: PathBuf,
    store: SqliteStore,
    book: PatternBook,
}

fn named(name: &str) -> PatternId {
    PatternId::of_digest(name)
}

impl Journal {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callboard.db");
        let (store, _) = sqlite::open(&path, Durability::Full).unwrap();
        Self { _folder: folder, path, store, book: PatternBook::default() }
    }

    /// Somebody answers at that second; told is whether an agent only tells of it.
    fn answers(&mut self, second: u64, text: &str, success: bool, told: bool) {
        let provenance = if told { Provenance::AgentReported } else { Provenance::Attested };
        let mut input = TrackedInput {
            prompt_text: "Restart the server? [y/n]".to_owned(),
            prompt_type: PromptKind::YesNo,
            dangerous: false,
            input_text: text.to_owned(),
            success,
            source: InputSource::UserTyped,
            provenance,
            response_time: Millis(5),
            workspace: Some("/srv/app".to_owned()),
            pattern: None,
        };
        let answer = Answer {
            prompt_text: &input.prompt_text,
            kind: input.prompt_type,
            dangerous: false,
            input_text: text,
            success,
            source: input.source,
            provenance,
            at: at(second),
        };
        let kept = self.book.learned(&named("aaaaaaaa"), &PatternPlace::of(Some("/srv/app")), &answer).ok();
        input.pattern = kept.as_ref().map(|kept| kept.id.clone());
        let rows = kept.iter().map(|kept| Row::Pattern(Box::new(kept.clone()))).collect();
        let record = TerminalRecord::InputTracked { agent: None, input: Box::new(input) };
        let entry = Entry::of_terminal(&TerminalId::parse("term-1").unwrap(), record);
        kept.into_iter().for_each(|kept| self.book.put(kept));
        self.writes(second, entry, rows);
    }

    fn writes(&mut self, second: u64, entry: Entry, rows: Vec<Row>) {
        let append = Append { rows, ..Append::new(at(second), by(), vec![entry]) };
        self.store.write(&[append]).remove(0).unwrap();
    }

    /// Five answers, one of which failed, and one that an agent told of.
    fn learns(&mut self) {
        for (second, text, success, told) in
            [(1, "n", true, false), (2, "n", true, false), (3, "y", true, true), (4, "n", false, false)]
        {
            self.answers(second, text, success, told);
        }
    }

    /// The hub gets it, and the workspace loses it.
    fn is_promoted_and_forgotten(&mut self) {
        let kept = self.book.get(&named("aaaaaaaa")).unwrap().clone();
        let hub = KeptPattern { id: named("bbbbbbbb"), place: PatternPlace::Hub, ..kept };
        self.book.put(hub.clone());
        let promoted = HubRecord::PatternPromoted { pattern: named("aaaaaaaa"), to: named("bbbbbbbb") };
        self.writes(10, Entry::of_hub(promoted), vec![Row::Pattern(Box::new(hub))]);
        self.book.forget(&named("aaaaaaaa"));
        let forgotten = HubRecord::PatternForgotten { pattern: named("aaaaaaaa") };
        self.writes(11, Entry::of_hub(forgotten), vec![Row::Forgotten(named("aaaaaaaa"))]);
    }

    fn breaks(&self, statement: &str) {
        assert!(Connection::open(&self.path).unwrap().execute(statement, []).unwrap() > 0, "{statement}");
    }
}

fn verified(path: &Path) -> VerifyReport {
    verify(path, |_, _| ()).unwrap()
}

/// What is found, without the name of the promise.
fn found(journal: &Journal) -> Vec<String> {
    let report = verified(&journal.path);
    report.findings.iter().map(|found| format!("{}: {}", found.subject, found.sentence)).collect()
}

#[test]
fn what_was_learned_is_what_the_answers_come_to() {
    let mut journal = Journal::new();
    journal.learns();
    let report = verified(&journal.path);
    assert_eq!((report.findings, report.patterns), (Vec::new(), 1));
    journal.is_promoted_and_forgotten();
    let report = verified(&journal.path);
    assert_eq!((report.findings, report.patterns), (Vec::new(), 1));
    let rest: Vec<&KeptPattern> = journal.book.all().collect();
    assert_eq!((rest.len(), &rest[0].place), (1, &PatternPlace::Hub));
}

#[test]
fn a_pattern_that_nobody_taught_so_is_found_and_what_was_typed_is_not_told() {
    let differs = "its row is not what its answers come to";
    for (statement, subject, sentence) in [
        ("UPDATE patterns SET body = json_set(body, '$.pattern.answers.n.successes', 90)", "p_aaaaaaaa", differs),
        ("UPDATE patterns SET body = json_set(body, '$.pattern.answers.n.weight', 9.5)", "p_aaaaaaaa", differs),
        ("UPDATE patterns SET body = replace(body, '\"y\"', '\"yes\"')", "p_aaaaaaaa", differs),
        ("UPDATE patterns SET body = json_set(body, '$.place', json('{\"scope\":\"hub\"}'))", "p_aaaaaaaa", differs),
        ("DELETE FROM patterns", "p_aaaaaaaa", "it has answers and no row"),
        (
            "INSERT INTO patterns SELECT 'p_ffffffff', json_set(body, '$.id', 'p_ffffffff') FROM patterns",
            "p_ffffffff",
            "it has a row and no answers",
        ),
    ] {
        let mut journal = Journal::new();
        journal.learns();
        journal.breaks(statement);
        assert_eq!(found(&journal), [format!("pattern:{subject}: {sentence}")], "{statement}");
    }
}

#[test]
fn what_pruned_answers_taught_is_kept_and_checked() {
    let mut journal = Journal::new();
    journal.learns();
    journal.answers(1_000, "n", true, false);
    let pruned = journal.store.prune(at(500), 100).unwrap();
    assert_eq!(pruned.records, 4);
    assert_eq!(found(&journal), [""; 0]);
    journal.is_promoted_and_forgotten();
    journal.answers(2_000, "y", true, false);
    assert!(journal.store.prune(at(1_500), 100).unwrap().records > 0);
    let report = verified(&journal.path);
    assert_eq!((report.findings, report.patterns), (Vec::new(), 2));
    journal
        .breaks("UPDATE patterns SET body = json_set(body, '$.pattern.answers.n.failures', 7) WHERE id = 'p_bbbbbbbb'");
    assert_eq!(found(&journal).len(), 1, "{:?}", found(&journal));
    // An earlier hub let go of answers without a word of what they taught: there is nothing to tell by.
    journal.breaks("DELETE FROM base WHERE life LIKE 'pattern%'");
    assert_eq!(found(&journal), [""; 0]);
}
