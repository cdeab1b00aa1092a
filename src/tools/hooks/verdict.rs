//! A review on the forge as a verdict in the hub: by who may judge, on work that was handed in with that pull request.

use super::effect::{Effect, NOBODY};
use crate::domain::hook::{Change, Judgement, NoJudgement, SaidReview, is_handed_in, judgement};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::PrincipalKind;
use crate::domain::pull::Verdict;
use crate::domain::review::{Grounds, Review, ReviewState};
use crate::domain::session::Session;
use crate::journal::{Page, PageRequest, ReadError, Reader, ReviewFilter};
use crate::tools::people::{ApproveWork, DismissApproval, RequestChanges, Wish};
use crate::tools::{Caller, Result, refuse};

/// What a review on the forge moved.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// The tasks whose reviews it moved, and who handed each in.
    pub(super) tasks: Vec<(TaskId, Option<AgentId>, Judgement)>,
    /// Why it moved one not, though somebody wrote it who may be heard.
    pub(super) why: Option<String>,
    /// Why it is no person's word at all.
    pub(super) stranger: Option<String>,
    /// Who handed in the work that it is about, though it moved nothing.
    unmoved: Vec<AgentId>,
}

impl Moved {
    /// Who handed in what it is about.
    pub(super) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.tasks.iter().filter_map(|(_, agent, _)| agent.as_ref()).chain(&self.unmoved)
    }

    /// Whether the verdict itself told this agent: an approval says what comes next.
    pub(super) fn has_told(&self, agent: &AgentId) -> bool {
        self.is(agent, Judgement::Approve)
    }

    /// Whether work of this agent was sent back.
    pub(super) fn sent_back(&self, agent: &AgentId) -> bool {
        self.is(agent, Judgement::RequestChanges)
    }

    pub(super) fn words(&self) -> String {
        let each = self.tasks.iter().map(|(task, _, judgement)| match judgement {
            Judgement::Approve => format!("the review of {task} is approved"),
            Judgement::RequestChanges => format!("the review of {task} wants changes"),
        });
        each.collect::<Vec<_>>().join("; ")
    }

    fn is(&self, agent: &AgentId, wanted: Judgement) -> bool {
        self.tasks.iter().any(|(_, known, judgement)| known.as_ref() == Some(agent) && *judgement == wanted)
    }
}

impl Effect<'_> {
    /// Moves the hub's own reviews of what was handed in with this pull request.
    pub(super) async fn judge(&self, change: &Change, said: &SaidReview, sessions: &[Session]) -> Result<Moved> {
        let touched = sessions.iter().flat_map(|session| &session.pulls).filter(|pull| change.touches(pull));
        let tasks: Vec<TaskId> = touched.filter_map(|pull| pull.task.clone()).collect();
        let known = self.hub.journal.read(move |reader| candidates(reader, &tasks)).await;
        let known = known.map_err(|error| refuse::read(&error))?;
        let person = self.person(&said.author).filter(|_| !said.by_program);
        let mut moved = Moved::default();
        if person.is_none() {
            let why = if said.by_program { NoJudgement::ByProgram.to_string() } else { NOBODY.to_owned() };
            moved.stranger = Some(why);
        }
        for review in known.iter().filter(|review| is_handed_in(review, change, sessions)) {
            let (task, agent) = (review.task.clone(), review.agent().cloned());
            if said.verdict == Verdict::Dismissed {
                self.takes_back(&task, change, said).await?;
            }
            let outcome = match (judgement(said, review), &person) {
                (Err(NoJudgement::NoVerdict), _) | (_, None) => Err(None),
                (Err(why), Some(_)) => Err(Some(why.to_string())),
                (Ok(judgement), Some(person)) => match self.give(person, &task, judgement, said).await? {
                    Ok(()) => Ok(judgement),
                    Err(why) => Err(Some(why)),
                },
            };
            match outcome {
                Ok(judgement) => moved.tasks.push((task, agent, judgement)),
                Err(why) => {
                    moved.why = why.or(moved.why);
                    moved.unmoved.extend(agent);
                }
            }
        }
        Ok(moved)
    }

    /// The hub's copy of what was dismissed on the forge says so: it is the forge's word, and no person's.
    async fn takes_back(&self, task: &TaskId, change: &Change, said: &SaidReview) -> Result<()> {
        let source = self.caller(self.source.clone(), change.repository.clone(), PrincipalKind::Service);
        let dismiss = DismissApproval { login: said.author.to_lowercase() };
        match self.call(&source, &format!("dismissal:{task}")).run(task.as_str(), &dismiss).await {
            Err(refusal) if refusal.status() >= 500 => Err(refusal),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Gives the verdict by the verb of people; why not, where it is refused or changes nothing.
    async fn give(
        &self,
        person: &Caller,
        task: &TaskId,
        judgement: Judgement,
        said: &SaidReview,
    ) -> Result<Result<(), String>> {
        // No forge tells logins apart by their case.
        let login = Some(said.author.to_lowercase());
        // What counts is what people.yaml gives; that it was said on the forge is what makes it a copy.
        let grounds = Grounds { rule: String::new(), given: false, forge_login: login };
        let call = self.call(person, &format!("verdict:{task}")).approving(grounds);
        let words = Some(said.text.clone()).filter(|text| !text.trim().is_empty());
        let done = match judgement {
            Judgement::Approve => call.run(task.as_str(), &ApproveWork { message: words, round: None }).await,
            Judgement::RequestChanges => {
                let wish = words.unwrap_or_else(|| {
                    let place = said.url.as_deref().unwrap_or("the pull request");
                    format!("Changes are wanted. What is to change stands on the forge: {place}")
                });
                call.run(task.as_str(), &RequestChanges { comments: vec![Wish::plain(&wish)], round: None }).await
            }
        };
        match done {
            Ok(after) if after.changed => Ok(Ok(())),
            Ok(_) => Ok(Err("it is so already".to_owned())),
            Err(refusal) if refusal.status() >= 500 => Err(refusal),
            Err(refusal) => Ok(Err(refusal.message)),
        }
    }
}

/// Reviews that may be meant: of these tasks, open ones, and the newest judged ones, as a repeated delivery finds them.
fn candidates(reader: &dyn Reader, tasks: &[TaskId]) -> Result<Vec<Review>, ReadError> {
    let of = |states| ReviewFilter { states, agent: None };
    let open = of(vec![ReviewState::Open]);
    let mut all: Vec<Review> = Page::all(|page| reader.reviews(&open, page))?;
    let newest = PageRequest { limit: PageRequest::MOST, cursor: None };
    let judged = of(vec![ReviewState::ChangesRequested, ReviewState::Approved]);
    all.extend(reader.reviews(&judged, &newest)?.items);
    for task in tasks {
        if all.iter().all(|known| known.task != *task) {
            all.extend(reader.review(task)?.filter(|review| review.state != ReviewState::Withdrawn));
        }
    }
    Ok(all)
}
