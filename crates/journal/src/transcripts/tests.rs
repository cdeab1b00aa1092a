//! What was kept is found again; what is old goes, and nothing else.

use std::collections::BTreeMap;

use regex::Regex;

use super::*;
use crate::domain::ids::{AgentId, PrincipalId, TerminalId};
use crate::domain::terminal::{TerminalKind, TerminalSpec};
use crate::domain::time::Timestamp;

fn id(name: &str) -> TerminalId {
    TerminalId::parse(name).unwrap()
}

fn kept(name: &str, agent: Option<&str>, updated_at: u64) -> KeptTerminal {
    KeptTerminal {
        spec: TerminalSpec {
            id: id(name),
            owner: PrincipalId::parse("person:ada").unwrap(),
            agent: agent.map(|agent| AgentId::parse(agent).unwrap()),
            workspace: None,
            kind: TerminalKind::Pushed,
            log_file: None,
            metadata: BTreeMap::new(),
            started_at: Timestamp(0),
        },
        position: 100,
        read_to: None,
        rows: 24,
        cols: 80,
        drawing: "drawn".to_owned(),
        screen: vec!["the screen, its prompt:".to_owned()],
        screen_line: 3,
        waits: false,
        stopped_at: None,
        updated_at: Timestamp(updated_at),
    }
}

fn line(number: u64, text: &str) -> KeptLine {
    KeptLine { number, at: Timestamp(number), wrapped: false, text: text.to_owned() }
}

fn batch(terminal: KeptTerminal, lines: &[&str]) -> Batch {
    let lines = (0..).zip(lines).map(|(number, text)| line(number, text)).collect();
    Batch { terminal, lines, drop_before: 0 }
}

fn search(pattern: &str, whose: Whose) -> Search {
    Search { pattern: Regex::new(pattern).unwrap(), only: None, whose, context: 1, skip: 0, most: 10 }
}

fn ada_of(agent: &str) -> Whose {
    Whose::Of(AgentId::parse(agent).unwrap(), PrincipalId::parse("agent:x").unwrap())
}

/// In memory, and in a file: the same is expected of both.
fn both(test: impl Fn(Transcripts)) {
    test(Transcripts::in_memory());
    let folder = tempfile::tempdir().unwrap();
    test(Transcripts::at(folder.path().join("terminals.db")));
}

#[test]
fn what_was_kept_is_read_back_and_old_lines_go() {
    both(|transcripts| {
        assert_eq!(transcripts.read(&id("a")).unwrap(), None);
        transcripts.write(&batch(kept("a", None, 1), &["one", "two", "three"])).unwrap();
        let more = Batch { terminal: kept("a", None, 2), lines: vec![line(3, "four")], drop_before: 2 };
        transcripts.write(&more).unwrap();
        let (terminal, lines) = transcripts.read(&id("a")).unwrap().unwrap();
        assert_eq!((terminal.updated_at, terminal.drawing.as_str()), (Timestamp(2), "drawn"));
        assert_eq!(lines, [line(2, "three"), line(3, "four")]);
    });
}

#[test]
fn a_search_counts_everything_and_gives_what_stands_around() {
    both(|transcripts| {
        transcripts.write(&batch(kept("a", Some("dev-1"), 1), &["error: one", "fine", "error: two"])).unwrap();
        transcripts.write(&batch(kept("b", Some("dev-2"), 2), &["error: three"])).unwrap();
        let passed = transcripts.search(&Search { skip: 1, most: 1, ..search("^error", Whose::All) }).unwrap();
        let found = transcripts.search(&Search { most: 2, ..search("^error", Whose::All) }).unwrap();
        assert_eq!((passed.total, &passed.matches[..]), (found.total, &found.matches[1..2]), "one was passed over");
        assert_eq!((found.total, found.searched, found.matches.len()), (3, 2, 2));
        assert_eq!((found.matches[0].terminal.as_str(), found.matches[0].line_number), ("b", 1));
        assert_eq!(found.matches[1].text, "error: one");
        assert_eq!((&found.matches[1].before, &found.matches[1].after), (&vec![], &vec!["fine".to_owned()]));
        let own = transcripts.search(&search("error|prompt", ada_of("dev-1"))).unwrap();
        assert_eq!((own.total, own.searched), (3, 1), "two lines and the screen");
        assert_eq!((own.matches[2].line_number, own.matches[2].before.as_slice()), (4, &["error: two".to_owned()][..]));
        let one = transcripts.search(&Search { only: Some(id("b")), ..search("error", Whose::All) }).unwrap();
        assert_eq!((one.total, one.searched), (1, 1));
    });
}

#[test]
fn a_search_takes_linear_time_also_where_others_take_for_ever() {
    let transcripts = Transcripts::in_memory();
    transcripts.write(&batch(kept("a", None, 1), &[&"a".repeat(4_000)])).unwrap();
    let found = transcripts.search(&search("(a|a)*(a+)+b$", Whose::All)).unwrap();
    assert_eq!(found.total, 0);
}

#[test]
fn a_cleaning_takes_what_is_old_and_of_the_caller_and_says_so_before() {
    both(|transcripts| {
        for (name, agent, at) in [("old", "dev-1", 10), ("others", "dev-2", 10), ("new", "dev-1", 30)] {
            transcripts.write(&batch(kept(name, Some(agent), at), &["12345"])).unwrap();
        }
        let mut followed = kept("followed", Some("dev-1"), 10);
        followed.spec.kind = TerminalKind::File;
        transcripts.write(&batch(followed, &[])).unwrap();
        let would = transcripts.clean(Timestamp(20), &ada_of("dev-1"), true).unwrap();
        assert_eq!(would, Cleaned { terminals: vec!["old".to_owned()], bytes: 10 });
        assert!(transcripts.read(&id("old")).unwrap().is_some());
        assert_eq!(transcripts.clean(Timestamp(20), &ada_of("dev-1"), false).unwrap(), would);
        assert_eq!(transcripts.read(&id("old")).unwrap(), None);
        let left = transcripts.clean(Timestamp(20), &Whose::All, false).unwrap();
        assert_eq!(left.terminals, ["others"], "one that is followed is not over");
    });
}

#[test]
fn a_hub_that_starts_goes_on_with_what_is_followed_and_what_waits() {
    both(|transcripts| {
        let plain = kept("plain", None, 1);
        let waits = KeptTerminal { waits: true, ..kept("waits", None, 1) };
        let stopped = KeptTerminal { waits: true, stopped_at: Some(Timestamp(2)), ..kept("stopped", None, 1) };
        let mut follows = kept("follows", None, 1);
        follows.spec.kind = TerminalKind::Ssh;
        for terminal in [plain, waits, stopped, follows] {
            transcripts.write(&batch(terminal, &[])).unwrap();
        }
        let names: Vec<String> =
            transcripts.to_resume().unwrap().into_iter().map(|kept| kept.spec.id.to_string()).collect();
        assert_eq!(names, ["follows", "waits"]);
    });
}

#[test]
fn the_file_is_for_its_owner_alone_and_one_that_is_damaged_is_begun_anew() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terminals.db");
    std::fs::write(&path, b"no database at all, but long enough to be taken for one by whoever only looks").unwrap();
    let transcripts = Transcripts::at(path.clone());
    transcripts.write(&batch(kept("a", None, 1), &["one"])).unwrap();
    assert!(transcripts.read(&id("a")).unwrap().is_some());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_copy_has_what_was_there_at_its_moment_and_takes_nobodys_place() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("terminals.db"), folder.path().join("copy.db"));
    let transcripts = Transcripts::at(path.clone());
    transcripts.write(&batch(kept("a", None, 1), &["one"])).unwrap();
    backup(&path, &copy).unwrap();
    transcripts.write(&batch(kept("a", None, 2), &["one", "two"])).unwrap();
    let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(backup(&path, &copy).is_err(), "it is there already");
    let (terminal, lines) = Transcripts::at(copy).read(&id("a")).unwrap().unwrap();
    assert_eq!((terminal.updated_at, lines.len()), (Timestamp(1), 1));
    let never = folder.path().join("never.db");
    assert!(backup(&folder.path().join("nowhere.db"), &never).is_err());
    assert!(!never.exists());
}
