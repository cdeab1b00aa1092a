//! Pages of the audit, newest first: over several files, by filter, beside a writer, around a damaged line.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::{NOW, note};
use crate::audit::file::{AuditFile, FILE};
use crate::audit::{AuditFilter, AuditPage};

/// Twenty lines in files of a few lines each; each fifth is about a token.
fn twenty() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut file = AuditFile::open_up_to(dir.path(), 1_500, NOW).unwrap();
    for number in 1..=20 {
        let mut note = note(if number % 5 == 0 { "token.create" } else { "task.approved" });
        note.who = if number % 2 == 0 { "person:ada" } else { "person:bob" }.to_owned();
        file.append(&note, Some(number)).unwrap();
    }
    dir
}

fn all() -> AuditFilter {
    AuditFilter { limit: 500, ..AuditFilter::default() }
}

fn numbers(dir: &Path, filter: &AuditFilter) -> Vec<u64> {
    AuditPage::read(dir, filter).unwrap().items.iter().map(|item| item.seq).collect()
}

#[test]
fn pages_follow_each_other_newest_first_through_all_files() {
    let dir = twenty();
    assert!(fs::read_dir(dir.path()).unwrap().count() > 3, "there are several files");
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let page = AuditPage::read(dir.path(), &AuditFilter { limit: 3, before, ..all() }).unwrap();
        assert!(page.items.len() <= 3 && page.damaged == 0);
        seen.extend(page.items.iter().map(|item| item.seq));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, (1..=20).rev().collect::<Vec<_>>());
}

#[test]
fn an_action_its_family_and_a_principal_narrow_the_page() {
    let dir = twenty();
    let of = |action: &str| AuditFilter { action: Some(action.to_owned()), ..all() };
    assert_eq!(numbers(dir.path(), &of("token.create")), [20, 15, 10, 5]);
    assert_eq!(numbers(dir.path(), &of("token")), [20, 15, 10, 5]);
    assert_eq!(numbers(dir.path(), &of("tok")), [0; 0], "half a word is no family");
    let ada = AuditFilter { who: Some("person:ada".to_owned()), ..of("token") };
    assert_eq!(numbers(dir.path(), &ada), [20, 10]);
}

#[test]
fn a_line_that_is_being_written_and_one_that_was_changed_are_left_out() {
    let dir = super::written(4);
    let path = dir.path().join(FILE);
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"n\":5,\"at\":\"20").unwrap();
    assert_eq!(numbers(dir.path(), &all()), [4, 3, 2, 1]);
    let text = fs::read_to_string(&path).unwrap().replacen("task.approved", "task.requeued", 1);
    fs::write(&path, text).unwrap();
    let page = AuditPage::read(dir.path(), &all()).unwrap();
    assert_eq!((page.items.len(), page.damaged), (3, 1));
}

#[test]
fn a_file_larger_than_what_is_read_at_once_is_read_whole() {
    let dir = super::written(600);
    assert!(fs::metadata(dir.path().join(FILE)).unwrap().len() > 2 * 64 * 1024);
    let filter = AuditFilter { limit: 600, ..AuditFilter::default() };
    assert_eq!(numbers(dir.path(), &filter), (1..=600).rev().collect::<Vec<_>>());
}
