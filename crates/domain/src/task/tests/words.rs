//! What a task says of itself: codes, names, who must act, and texts that are kept apart.

use std::sync::Arc;

use super::kit::*;
use crate::ids::{AgentId, BlobId, LeaseEpoch};
use crate::principal::Surface;
use crate::task::*;

fn stored(digest: &str) -> KeptText {
    let (blob, head) = (BlobId::parse("b_00000001").unwrap(), "a long".to_owned());
    KeptText::Stored { blob, head, bytes: 20_000, digest: digest.to_owned(), sanitized: None }
}

#[test]
fn each_refusal_has_its_code_and_says_which_task() {
    let task = || task_id("task0001");
    let table = [
        (TaskRefusal::NotFound { task: "task0001".to_owned() }, "TASK_NOT_FOUND"),
        (
            TaskRefusal::LeaseLost { task: task(), given: LeaseEpoch(1), current: LeaseEpoch(2), holds: false },
            "LEASE_LOST",
        ),
        (TaskRefusal::Closed { task: task(), state: TaskStateName::Completed }, "TASK_CLOSED"),
        (TaskRefusal::Cancelled { task: task(), reason: Some("not needed".to_owned()) }, "TASK_CANCELLED"),
        (TaskRefusal::WrongState { task: task(), state: TaskStateName::Queued, needs: "a lease" }, "TASK_WRONG_STATE"),
    ];
    for (refusal, code) in table {
        assert_eq!(refusal.code(), code);
        assert!(refusal.to_string().contains("`task0001`"), "{refusal}");
    }
    assert_eq!(TaskRefusal::BlockedReasonMissing.code(), "BLOCKED_REASON_MISSING");
}

#[test]
fn a_state_is_read_as_it_is_written() {
    for name in TaskStateName::ALL {
        assert_eq!(TaskStateName::parse(name.as_str()), Some(name));
        assert_eq!(serde_json::to_value(name).unwrap(), name.to_string());
    }
    assert_eq!(TaskStateName::parse("queued"), None);
}

#[test]
fn a_report_leads_where_it_says() {
    let table = [
        (progress(), TaskStateName::InProgress),
        (ReportKind::Completed, TaskStateName::Completed),
        (blocked("how?"), TaskStateName::Blocked),
        (ReportKind::Failed, TaskStateName::Failed),
    ];
    for (kind, state) in table {
        assert_eq!(kind.leads_to(), state);
        let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::tell("ann", kind));
        assert_eq!(story.state(), state);
    }
}

#[test]
fn a_word_is_an_agents_or_an_operators() {
    let ann: AgentId = agent("ann");
    assert_eq!(Authority::Agent(ann.clone()).agent(), Some(&ann));
    assert_eq!(Authority::Operator.agent(), None);
}

#[test]
fn each_surface_is_a_way_to_ask() {
    let ways = Surface::ALL.map(|surface| serde_json::to_value(OriginKind::of(surface)).unwrap());
    assert_eq!(ways, ["agent", "discord", "page", "cli", "api", "api", "hub", "workflow", "hub"]);
}

#[test]
fn texts_are_the_same_by_their_words_or_their_digest() {
    let inline = KeptText::inline;
    assert!(inline("a").same_as(&inline("a")) && !inline("a").same_as(&inline("b")));
    assert!(stored("1").same_as(&stored("1")) && !stored("1").same_as(&stored("2")));
    assert!(!inline("a long").same_as(&stored("1")) && !stored("1").same_as(&inline("a long")));
    assert_eq!((inline("a").head(), stored("1").head()), ("a", "a long"));
    assert_eq!(KeptText::INLINE_LIMIT, 16_384, "a longer text lies apart");
}

#[test]
fn nothing_but_a_creation_begins_a_task_and_it_is_created_once() {
    let nobody = Task::begin(DAWN, &TaskCommand::Retry, &cause("boss")).unwrap_err();
    assert_eq!(nobody.code(), "TASK_NOT_FOUND");
    let create = TaskCommand::Create { spec: Arc::new(spec()), dependencies: Default::default(), first_offer: None };
    assert_eq!(Story::begins().refuses(&create).code(), "TASK_WRONG_STATE");
}

#[test]
fn whoever_must_act_is_named() {
    let leased = Story::begins().then(say::offer("ann")).then(say::ack("ann"));
    let says = |story: &Story| story.task.waits_for().map(|who| who.to_string());
    assert_eq!(says(&Story::begins()).as_deref(), Some("`any` must take it"));
    assert_eq!(says(&leased), None);
    let asked = leased.clone().then(say::tell("ann", blocked("which database?")));
    assert_eq!(says(&asked).as_deref(), Some("`boss` must answer: which database?"));
    assert_eq!(asked.task.blocked_reason().as_deref(), Some("which database?"));
    let submitted = leased.then(say::submit("ann"));
    assert_eq!(says(&submitted).as_deref(), Some("a reviewer must approve it or request changes"));
    assert_eq!(submitted.task.blocked_reason(), None);
    let waiting = Story::depends(&[("first001", Dependency::Pending), ("second01", met())]);
    assert_eq!(waiting.task.blocked_reason().as_deref(), Some("`first001` must complete first"));
    let failed = waiting.then(say::moved("first001", failed()));
    assert!(failed.task.blocked_reason().unwrap().contains("retry that one, or cancel this one"));
    let cancelled = Dependency::Failed { state: TaskStateName::Cancelled };
    let for_good = Story::depends(&[("first001", Dependency::Pending)]).then(say::moved("first001", cancelled));
    let reason = for_good.task.blocked_reason().unwrap();
    assert!(reason.contains("CANCELLED for good: cancel this one") && !reason.contains("retry"), "{reason}");
    let held = TaskCommand::Offer { agent: agent("ann"), terms: LeaseTerms { on_timeout: OnTimeout::Hold, ..terms() } };
    let ran_out = Story::begins().then(held).then(say::ack("ann")).later(TTL);
    assert_eq!(says(&ran_out).as_deref(), Some("the lease ran out: retry, reassign or cancel it"));
}

#[test]
fn what_was_dropped_from_a_text_stays_with_it_wherever_it_is_kept() {
    let dropped = crate::text::Sanitized::of("a\u{202e}b");
    for text in [KeptText::inline("ab"), stored("d")] {
        assert_eq!(text.sanitized(), None);
        let marked = text.clone().cleaned_of(dropped.clone());
        assert_eq!(marked.sanitized(), dropped.as_ref());
        assert!(marked.same_as(&text));
    }
}
