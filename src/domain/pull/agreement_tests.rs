//! Which review of the hub's own is of a pull request, and what it says of it.

use rstest::rstest;

use super::*;
use crate::domain::ids::{AgentId, PullId, SessionId, TaskId};
use crate::domain::review::{Change, Review, ReviewState, Round};
use crate::domain::task::KeptText;
use crate::domain::time::Timestamp;

const SECOND: u64 = 1_000;

fn session() -> SessionId {
    SessionId::parse("s_00000001").unwrap()
}

fn task() -> TaskId {
    TaskId::parse("task0001").unwrap()
}

/// Opened at second 5, for the task.
fn pull() -> PullRequest {
    let spec = PullSpec {
        repository: Repository::parse("acme/shop").unwrap(),
        head: Branch::parse("feature/login").unwrap(),
        base: None,
        title: "Add the login".to_owned(),
        body: String::new(),
        draft: false,
        work_item: None,
    };
    let mut pull =
        PullRequest::requested(PullId::parse("pr_00000001").unwrap(), Some(task()), &spec, Timestamp(5 * SECOND));
    (pull.number, pull.state) = (Some(7), PullState::Open);
    pull
}

fn of(change: Change) -> Review {
    let round = Round {
        number: 1,
        agent: AgentId::parse("ann").unwrap(),
        session: Some(session()),
        message: KeptText::inline("look"),
        change,
        notes: None,
        at: Timestamp(9 * SECOND),
        verdicts: Vec::new(),
    };
    let at = Timestamp(9 * SECOND);
    Review {
        task: task(),
        state: ReviewState::Approved,
        rounds: vec![round],
        comments: Vec::new(),
        opened_at: at,
        updated_at: at,
    }
}

fn named(id: &str, commit: Option<&str>) -> Change {
    Change { pr_id: Some(id.to_owned()), commit: commit.map(str::to_owned), ..Change::default() }
}

#[rstest]
#[case::in_its_commit(named("pr_00000001", Some("c1")), HubReview::Approved)]
#[case::pushed_since(named("pr_00000001", Some("c0")), HubReview::Outdated)]
#[case::unseen_then(named(" #7", None), HubReview::Approved)]
#[case::another(named("pr_00000002", Some("c1")), HubReview::NotAsked)]
#[case::as_a_diff(Change { diff: Some(KeptText::inline("+x")), ..Change::default() }, HubReview::NotAsked)]
#[case::with_the_task(Change::default(), HubReview::Approved)]
fn an_approval_is_of_what_was_handed_in(#[case] change: Change, #[case] says: HubReview) {
    assert_eq!(HubReview::of(&pull(), &session(), "c1", &[of(change)]), says);
}

#[test]
fn another_sessions_work_and_what_was_opened_after_it_was_handed_in_are_none_of_it() {
    let review = of(Change::default());
    let says = |pull: &PullRequest, session: &SessionId, review: Review| HubReview::of(pull, session, "c1", &[review]);
    let later = PullRequest { requested_at: Timestamp(10 * SECOND), ..pull() };
    assert_eq!(says(&later, &session(), review.clone()), HubReview::NotAsked);
    let of_none = PullRequest { task: None, ..pull() };
    assert_eq!(says(&of_none, &session(), review.clone()), HubReview::NotAsked);
    let other = SessionId::parse("s_00000002").unwrap();
    assert_eq!(says(&pull(), &other, review), HubReview::NotAsked);
    assert_eq!(HubReview::of(&pull(), &session(), "c1", &[]), HubReview::NotAsked);
}

#[test]
fn the_round_that_was_handed_in_last_says_how_it_stands() {
    let at = |second: u64, state: ReviewState| {
        let mut review = of(named("7", None));
        review.state = state;
        review.rounds[0].at = Timestamp(second * SECOND);
        review
    };
    for (state, says) in [
        (ReviewState::Open, HubReview::Open),
        (ReviewState::ChangesRequested, HubReview::ChangesRequested),
        (ReviewState::Withdrawn, HubReview::NotAsked),
    ] {
        let both = [at(20, state), at(10, ReviewState::Approved)];
        assert_eq!(HubReview::of(&pull(), &session(), "c1", &both), says);
    }
}
