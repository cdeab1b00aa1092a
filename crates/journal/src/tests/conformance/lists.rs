//! Lists, search and history.

use std::collections::BTreeSet;

use super::{TestStore, numbers};
use crate::domain::ids::{RoleId, TaskId};
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{Comment, KeptText, Priority, Target, TargetWho, TaskRecord, TaskSpec, TaskStateName};
use crate::samples::*;
use crate::{Append, Blob, Counted, IdKind, PageRequest, QuestionFilter, ReadError, Seq, Stream, TaskFilter};

pub(super) fn open_and_closed_tasks_are_told_apart(mut bench: impl TestStore) {
    for n in 1..=3 {
        bench.write(creates(spec(n)));
    }
    let mut task = bench.reader().task(&task_id(2)).unwrap().unwrap();
    bench.write(happens(&mut task, at(9), vec![TaskRecord::Cancelled { reason: None }]));
    assert_eq!(numbers(&bench.reader().open_tasks().unwrap()), [1, 3]);
    let counts = bench.reader().task_counts().unwrap();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(TaskStateName::Queued, 2), (TaskStateName::Cancelled, 1)]);
    bench.write(happens(&mut task, at(10), vec![TaskRecord::Requeued { count_anew: false, held_for: None }]));
    assert_eq!(numbers(&bench.reader().open_tasks().unwrap()), [1, 2, 3]);
}

pub(super) fn tasks_are_counted_by_the_minute_in_which_they_ended(mut bench: impl TestStore) {
    for n in 1..=3 {
        bench.write(creates(spec(n)));
    }
    for (n, seconds) in [(1, 30), (2, 90)] {
        let mut task = bench.reader().task(&task_id(n)).unwrap().unwrap();
        bench.write(happens(&mut task, at(seconds), vec![TaskRecord::Cancelled { reason: None }]));
    }
    let ended = |since| bench.reader().ended_since(since).unwrap().into_iter().collect::<Vec<_>>();
    let cancelled = TaskStateName::Cancelled;
    assert_eq!(ended(at(0)), [((0, cancelled), 1), ((1, cancelled), 1)], "an open one is not among them");
    assert_eq!(ended(at(31)), [((0, cancelled), 1)], "the minutes are counted from the moment that is given");
    let mut task = bench.reader().task(&task_id(1)).unwrap().unwrap();
    bench.write(happens(&mut task, at(95), vec![TaskRecord::Requeued { count_anew: false, held_for: None }]));
    let bench = bench.reopen();
    let ended = bench.reader().ended_since(at(0)).unwrap();
    assert_eq!(ended.into_iter().collect::<Vec<_>>(), [((1, cancelled), 1)], "what is queued again has not ended");
}

pub(super) fn children_are_found_by_their_parent(mut bench: impl TestStore) {
    let child = |n| TaskSpec { parent: Some(task_id(1)), ..spec(n) };
    for spec in [spec(1), child(2), spec(3), child(4), child(5)] {
        bench.write(creates(spec));
    }
    let children = |parent, most| numbers(&bench.reader().children(&task_id(parent), most).unwrap());
    assert_eq!(children(1, 9), [2, 4, 5], "oldest first");
    assert_eq!((children(1, 2), children(3, 9)), (vec![2, 4], vec![]));
}

pub(super) fn each_filter_narrows_the_list(mut bench: impl TestStore) {
    let role = Target { who: TargetWho::Role(RoleId::parse("test-engineer").unwrap()), capabilities: BTreeSet::new() };
    bench.write(creates(spec(1)));
    bench.write(creates(TaskSpec { target: role, ..spec(2) }));
    bench.write(creates(TaskSpec { priority: Priority::High, ..spec(3) }));
    let mut task = bench.reader().task(&task_id(1)).unwrap().unwrap();
    let offered = task_records().remove(1);
    bench.write(happens(&mut task, at(9), vec![offered]));
    let filter = TaskFilter::default;
    assert_eq!(bench.found(&filter()), [3, 2, 1], "newest first");
    assert_eq!(bench.found(&TaskFilter { states: vec![TaskStateName::Assigned], ..filter() }), [1]);
    let queued_or_failed = vec![TaskStateName::Failed, TaskStateName::Queued];
    assert_eq!(bench.found(&TaskFilter { states: queued_or_failed, ..filter() }), [3, 2]);
    assert_eq!(bench.found(&TaskFilter { agent: Some(agent_id("fullstack-1")), ..filter() }), [1]);
    assert_eq!(bench.found(&TaskFilter { target: Some("role:test-engineer".to_owned()), ..filter() }), [2]);
    assert_eq!(bench.found(&TaskFilter { target: Some("any".to_owned()), ..filter() }), [3, 1]);
    assert_eq!(bench.found(&TaskFilter { priority: Some(Priority::High), ..filter() }), [3]);
    let since = |millis| TaskFilter { changed_since: Some(at(millis)), ..filter() };
    assert_eq!(bench.found(&since(9)), [1], "made earlier, changed then");
    assert_eq!(bench.found(&since(10)), [0; 0]);
    let none = TaskFilter { priority: Some(Priority::High), agent: Some(agent_id("fullstack-1")), ..filter() };
    assert_eq!(bench.found(&none), [0; 0]);
}

pub(super) fn pages_are_stable_while_tasks_are_added(mut bench: impl TestStore) {
    for n in 1..=5 {
        bench.write(creates(spec(n)));
    }
    // Two tasks of one moment: the id decides.
    bench.write(creates(TaskSpec { created_at: at(4), ..spec(9) }));
    let mut cursor = None;
    let mut pages = Vec::new();
    loop {
        let page = bench.reader().tasks(&TaskFilter::default(), &PageRequest { limit: 2, cursor }).unwrap();
        pages.push(numbers(&page.items));
        bench.write(creates(spec(100 + u32::try_from(pages.len()).unwrap())));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, [[5, 9], [4, 3], [2, 1]]);
}

pub(super) fn a_foreign_cursor_is_refused(bench: impl TestStore) {
    for cursor in ["", "7", "7.", "x.task0001", "7.'; DROP TABLE tasks", "ёжик"] {
        let page = PageRequest { limit: 2, cursor: Some(cursor.to_owned()) };
        let refused = bench.reader().tasks(&TaskFilter::default(), &page);
        assert_eq!(refused, Err(ReadError::Cursor { given: cursor.to_owned() }));
    }
}

pub(super) fn words_are_found_in_whatever_was_said_of_a_task(mut bench: impl TestStore) {
    let said =
        |n, title: &str, prompt: &str| TaskSpec { title: Some(title.to_owned()), prompt: prompt.to_owned(), ..spec(n) };
    bench.write(creates(said(1, "Login", "build the form")));
    bench.write(creates(said(2, "Logout", "build the button")));
    bench.write(Append { blobs: vec![Blob { id: blob_id(7), text: "all about penguins".to_owned() }], ..says(0) });
    let mut task = bench.reader().task(&task_id(2)).unwrap().unwrap();
    let message = KeptText::Stored {
        blob: blob_id(7),
        head: "all".to_owned(),
        bytes: 18,
        digest: String::new(),
        sanitized: None,
    };
    let agent = agent_id("fullstack-1");
    let submitted = TaskRecord::Submitted { agent, message, diff: None, artifacts: Vec::new() };
    let remarked =
        TaskRecord::Remarked { comment: Comment { file: None, ..comment("mind the Höhle") }, posted_to: None };
    bench.write(happens(&mut task, at(9), vec![submitted, remarked]));
    bench.index();
    let ask = |query: &str| bench.found(&TaskFilter { query: Some(query.to_owned()), ..TaskFilter::default() });
    assert_eq!(ask("build"), [2, 1]);
    assert_eq!(ask("FORM"), [1]);
    assert_eq!(ask("logi"), [1], "the beginning of a word is enough");
    assert_eq!(ask("penguins"), [2], "a text that is kept apart is searched whole");
    assert_eq!(ask("logout höhle"), [2], "each word, wherever it was said");
    assert_eq!(ask("login button"), [0; 0]);
    assert_eq!(ask("  "), [2, 1], "no word means no question");
    let both =
        TaskFilter { query: Some("build".to_owned()), states: vec![TaskStateName::Queued], ..TaskFilter::default() };
    assert_eq!(bench.found(&both), [1]);
}

pub(super) fn no_question_breaks_the_search(mut bench: impl TestStore) {
    bench.write(creates(spec(1)));
    bench.index();
    let long = "a".repeat(10_000);
    for query in ["\"", "a\"b", "NEAR(", "a OR", "said:x", "* ^ -", "a\0b", "'; DROP TABLE", "(((", &long, "-1 +2"] {
        let filter = TaskFilter { query: Some(query.to_owned()), ..TaskFilter::default() };
        assert!(bench.reader().tasks(&filter, &PageRequest::default()).is_ok(), "{query}");
    }
}

pub(super) fn history_is_the_newest_of_one_stream_oldest_first(mut bench: impl TestStore) {
    bench.write(creates(spec(1)));
    bench.write(creates(spec(2)));
    let mut task = bench.reader().task(&task_id(1)).unwrap().unwrap();
    for text in ["one", "two", "three"] {
        bench.write(happens(&mut task, at(9), vec![TaskRecord::Remarked { comment: comment(text), posted_to: None }]));
    }
    let seqs = |limit| -> Vec<u64> {
        let history = bench.reader().history(&Stream::Task(task_id(1)), limit).unwrap();
        history.iter().map(|kept| kept.seq.0).collect()
    };
    assert_eq!(seqs(100), [1, 3, 4, 5]);
    assert_eq!(seqs(2), [4, 5]);
    assert_eq!(bench.reader().history(&Stream::Task(task_id(9)), 5).unwrap(), []);
}

pub(super) fn records_can_be_read_piece_by_piece(mut bench: impl TestStore) {
    bench.write(says(5));
    let seqs = |after, limit| -> Vec<u64> {
        bench.reader().records(Seq(after), limit).unwrap().iter().map(|kept| kept.seq.0).collect()
    };
    assert_eq!(seqs(0, 2), [1, 2]);
    assert_eq!(seqs(2, 2), [3, 4]);
    assert_eq!(seqs(4, 2), [5]);
    assert_eq!(seqs(5, 2), [0; 0]);
    assert_eq!(seqs(u64::MAX >> 1, 2), [0; 0]);
}

pub(super) fn ids_are_found_by_how_they_begin(mut bench: impl TestStore) {
    for id in ["taskab01", "taskac01", "taskac02", "taskad01"] {
        bench.write(creates(TaskSpec { id: TaskId::parse(id).unwrap(), ..spec(1) }));
    }
    let found = |kind, beginning: &str, most| bench.reader().ids_beginning(kind, beginning, most).unwrap();
    assert_eq!(found(IdKind::Task, "taskac", 9), ["taskac01", "taskac02"]);
    assert_eq!(found(IdKind::Task, "taskac01", 9), ["taskac01"], "a whole id is its own beginning");
    assert_eq!(found(IdKind::Task, "task", 3), ["taskab01", "taskac01", "taskac02"], "the first, and no more");
    for nothing in ["taske", "s_", "taskac011", "%", "task_c"] {
        assert_eq!(found(IdKind::Task, nothing, 9), [""; 0], "{nothing}");
    }
    for kind in [IdKind::Session, IdKind::Question, IdKind::Review, IdKind::Workflow] {
        assert_eq!(found(kind, "task", 9), [""; 0], "{kind:?} is another kind");
    }
}

pub(super) fn questions_are_counted_as_they_are_listed(mut bench: impl TestStore) {
    bench.write(registers("fullstack-1", 1, at(0)));
    for n in 1..=3 {
        let asked = QuestionRecord::Asked { spec: Box::new(question_spec(n)) };
        bench.write(in_question(n.into(), vec![asked]));
    }
    let resolved = question_records().into_iter().find(|one| matches!(one, QuestionRecord::Resolved { .. })).unwrap();
    bench.write(in_question(4, vec![resolved]));
    let any = QuestionFilter::default;
    let other = Some(agent_id("nobody-1"));
    for (filter, expected) in [
        (any(), 3),
        (QuestionFilter { open: Some(true), ..any() }, 2),
        (QuestionFilter { open: Some(false), ..any() }, 1),
        (QuestionFilter { agent: Some(question_spec(1).agent_id), ..any() }, 3),
        (QuestionFilter { agent: other, ..any() }, 0),
        (QuestionFilter { session: Some(question_spec(1).session_id), open: Some(true), ..any() }, 2),
    ] {
        let listed = bench.reader().questions(&filter, &PageRequest::default()).unwrap().items.len();
        let counted = bench.reader().count(Counted::Questions(&filter));
        assert_eq!((listed, counted), (expected, Ok(expected as u64)), "{filter:?}");
    }
}
