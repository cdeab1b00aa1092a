//! What an open question needs of a person, and what it says of itself.

use super::*;
use crate::ids::{PrincipalId, QuestionId, RoleId, SessionId};
use crate::session::question::{Danger, Question, QuestionKind, QuestionSpec, QuestionState};
use crate::session::{Session, WorkflowStatus};

fn question(danger: Option<Danger>) -> Question {
    Question::asked(QuestionSpec {
        work_item: None,
        id: QuestionId::parse("q_00000001").unwrap(),
        session_id: SessionId::parse("s_00000001").unwrap(),
        agent_id: AgentId::parse("ann").unwrap(),
        task_id: Some(task_id(1)),
        kind: QuestionKind::Decision,
        permission: None,
        question: "Which database?\nThe old one is slow.".to_owned(),
        options: vec!["old".to_owned(), "new".to_owned()],
        default_action: "new".to_owned(),
        danger,
        allow_free_text: false,
        asked_at: NOW,
        expires_at: Timestamp(NOW.0 + 30 * MINUTE),
        reminders: Vec::new(),
        sanitized: None,
    })
}

/// Ann's session, which does nothing but wait for what it asked.
fn waiting(question: &Question) -> Session {
    let (id, ann) = (SessionId::parse("s_00000001").unwrap(), AgentId::parse("ann").unwrap());
    let mut session =
        Session { questions: vec![question.clone()], task: Some(task_id(1)), ..Session::opened(id, ann, NOW) };
    session.standpoint.status =
        if question.is_overdue() { WorkflowStatus::Blocked } else { WorkflowStatus::AwaitingInput };
    session.standpoint.blockers = vec![question.spec.id.to_string()];
    session
}

fn shown(question: &Question) -> InboxItem {
    of_question(question, Some(&waiting(question)), None, None, &Behind::default()).unwrap()
}

#[test]
fn an_open_question_says_who_asks_what_and_what_happens_by_itself() {
    let role = RoleId::parse("test-engineer").unwrap();
    let tasks = [task(2, &[1]), task(3, &[2])];
    let of = Task { spec: urgent_spec(), ..task(1, &[]) };
    let item = {
        let asked = question(None);
        of_question(&asked, Some(&waiting(&asked)), Some(&of), Some(&role), &Behind::of(&tasks)).unwrap()
    };
    let expected = InboxItem {
        id: "question:q_00000001".to_owned(),
        kind: InboxKind::Question,
        title: "Which database?".to_owned(),
        reason: "`ann` asks".to_owned(),
        task_id: Some("task0001".to_owned()),
        workflow_id: None,
        agent_id: Some("ann".to_owned()),
        session_id: Some("s_00000001".to_owned()),
        role: Some(role),
        owner: None,
        since: NOW,
        deadline: Some(Timestamp(NOW.0 + 30 * MINUTE)),
        then: Some("the agent goes on with: new".to_owned()),
        options: vec!["old".to_owned(), "new".to_owned()],
        dangerous: false,
        priority: Priority::Critical,
        cost: InboxCost { waits: vec!["ann".to_owned()], stands_still: 2 },
        actions: vec![InboxAction::Answer],
        sanitized: None,
    };
    assert_eq!(item, expected);
}

fn urgent_spec() -> std::sync::Arc<TaskSpec> {
    std::sync::Arc::new(TaskSpec { priority: Priority::Critical, ..(*task(1, &[]).spec).clone() })
}

#[test]
fn without_a_task_a_question_is_of_normal_priority_and_nothing_stands_behind_it() {
    let item = shown(&question(None));
    assert_eq!((item.priority, item.cost.stands_still, item.role), (Priority::Normal, 0, None));
}

#[test]
fn a_dangerous_question_never_goes_on_by_itself_and_says_so_when_its_time_is_over() {
    let asked = question(Some(Danger::Declared));
    let item = shown(&asked);
    assert!(item.dangerous && item.deadline.is_some());
    assert_eq!(item.then.as_deref(), Some("nothing: it stays open until somebody answers"));
    let overdue = Question { state: QuestionState::Open { reminded: 0, overdue_at: Some(NOW) }, ..asked };
    let item = shown(&overdue);
    assert_eq!(item.deadline, None, "nothing happens by itself any more");
    assert_eq!(item.reason, "`ann` stands still: nobody answered, and its default could do harm");
}

/// Of each pair: the words, who waits, and what stands still.
#[test]
fn only_who_does_nothing_else_waits_and_only_what_is_blocked_on_it_stands_still() {
    let open = question(Some(Danger::Declared));
    let overdue = Question { state: QuestionState::Open { reminded: 0, overdue_at: Some(NOW) }, ..open.clone() };
    let mut works = waiting(&overdue);
    works.standpoint.status = WorkflowStatus::Working;
    let on = |question: Option<QuestionId>| {
        let agent = AgentId::parse("ann").unwrap();
        let on = BlockedOn::Answer { agent, reason: String::new(), question };
        Task { state: TaskState::Blocked { on, since: NOW }, ..task(1, &[]) }
    };
    let (parked, other) = (on(Some(overdue.spec.id.clone())), on(QuestionId::parse("q_00000002").ok()));
    for (asked, session, task, says, waits, still) in [
        (&open, &works, None, "`ann` asks, and does not wait for it", 0, 0),
        (&open, &waiting(&open), None, "`ann` asks", 1, 0),
        (&overdue, &waiting(&overdue), Some(&parked), "`ann` stands still: nobody answered", 1, 1),
        (&overdue, &works, Some(&parked), "its task stands still, and `ann` does not wait for it", 0, 1),
        (&overdue, &works, Some(&other), "nobody answered, and its default could do harm; `ann` does not", 0, 0),
        (&overdue, &works, None, "nobody answered, and its default could do harm; `ann` does not", 0, 0),
    ] {
        let item = of_question(asked, Some(session), task, None, &Behind::default()).unwrap();
        assert!(item.reason.starts_with(says), "{}", item.reason);
        assert_eq!((item.cost.waits.len(), item.cost.stands_still), (waits, still), "{}", item.reason);
    }
}

#[test]
fn a_question_with_its_answer_needs_nobody() {
    use crate::principal::Surface;
    use crate::session::question::{Answerer, Delivery, Resolution, ResolutionType};
    let by = Answerer {
        principal: PrincipalId::parse("person:ada").unwrap(),
        display_name: "Ada".to_owned(),
        surface: Surface::Page,
    };
    let resolution = Box::new(Resolution { kind: ResolutionType::Human, value: "old".to_owned(), by, at: NOW });
    let state = QuestionState::Resolved {
        resolution,
        late_answers: Vec::new(),
        delivery: Delivery::Undelivered,
        way: None,
        used: false,
    };
    assert_eq!(of_question(&Question { state, ..question(None) }, None, None, None, &Behind::default()), None);
}

#[test]
fn a_sort_is_read_as_it_is_written() {
    for kind in InboxKind::ALL {
        assert_eq!(InboxKind::parse(kind.as_str()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
    assert_eq!(InboxKind::parse("Question"), None);
}

/// The role goes with the item for whoever asks what somebody may see; it is the one under which the task was held.
#[test]
fn a_task_brings_the_role_of_whoever_had_it() {
    let ann = AgentId::parse("ann").unwrap();
    let terms = LeaseTerms {
        ttl: crate::time::Millis(1),
        ack_within: crate::time::Millis(1),
        max_attempts: 1,
        last_holder_hold: crate::time::Millis(1),
        on_timeout: OnTimeout::Hold,
        escalate_to: None,
        worktree: false,
        role: RoleId::parse("test-engineer").unwrap(),
        session: None,
    };
    let tenure = Tenure { told: crate::ids::LeaseEpoch(1), newest: crate::ids::LeaseEpoch(1), terms };
    let held = Task {
        state: TaskState::Timeout { since: NOW },
        last_holder: Some(ann.clone()),
        tenures: BTreeMap::from([(ann, tenure)]),
        ..task(1, &[])
    };
    let item = of_task(&held, &Behind::default(), |_| false).unwrap();
    assert_eq!(item.role.as_ref().map(RoleId::as_str), Some("test-engineer"));
}

#[test]
fn a_prompt_in_a_terminal_says_whose_it_is_and_whether_it_may_do_harm() {
    use crate::prompt::PromptKind;
    use crate::terminal::SeenPrompt;
    let (ann, role) = (AgentId::parse("ann").unwrap(), RoleId::parse("test-engineer").unwrap());
    let seen = |is_dangerous| SeenPrompt {
        prompt_text: "Go on? [y/n]".to_owned(),
        confidence: 0.97,
        prompt_type: PromptKind::YesNo,
        matched_pattern: "yes_no.brackets".into(),
        file_position: 12,
        timestamp: NOW,
        is_dangerous,
        signals: Vec::new(),
        safe_to_type: true,
        choices: vec!["y".to_owned(), "n".to_owned()],
    };
    let item = of_terminal("s_00000001", &ann, Some(&role), &seen(false), NOW, false);
    assert_eq!((item.id.as_str(), item.kind), ("input_prompt:s_00000001@12", InboxKind::InputPrompt));
    assert_eq!(prompt_of("s_00000001@12"), Some(("s_00000001", 12)));
    assert_eq!((prompt_of("s_00000001"), prompt_of("s_00000001@x")), (None, None));
    assert_eq!(item.reason, "the terminal of `ann` waits (yes_no), and the agent with it");
    assert_eq!((item.title.as_str(), item.options.len(), item.actions.len()), ("Go on? [y/n]", 2, 0));
    assert_eq!((item.role, item.cost.waits), (Some(role), vec!["ann".to_owned()]));
    let item = of_terminal("s_00000001", &ann, None, &seen(true), NOW, true);
    assert!(item.dangerous && item.reason.ends_with("the answer may destroy something"), "{}", item.reason);
    assert_eq!(item.actions, [InboxAction::Answer]);
}
