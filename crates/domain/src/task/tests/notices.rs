//! Who hears what, and that nobody hears of their own doing.

use super::kit::*;
use crate::agent::NoticeKind;
use crate::task::*;

/// Who hears what after `command`, caused by `who`.
fn heard(story: &Story, who: &str, command: &TaskCommand) -> Vec<(String, NoticeKind, String)> {
    let decision = story.clone().try_as(who, command).unwrap();
    decision.notices.into_iter().map(|(agent, notice)| (agent.to_string(), notice.kind, notice.text)).collect()
}

fn leased() -> Story {
    Story::begins().then(say::offer("ann")).then(say::ack("ann"))
}

#[test]
fn the_asker_hears_how_it_goes() {
    let submitted = leased().then(say::submit("ann"));
    let asks = |command: &TaskCommand| heard(&submitted, "operator", command).remove(0);
    let merge = "task `task0001` by `ann` is approved, and waits to be merged";
    assert_eq!(asks(&say::approve(false)), ("boss".to_owned(), NoticeKind::Task, merge.to_owned()));
    let over = "task `task0001` is COMPLETED by `ann`, approved";
    assert_eq!(asks(&say::approve(true)), ("boss".to_owned(), NoticeKind::Task, over.to_owned()));
    for (story, command, text) in [
        (leased(), say::tell("ann", ReportKind::Completed), "task `task0001` is COMPLETED by `ann`: words"),
        (leased(), say::tell("ann", ReportKind::Failed), "task `task0001` is FAILED by `ann`: words"),
        (
            leased(),
            say::tell("ann", blocked("which port?")),
            "task `task0001` is BLOCKED: `ann` needs an answer, by `answer_task`: which port?\nwords",
        ),
        (leased(), say::submit("ann"), "task `task0001` is IN_REVIEW, submitted by `ann`: look"),
    ] {
        assert_eq!(heard(&story, "ann", &command), [("boss".to_owned(), NoticeKind::Task, text.to_owned())]);
    }
}

#[test]
fn the_asker_hears_of_a_lease_that_ran_out_and_what_follows() {
    let after = |terms: LeaseTerms| {
        let story = Story::begins().then(TaskCommand::Offer { agent: agent("ann"), terms }).then(say::ack("ann"));
        let told = heard(&story.unseen(TTL), "operator", &TaskCommand::Tick);
        assert_eq!((told.len(), told[0].0.as_str(), told[0].1), (1, "boss", NoticeKind::Task));
        told[0].2.clone()
    };
    assert!(after(terms()).ends_with("it is QUEUED for its next attempt"));
    let dead = after(LeaseTerms { max_attempts: 1, ..terms() });
    assert!(
        dead.contains("is TIMEOUT") && dead.ends_with("it is a DEAD_LETTER now: 1 of 1 attempts ran out or failed")
    );
    let held = after(LeaseTerms { on_timeout: OnTimeout::Hold, ..terms() });
    assert!(held.ends_with("it stays so until somebody retries, reassigns or cancels it"));
    let to = Some(target("role:orchestrator"));
    let raised = after(LeaseTerms { on_timeout: OnTimeout::Escalate, escalate_to: to, ..terms() });
    assert!(raised.ends_with("it is QUEUED for `role:orchestrator`"));
}

#[test]
fn progress_and_a_lapsed_offer_disturb_nobody() {
    assert!(heard(&leased(), "ann", &say::tell("ann", progress())).is_empty());
    let offered = Story::begins().then(say::offer("ann")).unseen(ACK);
    assert!(heard(&offered, "operator", &TaskCommand::Tick).is_empty());
}

#[test]
fn the_worker_hears_that_it_must_stop() {
    let stop = |story: &Story, command: &TaskCommand| {
        let told = heard(story, "boss", command);
        told.into_iter().map(|(who, kind, text)| format!("{who} {kind:?} {text}")).collect::<Vec<_>>()
    };
    let cancelled = "ann Cancel Stop working on task `task0001`: it was cancelled: not needed";
    let blocked = leased().then(say::tell("ann", blocked("which port?")));
    for story in [Story::begins().then(say::offer("ann")), leased(), blocked, leased().later(TTL)] {
        assert_eq!(stop(&story, &say::cancel()), [cancelled]);
    }
    assert!(stop(&Story::begins(), &say::cancel()).is_empty(), "nobody works on it");
    let moved = "ann Cancel Stop working on task `task0001`: it was given to somebody else";
    assert_eq!(stop(&leased(), &say::reassign("bob")), [moved]);
}

#[test]
fn whoever_heard_of_an_approval_hears_that_it_counts_no_more() {
    let submitted = leased().then(say::submit("ann"));
    assert!(heard(&submitted, "operator", &say::changes()).is_empty(), "what is to change comes with the task");
    let told = heard(&submitted.then(say::approve(false)), "operator", &say::changes());
    let text = "changes are requested by operator: do not merge task `task0001`, its approval does not count any more";
    assert_eq!(told, [("ann".to_owned(), NoticeKind::Comment, text.to_owned())]);
}

#[test]
fn a_remark_reaches_worker_and_asker_but_not_its_author() {
    let hears = |who: &str| heard(&leased(), who, &say::remark()).into_iter().map(|it| it.0).collect::<Vec<_>>();
    assert_eq!(hears("operator"), ["ann", "boss"]);
    assert_eq!(hears("ann"), ["boss"]);
    assert_eq!(hears("boss"), ["ann"]);
}

#[test]
fn a_long_report_is_cut_in_a_notice_and_whole_in_the_task() {
    let long = "ä".repeat(2_000);
    let command =
        TaskCommand::Report { agent: agent("ann"), epoch: None, report: report(ReportKind::Completed, &long) };
    let told = heard(&leased(), "ann", &command);
    assert_eq!(told[0].2.chars().filter(|letter| *letter == 'ä').count(), 1_000);
    assert!(told[0].2.ends_with('…'));
    assert_eq!(leased().then(command).task.attempts[0].message, Some(KeptText::inline(long)));
}

#[test]
fn a_person_who_asked_hears_by_no_notice() {
    let spec = TaskSpec { asker: crate::ids::PrincipalId::parse("person:ada").unwrap(), ..spec() };
    let story = Story::of(spec, [].into()).then(say::offer("ann")).then(say::ack("ann"));
    assert!(heard(&story, "ann", &say::tell("ann", ReportKind::Completed)).is_empty());
}
