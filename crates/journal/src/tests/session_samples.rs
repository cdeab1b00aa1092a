//! Samples of sessions, questions and terminals for tests, beside those of tasks and agents.

#![expect(clippy::unwrap_used, reason = "built for tests alone, and the texts are fixed")]

use super::sample_ids::{DAWN, agent_id, at, by, principal, session_id, task_id};
use crate::domain::ids::{PullId, QuestionId, TerminalId};
use crate::domain::principal::Surface;
use crate::domain::prompt::learn::{InputSource, Provenance};
use crate::domain::prompt::{PromptKind, Signal};
use crate::domain::pull::{
    Adoption, Approval, ApprovalRight, Branch, MergeMethod, MergeSent, PullChange, PullDeed, PullRecord, PullSpec,
    PullState, Repository,
};
use crate::domain::session::question::{
    Answerer, Delivery, LateAnswer, QuestionKind, QuestionRecord, QuestionSpec, Resolution, ResolutionType,
};
use crate::domain::session::{Awaiting, Bond, Details, SessionRecord, WorkflowStatus};
use crate::domain::terminal::{InputOrder, SeenPrompt, TerminalKind, TerminalRecord, TrackedInput};
use crate::domain::time::Millis;
use crate::domain::work_item::WorkItem;
use crate::entry::{Append, Entry, Record};

/// A question of session 1: which database, the new one by default, half an hour from dawn.
pub fn question_spec(n: u32) -> QuestionSpec {
    QuestionSpec {
        work_item: None,
        id: question_id(n),
        session_id: session_id(1),
        agent_id: agent_id("fullstack-1"),
        task_id: Some(task_id(1)),
        kind: QuestionKind::Decision,
        permission: None,
        question: "Which database, the penguin one?".to_owned(),
        options: vec!["old".to_owned(), "new".to_owned()],
        default_action: "new".to_owned(),
        danger: None,
        allow_free_text: false,
        asked_at: DAWN,
        expires_at: at(1_800),
        reminders: vec![50, 90],
        sanitized: None,
    }
}

pub fn question_id(n: u32) -> QuestionId {
    QuestionId::parse(&format!("q_{n:08}")).unwrap()
}

pub fn ada() -> Answerer {
    Answerer { principal: principal("person:ada"), display_name: "Ada".to_owned(), surface: Surface::Cli }
}

/// One of each record of a session's status.
pub fn session_records() -> Vec<SessionRecord> {
    let details = Details { phase: Some("Phase 2".to_owned()), progress: Some("2/5".to_owned()) };
    vec![
        SessionRecord::Opened { agent: agent_id("fullstack-1") },
        SessionRecord::TakenUp,
        SessionRecord::Linked { work_item: WorkItem::parse("acme/web#12").unwrap() },
        SessionRecord::WorkflowStatus {
            status: WorkflowStatus::AwaitingInput,
            message: "need a decision".to_owned(),
            details: Some(details),
            blockers: vec!["the schema".to_owned()],
            awaiting: Some(Box::new(Awaiting::from(&question_spec(1)))),
            bond: Bond::Takes { task: task_id(1) },
        },
    ]
}

pub fn question_records() -> Vec<QuestionRecord> {
    let id = question_id(1);
    let resolution = Resolution { kind: ResolutionType::Human, value: "old".to_owned(), by: ada(), at: at(60) };
    let answer = LateAnswer { value: "new".to_owned(), by: ada(), at: at(70) };
    vec![
        QuestionRecord::Asked { spec: Box::new(question_spec(1)) },
        QuestionRecord::Reminded { id: id.clone(), percent: 50 },
        QuestionRecord::Overdue { id: id.clone() },
        QuestionRecord::Resolved { id: id.clone(), resolution: Box::new(resolution) },
        QuestionRecord::Used { id: id.clone() },
        QuestionRecord::AnsweredLate { id: id.clone(), answer: Box::new(answer) },
        QuestionRecord::DeliveryMoved { id, delivery: Delivery::Acknowledged, way: None },
    ]
}

/// One of each record of a pull request.
pub fn pull_records() -> Vec<PullRecord> {
    let id = PullId::parse("pr_00000001").unwrap();
    let spec = PullSpec {
        repository: Repository::parse("acme/shop").unwrap(),
        head: Branch::parse("feature/login").unwrap(),
        base: None,
        title: "Add the login".to_owned(),
        body: "Signs people in.".to_owned(),
        draft: false,
        work_item: WorkItem::parse("acme/web#12").ok(),
        role: None,
    };
    let (url, base) = (Some("https://git.example/pr/7".to_owned()), Branch::parse("main").unwrap());
    let (title, state) = ("Add the log-in".to_owned(), PullState::Open);
    let (head, main) = ("0".repeat(40), base.clone());
    let approval = Approval {
        who: "ada".to_owned(),
        right: ApprovalRight::Writes,
        pull: id.clone(),
        base: main.clone(),
        head: head.clone(),
        fork: Some("1".repeat(40)),
        at: None,
        taken_back: None,
    };
    let sent =
        MergeSent { head: head.clone(), base: main.clone(), required: true, stale: false, approval: Some(approval) };
    vec![
        PullRecord::Requested { id: id.clone(), task: Some(task_id(1)), spec: Box::new(spec) },
        PullRecord::Created {
            id: id.clone(),
            number: Some(7),
            url,
            base,
            commit: Some("0".repeat(40)),
            adopted: Some(Adoption { by: "ada".to_owned(), title: "Log in".to_owned() }),
            place: Some("/srv/shop.git#42".to_owned()),
        },
        PullRecord::Failed { id: id.clone(), deed: PullDeed::Open, reason: "no such branch".to_owned() },
        PullRecord::ChangeRequested {
            id: id.clone(),
            change: Box::new(PullChange { draft: Some(false), ..PullChange::default() }),
        },
        PullRecord::MergeRequested {
            id: id.clone(),
            method: MergeMethod::Squash,
            commit: head.clone(),
            base: Some(main.clone()),
        },
        PullRecord::MergeSent { id: id.clone(), sent: Box::new(sent) },
        PullRecord::Updated {
            id: id.clone(),
            title,
            draft: true,
            state,
            base: Some(main),
            commit: Some(head),
            place: None,
        },
        PullRecord::Outdated { id: id.clone() },
        PullRecord::Merged { id: id.clone() },
        PullRecord::Closed { id },
    ]
}

pub fn terminal_id(n: u32) -> TerminalId {
    TerminalId::from(&session_id(n))
}

pub fn terminal_records() -> Vec<TerminalRecord> {
    let agent = Some(agent_id("fullstack-1"));
    let prompt = SeenPrompt {
        prompt_text: "Delete 3 tables? (yes/no):".to_owned(),
        confidence: 0.97,
        prompt_type: PromptKind::YesNo,
        matched_pattern: "yes_no.brackets".into(),
        file_position: 184_223,
        timestamp: at(30),
        is_dangerous: true,
        signals: vec![Signal::TtyRead, Signal::NoNewline],
        safe_to_type: true,
        choices: vec!["yes".to_owned(), "no".to_owned()],
    };
    let input = TrackedInput {
        prompt_text: prompt.prompt_text.clone(),
        prompt_type: PromptKind::YesNo,
        dangerous: true,
        input_text: "no".to_owned(),
        success: true,
        source: InputSource::UserTyped,
        provenance: Provenance::Attested,
        response_time: Millis(1_200),
        workspace: Some("acme/shop".to_owned()),
        pattern: None,
    };
    let order = InputOrder {
        order_id: "i_00000001".to_owned(),
        prompt_text: prompt.prompt_text.clone(),
        prompt_type: PromptKind::YesNo,
        dangerous: true,
        input_text: "no".to_owned(),
        by_person: true,
        reason: "the tables are needed".to_owned(),
        notice: None,
    };
    vec![
        TerminalRecord::MonitorStarted { agent: agent.clone(), kind: TerminalKind::File },
        TerminalRecord::MonitorStopped { agent: agent.clone() },
        TerminalRecord::InputPromptDetected { agent: agent.clone(), prompt: Box::new(prompt.clone()) },
        TerminalRecord::InputPromptGone { agent: agent.clone(), prompt_text: prompt.prompt_text, after: Millis(1_300) },
        TerminalRecord::InputTracked { agent: agent.clone(), input: Box::new(input) },
        TerminalRecord::InputOrdered { agent: agent.clone(), order: Box::new(order.clone()) },
        TerminalRecord::InputInjected { agent: agent.clone(), order: Box::new(order.clone()) },
        TerminalRecord::InputUndelivered {
            agent: agent.clone(),
            order: Box::new(order.clone()),
            why: "it stands unsent where it was typed".to_owned(),
        },
        TerminalRecord::InputDeclined { agent, order_id: order.order_id, why: "the user is typing".to_owned() },
    ]
}

/// The append by which something happens to a question of session 1.
pub fn in_question(seconds: u64, records: Vec<QuestionRecord>) -> Append {
    let agent = agent_id("fullstack-1");
    let entry = |record| Entry::of_session(&session_id(1), Some(&agent), Some(&task_id(1)), Record::Question(record));
    Append::new(at(seconds), by(), records.into_iter().map(entry).collect())
}

/// Question `n` is asked, answered, and its answer heard, from so many seconds after dawn on.
pub fn asked_and_answered(n: u32, seconds: u64) -> Append {
    let id = question_id(n);
    let resolution = Resolution { kind: ResolutionType::Human, value: "old".to_owned(), by: ada(), at: at(seconds) };
    let records = vec![
        QuestionRecord::Asked { spec: Box::new(question_spec(n)) },
        QuestionRecord::Resolved { id: id.clone(), resolution: Box::new(resolution) },
        QuestionRecord::DeliveryMoved { id, delivery: Delivery::Acknowledged, way: None },
    ];
    in_question(seconds, records)
}
