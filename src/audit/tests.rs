//! The chain and its head: what is seen of a hand that changed them, and what a cut, a full file or a flood leaves.

mod pages;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

use super::Audit;
use super::file::{AuditFault, AuditFile, FILE};
use super::head::{self, HEAD};
use super::line::{Decision, JOURNAL_RESTORED, Note};
use super::verify::{VerifyError, verify};
use crate::domain::time::Timestamp;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn note(action: &str) -> Note {
    Note { target: Some("task:t1\n\"x\"".to_owned()), ..Note::of_hub(NOW, action, Decision::Allowed) }
}

/// An audit of so many lines.
fn written(lines: usize) -> TempDir {
    let dir = TempDir::new().unwrap();
    let mut file = AuditFile::open(dir.path(), NOW).unwrap();
    for number in 0..lines {
        file.append(&note("task.approved"), u64::try_from(number).ok()).unwrap();
    }
    dir
}

fn text(dir: &Path) -> String {
    fs::read_to_string(dir.join(FILE)).unwrap()
}

/// The line that is named as broken; none where all fit.
fn broken(dir: &Path) -> Option<usize> {
    match verify(dir) {
        Ok(_) => None,
        Err(VerifyError::Broken(broken)) => Some(broken.line),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn lines_are_numbered_hold_each_other_and_are_their_owners_alone() {
    let dir = written(3);
    let sound = verify(dir.path()).unwrap();
    assert_eq!((sound.first, sound.last, sound.journal), (1, 3, 2));
    let mut again = AuditFile::open(dir.path(), NOW).unwrap();
    assert_eq!(again.seen(), Some(2));
    again.append(&note("token.create"), None).unwrap();
    let sound = verify(dir.path()).unwrap();
    assert_eq!((sound.last, sound.journal), (4, 2), "a line that is about no event has seen no more of them");
    assert!(text(dir.path()).trim_end().ends_with(&format!("\"hash\":\"{}\"}}", sound.hash)));
    let mode = fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_line_that_was_changed_in_any_place_is_the_one_that_is_named() {
    let dir = written(3);
    let whole = text(dir.path());
    let lines: Vec<_> = whole.lines().collect();
    for at in 0..lines[1].len() {
        let mut second = lines[1].as_bytes().to_vec();
        second[at] = if second[at] == b'7' { b'8' } else { b'7' };
        let second = String::from_utf8(second).unwrap();
        fs::write(dir.path().join(FILE), format!("{}\n{second}\n{}\n", lines[0], lines[2])).unwrap();
        assert_eq!(broken(dir.path()), Some(2), "{second}");
    }
}

#[test]
fn a_line_that_was_taken_out_put_in_or_moved_is_seen_where_the_chain_ends() {
    let dir = written(4);
    let whole = text(dir.path());
    let lines: Vec<_> = whole.lines().collect();
    let with = |order: &[usize]| {
        let text: String = order.iter().map(|at| format!("{}\n", lines[*at])).collect();
        fs::write(dir.path().join(FILE), text).unwrap();
        broken(dir.path())
    };
    assert_eq!(with(&[0, 1, 2, 3]), None);
    assert_eq!(with(&[0, 2, 3]), Some(2), "one is missing");
    assert_eq!(with(&[0, 1, 1, 2, 3]), Some(3), "one is there twice");
    assert_eq!(with(&[0, 2, 1, 3]), Some(2), "two have changed places");
    assert_eq!(with(&[1, 2, 3]), None, "what came first may have been taken elsewhere");
}

#[test]
fn a_line_that_was_written_anew_with_its_own_hash_does_not_hold_the_next_one() {
    let dir = written(3);
    let whole = text(dir.path());
    let lines: Vec<_> = whole.lines().collect();
    let (forged, _) = super::line::write(&note("task.cancelled"), 2, 1, &verify_first(lines[0])).unwrap();
    fs::write(dir.path().join(FILE), format!("{}\n{forged}\n{}\n", lines[0], lines[2])).unwrap();
    assert_eq!(broken(dir.path()), Some(3));
}

fn verify_first(line: &str) -> String {
    super::line::read(line).unwrap().hash
}

#[test]
fn a_last_line_that_was_cut_off_goes_and_the_next_one_says_so() {
    for cut in 1..40 {
        let dir = written(2);
        let whole = text(dir.path());
        fs::write(dir.path().join(FILE), &whole[..whole.len() - cut]).unwrap();
        assert_eq!(broken(dir.path()), Some(2), "it is seen before anybody mends it");
        drop(AuditFile::open(dir.path(), NOW).unwrap());
        let mended = text(dir.path());
        let last = mended.lines().last().unwrap();
        assert!(last.contains("\"n\":2,") && last.contains("\"action\":\"audit.mended\""), "{last}");
        assert_eq!(verify(dir.path()).unwrap().last, 2);
    }
}

#[test]
fn a_large_file_is_set_aside_and_the_chain_goes_on_through_all_of_them() {
    let dir = TempDir::new().unwrap();
    for number in 0..9 {
        // Opened anew each time, as by many starts: the chain is on the disk and nowhere else.
        let mut file = AuditFile::open_up_to(dir.path(), 300, NOW).unwrap();
        file.append(&note("task.approved"), Some(number)).unwrap();
    }
    let sound = verify(dir.path()).unwrap();
    assert_eq!((sound.first, sound.last), (1, 9));
    assert!(sound.files.len() > 3, "{:?}", sound.files);
    fs::remove_file(&sound.files[0]).unwrap();
    let rest = verify(dir.path()).unwrap();
    assert!(rest.first > 1 && rest.last == 9, "{rest:?}");
    fs::remove_file(&sound.files[2]).unwrap();
    assert!(matches!(verify(dir.path()), Err(VerifyError::Broken(_))), "none may be missing between two");
}

#[test]
fn a_start_that_was_cut_off_between_two_files_goes_on_behind_the_older() {
    let dir = written(3);
    fs::rename(dir.path().join(FILE), dir.path().join("audit-000000000001.jsonl")).unwrap();
    let mut file = AuditFile::open(dir.path(), NOW).unwrap();
    assert_eq!(file.seen(), Some(2));
    file.append(&note("task.approved"), Some(7)).unwrap();
    assert_eq!(verify(dir.path()).unwrap().last, 4);
}

/// An audit of so many lines, all of them on the disk.
fn synced(lines: usize) -> TempDir {
    let dir = written(lines);
    AuditFile::open(dir.path(), NOW).unwrap().sync().unwrap();
    dir
}

/// Leaves only the first lines; gives those that are gone.
fn cut_to(dir: &Path, lines: usize) -> String {
    let whole = text(dir);
    let at = whole.match_indices('\n').nth(lines - 1).unwrap().0 + 1;
    fs::write(dir.join(FILE), &whole[..at]).unwrap();
    whole[at..].to_owned()
}

#[test]
fn lines_that_are_gone_from_the_end_are_named_also_after_the_next_start_and_until_they_are_back() {
    for whole_line in [true, false] {
        let dir = synced(9);
        assert_eq!(verify(dir.path()).unwrap().head, Some(9));
        let gone = cut_to(dir.path(), 6);
        assert_eq!(
            verify(dir.path()).unwrap().findings,
            ["lines 7 to 9 are missing at the end: the head names line 9 as written"]
        );
        let cut = text(dir.path());
        if !whole_line {
            // Cut in the middle of a line: what is left of it is taken away, and told, too.
            fs::write(dir.path().join(FILE), format!("{cut}{}", &gone[..20])).unwrap();
        }
        let mut file = AuditFile::open(dir.path(), NOW).unwrap();
        assert_eq!(file.seen(), Some(5), "what the journal has of them is told again");
        file.append(&note("task.approved"), Some(6)).unwrap();
        let sound = verify(dir.path()).unwrap();
        assert_eq!(sound.findings, ["lines 7 to 9 are missing, as line 10 says that was written behind them"]);
        assert_eq!((sound.first, sound.last), (1, if whole_line { 11 } else { 12 }));
        let after = text(dir.path()).strip_prefix(&cut).unwrap().to_owned();
        assert!(after.contains("lines 7 to 9 were written, and not there when the file was opened again"), "{after}");
        drop(file);
        drop(AuditFile::open(dir.path(), NOW).unwrap());
        assert_eq!(verify(dir.path()).unwrap().last, sound.last, "it is told once");
        fs::write(dir.path().join(FILE), format!("{cut}{gone}{after}")).unwrap();
        assert_eq!(verify(dir.path()).unwrap().findings, [""; 0], "found again, they fit");
        let others = gone.replace("\"n\":8,", "\"n\":7,");
        fs::write(dir.path().join(FILE), format!("{cut}{others}{after}")).unwrap();
        assert!(verify(dir.path()).is_err(), "others do not");
    }
}

#[test]
fn a_head_that_is_behind_or_not_there_accuses_nobody() {
    let dir = synced(3);
    let mut file = AuditFile::open(dir.path(), NOW).unwrap();
    file.append(&note("task.approved"), Some(3)).unwrap();
    file.append(&note("task.approved"), Some(4)).unwrap();
    // The process is killed before the sync.
    drop(file);
    let sound = verify(dir.path()).unwrap();
    assert_eq!((sound.head, sound.last, sound.findings.len()), (Some(3), 5, 0));
    drop(AuditFile::open(dir.path(), NOW).unwrap());
    assert_eq!(verify(dir.path()).unwrap().last, 5, "no line tells of anything");
    let head = fs::read_to_string(dir.path().join(HEAD)).unwrap();
    // A head over which a part of the next one was written.
    let torn = head.replacen('3', "5", 1);
    for nothing in [None, Some(""), Some("\0\0\0\0"), Some(&torn)] {
        fs::remove_file(dir.path().join(HEAD)).unwrap();
        if let Some(text) = nothing {
            fs::write(dir.path().join(HEAD), text).unwrap();
        }
        let sound = verify(dir.path()).unwrap();
        assert_eq!((sound.head, sound.findings.len()), (None, 0), "as it was before there were heads");
        AuditFile::open(dir.path(), NOW).unwrap().sync().unwrap();
        assert_eq!(verify(dir.path()).unwrap().head, Some(5), "and one is kept from now on");
    }
    let mode = fs::metadata(dir.path().join(HEAD)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn lines_at_the_end_that_were_written_anew_are_named_before_and_after_the_next_start() {
    for more in 0..2 {
        let dir = synced(4);
        cut_to(dir.path(), 2);
        let head = fs::read(dir.path().join(HEAD)).unwrap();
        fs::remove_file(dir.path().join(HEAD)).unwrap();
        let mut forger = AuditFile::open(dir.path(), NOW).unwrap();
        for number in 0..2 + more {
            forger.append(&note("task.cancelled"), Some(2 + number)).unwrap();
        }
        drop(forger);
        fs::write(dir.path().join(HEAD), head).unwrap();
        let findings = verify(dir.path()).unwrap().findings;
        assert_eq!(findings, ["line 4 is not the one that was written: the head names another"]);
        drop(AuditFile::open(dir.path(), NOW).unwrap());
        let findings = verify(dir.path()).unwrap().findings;
        let n = 5 + more;
        let told =
            format!("line {n} says: line 4 was written as another one than stood there when the file was opened again");
        assert_eq!(findings, [told]);
    }
}

#[test]
fn the_head_goes_on_over_files_that_are_set_aside_and_names_one_that_is_removed() {
    let dir = TempDir::new().unwrap();
    let mut file = AuditFile::open_up_to(dir.path(), 300, NOW).unwrap();
    for number in 0..5 {
        file.append(&note("task.approved"), Some(number)).unwrap();
    }
    file.sync().unwrap();
    drop(file);
    let sound = verify(dir.path()).unwrap();
    assert_eq!((sound.head, sound.findings.len()), (Some(5), 0));
    fs::remove_file(dir.path().join(FILE)).unwrap();
    let last = verify(dir.path()).unwrap().last;
    assert!(verify(dir.path()).unwrap().findings[0].contains("missing at the end"));
    drop(AuditFile::open_up_to(dir.path(), 300, NOW).unwrap());
    let sound = verify(dir.path()).unwrap();
    assert!(last < 5 && sound.last == 6, "{sound:?}");
    assert!(sound.findings[0].contains("as line 6 says"), "{sound:?}");
    // All of it is gone: the numbers go on, and what is there then begins behind what is not.
    for path in sound.files {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(broken(dir.path()), Some(1));
    assert_eq!(AuditFile::open(dir.path(), NOW).unwrap().seen(), Some(last - 1), "as the head has it");
    let sound = verify(dir.path()).unwrap();
    assert_eq!((sound.first, sound.last, sound.findings.len()), (7, 7, 0));
}

#[tokio::test]
async fn a_line_that_nobody_waits_for_is_named_by_the_head_before_long() {
    let dir = TempDir::new().unwrap();
    let audit = Audit::default();
    audit.begin(dir.path(), NOW).unwrap();
    audit.of_event(note("task.approved"), 42).await.unwrap();
    // The sync is the awaited event, and nothing but the time brings it.
    while head::kept(dir.path()).is_none() {
        tokio::task::yield_now().await;
    }
    audit.of_event(note("task.approved"), 43).await.unwrap();
    drop(audit);
    while head::kept(dir.path()).is_none_or(|headed| headed.n < 2) {
        tokio::task::yield_now().await;
    }
    assert_eq!(verify(dir.path()).unwrap().findings.len(), 0);
}

#[test]
fn one_process_writes_at_a_time() {
    let dir = written(1);
    let first = AuditFile::open(dir.path(), NOW).unwrap();
    assert!(matches!(AuditFile::open(dir.path(), NOW), Err(AuditFault::Taken(_))));
    drop(first);
    assert!(AuditFile::open(dir.path(), NOW).is_ok());
}

#[test]
fn behind_a_last_line_that_is_damaged_nothing_is_written() {
    let dir = written(2);
    let whole = text(dir.path()).replace("\"n\":2", "\"n\":3");
    fs::write(dir.path().join(FILE), &whole).unwrap();
    assert!(matches!(AuditFile::open(dir.path(), NOW), Err(AuditFault::Damaged { .. })));
    assert_eq!(text(dir.path()), whole, "it stays as it is for whoever looks");
}

#[test]
fn where_no_audit_is_there_is_nothing_to_say() {
    let dir = TempDir::new().unwrap();
    assert!(matches!(verify(dir.path()), Err(VerifyError::None(_))));
}

#[tokio::test]
async fn a_flood_of_denials_leaves_a_number_and_what_is_waited_for_is_written_all_the_same() {
    let dir = TempDir::new().unwrap();
    let audit = Audit::default();
    audit.denied(note("before it began"));
    assert_eq!(audit.begin(dir.path(), NOW).unwrap(), None);
    for _ in 0..20 {
        // As many as may wait, and then those are written before more come: nothing but the quota leaves any out.
        for _ in 0..250 {
            audit.denied(Note { rule: Some("UNAUTHENTICATED".to_owned()), ..note("request") });
        }
        audit.settle().await;
    }
    audit.before(note("token.create")).await.unwrap();
    audit.of_event(note("task.approved"), 42).await.unwrap();
    audit.settle().await;
    let all = text(dir.path());
    let denials = all.lines().filter(|line| line.contains("UNAUTHENTICATED")).count();
    assert!((900..2_000).contains(&denials), "{denials} of 5,000");
    assert_eq!(all.lines().filter(|line| line.contains("token.create")).count(), 1);
    assert!(!all.contains("before it began"));
    let sound = verify(dir.path()).unwrap();
    assert_eq!(sound.journal, 42);
}

#[tokio::test]
async fn how_many_denials_were_left_out_is_told_with_the_next_one() {
    let dir = TempDir::new().unwrap();
    let audit = Audit::default();
    audit.begin(dir.path(), NOW).unwrap();
    let told = |all: &str| all.lines().filter(|line| line.contains("audit.left_out")).count();
    for _ in 0..4_000 {
        audit.denied(note("request"));
    }
    // The quota lets ten in a second: the awaited event is the line itself.
    loop {
        audit.denied(note("request"));
        audit.settle().await;
        if told(&text(dir.path())) > 0 {
            break;
        }
    }
    assert!(verify(dir.path()).is_ok());
}

#[tokio::test]
async fn an_audit_that_never_began_keeps_nobody_waiting() {
    let audit = Audit::default();
    assert_eq!(audit.before(note("token.create")).await, Ok(()));
    audit.settle().await;
}

#[test]
fn the_count_of_events_goes_back_where_a_backup_was_put_back_and_nowhere_else() {
    let dir = written(5);
    let mut file = AuditFile::open(dir.path(), NOW).unwrap();
    file.append(&note(JOURNAL_RESTORED), Some(1)).unwrap();
    assert_eq!(file.seen(), Some(1), "the next hub tells on from there");
    file.append(&note("task.approved"), Some(2)).unwrap();
    assert_eq!(verify(dir.path()).unwrap().journal, 2);
    file.append(&note("task.approved"), Some(1)).unwrap();
    assert_eq!(broken(dir.path()), Some(8));
}
