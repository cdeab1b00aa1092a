//! A task and its review, asked one command at a time, every step held to the promises.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{AgentId, CommentId, NoticeId, PrincipalId};
use crate::invariants::{r1_words_are_kept, task_moves};
use crate::principal::{By, Surface};
use crate::review::*;
use crate::samples::{plain_task, plain_terms};
use crate::task::*;
use crate::time::Timestamp;

/// When it begins.
pub(super) const DAWN: Timestamp = Timestamp(1_000_000);

/// Why a step came to nothing, by its code.
pub(super) type Code = &'static str;

/// A task, its review, and a clock that moves with each step.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) now: Timestamp,
    pub(super) task: Task,
    pub(super) review: Option<Review>,
    pub(super) records: Vec<(Timestamp, ReviewRecord)>,
    comments: u32,
}

pub(super) fn agent(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

fn spec() -> TaskSpec {
    TaskSpec { from: person(), ..plain_task("task0001", DAWN) }
}

pub(super) fn person() -> Origin {
    Origin { kind: OriginKind::Cli, id: "person:ada".to_owned(), display_name: "Ada".to_owned() }
}

/// What is caused by an agent of this name, or by Ada.
pub(super) fn cause(who: &str) -> Cause {
    let is_person = who == "ada";
    let principal = if is_person { "person:ada".to_owned() } else { format!("agent:{who}") };
    let agent = || Origin { kind: OriginKind::Agent, id: who.to_owned(), display_name: who.to_owned() };
    Cause {
        by: By { principal: PrincipalId::parse(&principal).unwrap(), surface: Surface::Cli },
        who: if is_person { person() } else { agent() },
        notices: (1..=Cause::NOTICES).map(|n| NoticeId::parse(&format!("n_0000000{n}")).unwrap()).collect(),
    }
}

pub(super) fn comment_id(n: u32) -> CommentId {
    CommentId::parse(&format!("c_{n:08}")).unwrap()
}

pub(super) fn comment(n: u32, text: &str) -> Comment {
    Comment {
        id: comment_id(n),
        kind: CommentKind::Review,
        from: person(),
        text: text.to_owned(),
        file: Some("src/login.rs".to_owned()),
        line: Some(7),
        reply_to: None,
        sanitized: None,
        at: DAWN,
    }
}

impl Story {
    /// A task that `ann` works on.
    pub(super) fn works() -> Self {
        let command = TaskCommand::Create {
            spec: Arc::new(spec()),
            dependencies: BTreeMap::new(),
            first_offer: Some((agent("ann"), plain_terms())),
        };
        let decision = Task::begin(DAWN, &command, &cause("ada")).unwrap();
        let mut records = decision.records.iter();
        let mut task = Task::from_created(DAWN, records.next().unwrap()).unwrap();
        records.for_each(|record| task.apply(DAWN, record));
        let story = Self { now: DAWN, task, review: None, records: Vec::new(), comments: 0 };
        story.then("ann", &TaskCommand::Acknowledge { agent: agent("ann"), epoch: None })
    }

    /// One that `ann` handed in.
    pub(super) fn handed_in() -> Self {
        Self::works().then("ann", &submit("look"))
    }

    /// Asks; what was decided is applied to both, and held to the promises.
    pub(super) fn try_as(&mut self, who: &str, command: &TaskCommand) -> Result<TaskDecision, Code> {
        self.now = Timestamp(self.now.0 + 1);
        let decision = self.task.decide(self.now, command, &cause(who)).map_err(|no| no.code())?;
        let mut next = self.task.clone();
        for record in &decision.records {
            let before = next.clone();
            next.apply(self.now, record);
            assert_eq!(task_moves(&before, record, &next), Ok(()));
        }
        let said = follow(self.review.as_ref(), self.now, command, &cause(who), &decision, &next);
        for record in said.map_err(|no| no.code())? {
            let before = self.review.clone();
            match &mut self.review {
                Some(review) => review.apply(self.now, &record),
                None => self.review = Review::from_submitted(next.id().clone(), self.now, &record),
            }
            if let (Some(before), Some(after)) = (before, &self.review) {
                assert_eq!(r1_words_are_kept(&before, after), Ok(()));
            }
            self.records.push((self.now, record));
        }
        self.task = next;
        assert_eq!(review_stands(&self.task, self.review.as_ref()), Ok(()));
        Ok(decision)
    }

    /// Does what must be possible.
    pub(super) fn then(mut self, who: &str, command: &TaskCommand) -> Self {
        if let Err(code) = self.try_as(who, command) {
            panic!("{who}: {command:?} was refused: {code}");
        }
        self
    }

    /// The code by which it is refused; nothing changes.
    pub(super) fn refuses(&self, who: &str, command: &TaskCommand) -> Code {
        let mut copy = self.clone();
        let code = copy.try_as(who, command).expect_err("it should have been refused");
        assert_eq!((copy.task, copy.review), (self.task.clone(), self.review.clone()), "a refusal changes nothing");
        code
    }

    pub(super) fn state(&self) -> Option<ReviewState> {
        self.review.as_ref().map(|review| review.state)
    }

    pub(super) fn review(&self) -> &Review {
        self.review.as_ref().expect("a review")
    }

    /// A comment with an id of its own.
    pub(super) fn comment(&mut self, text: &str) -> Comment {
        self.comments += 1;
        Comment { at: self.now, ..comment(self.comments, text) }
    }
}

pub(super) fn submit(message: &str) -> TaskCommand {
    let change = Change { pr_id: Some("7".to_owned()), ..Change::default() };
    TaskCommand::SubmitForReview {
        agent: agent("ann"),
        epoch: None,
        message: KeptText::inline(message),
        diff: None,
        artifacts: Vec::new(),
        submission: Box::new(Submission { change, ..Submission::default() }),
    }
}

pub(super) fn approve(completes: bool) -> TaskCommand {
    TaskCommand::Approve {
        message: Some("fine".to_owned()),
        comment: comment_id(90_000),
        completes,
        grounds: None,
        round: None,
    }
}

pub(super) fn changes(comments: Vec<Comment>) -> TaskCommand {
    TaskCommand::RequestChanges { comments, round: None }
}

pub(super) fn discuss(comment: Comment) -> TaskCommand {
    TaskCommand::Discuss { comment, side: Side::New }
}

pub(super) fn resolve(n: u32, response: Option<&str>) -> TaskCommand {
    TaskCommand::Resolve { comment: comment_id(n), response: response.map(str::to_owned) }
}

pub(super) fn offer(to: &str) -> TaskCommand {
    TaskCommand::Offer { agent: agent(to), terms: plain_terms() }
}

pub(super) fn report(by: &str, kind: ReportKind) -> TaskCommand {
    let message = KeptText::inline("words");
    let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
    TaskCommand::Report { agent: agent(by), epoch: None, report }
}
