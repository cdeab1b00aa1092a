//! What a task decides: one line for each command, one file for each decision. Each of those matches on the state,
//! with an arm for every one.

mod answer;
mod await_human;
mod cancel;
mod create;
mod dependency;
mod expire;
mod give_back;
mod offer;
mod prelude;
mod reassign;
mod remark;
mod report;
mod retry;
mod review;
mod runs;
mod standing;
mod take;
mod wishes;

use super::command::{Authority, Cause, TaskCommand};
use super::effect::TaskDecision;
use super::refusal::TaskRefusal;
use super::state::{Task, TaskState, open};
use crate::time::Timestamp;

type Decided = Result<TaskDecision, TaskRefusal>;

impl Task {
    /// What a new task begins with: `Created`, and `Offered` when an agent is parked. Fails unless it is `Create`.
    pub fn begin(now: Timestamp, command: &TaskCommand, cause: &Cause) -> Result<TaskDecision, TaskRefusal> {
        let TaskCommand::Create { spec, dependencies, first_offer } = command else {
            return Err(TaskRefusal::NotFound { task: String::new() });
        };
        Ok(create::begin(now, spec, dependencies, first_offer.as_ref(), cause))
    }

    /// Decides, and changes nothing. A decision without records says that what is asked for is so already.
    pub fn decide(&self, now: Timestamp, command: &TaskCommand, cause: &Cause) -> Result<TaskDecision, TaskRefusal> {
        let decision = self.decided(now, command, cause)?;
        Ok(self.settled(now, command, decision))
    }

    fn decided(&self, now: Timestamp, command: &TaskCommand, cause: &Cause) -> Decided {
        match command {
            TaskCommand::Create { .. } => Err(self.wrong_state("a task is created once")),
            TaskCommand::Offer { agent, terms } => self.offer_to(now, agent, terms),
            TaskCommand::ReturnOffer { agent, epoch, why } => Ok(self.return_offer(now, agent, *epoch, *why)),
            TaskCommand::PassOn { agent, epoch, to, session } => self.pass_on(now, (agent, *epoch), to, session),
            TaskCommand::Release { agent, why } => Ok(self.release(now, agent, *why)),
            TaskCommand::Acknowledge { agent, epoch } => self.acknowledge(now, agent, *epoch),
            TaskCommand::Report { agent, epoch, report } => self.report(now, agent, *epoch, report, cause),
            TaskCommand::SubmitForReview { agent, epoch, message, diff, artifacts, submission: _ } => {
                self.submit(now, agent, *epoch, &review::Work { message, diff: diff.as_ref(), artifacts }, cause)
            }
            TaskCommand::Await { agent, until, session } => self.await_human(now, agent, *until, session.as_ref()),
            TaskCommand::Resume { agent, question, answer } => {
                Ok(self.resume(now, agent, question, answer.as_ref(), cause))
            }
            TaskCommand::SettleBudget { agent, question, goes_on, word } => {
                self.settle_budget(now, (agent, question), *goes_on, word, cause)
            }
            TaskCommand::TakeBack { agent, epoch } => self.take_back(now, agent, *epoch),
            TaskCommand::Approve { message, comment, completes, grounds: _, round: _ } => {
                let word = review::Word { message: message.as_ref(), comment, completes: *completes };
                self.approve(now, &word, cause)
            }
            TaskCommand::RequestChanges { comments, .. } => self.request_changes(now, comments, cause),
            TaskCommand::Discuss { comment, side: _ } => self.discuss(now, comment, cause),
            TaskCommand::Resolve { .. } => self.resolve(cause),
            // Its review alone says so.
            TaskCommand::Dismiss { .. } => Ok(TaskDecision::default()),
            TaskCommand::Answer { authority, answer } => self.answer(now, authority, answer),
            TaskCommand::DependencyMoved { task, now: how } => Ok(self.dependency_moved(now, task, how, cause)),
            TaskCommand::Cancel { authority, reason } => self.cancel(now, authority, reason.as_ref(), cause),
            TaskCommand::Retry => self.retry(),
            TaskCommand::Requeue => self.requeue(),
            TaskCommand::Reassign { target } => self.reassign(now, target, cause),
            TaskCommand::Edit { edit } => self.edit(edit),
            TaskCommand::Remark { comment, posted_to } => self.remark(now, comment, posted_to.as_ref(), cause),
            TaskCommand::StartRun { run } => self.start_run(run),
            TaskCommand::NameConversation { run, conversation } => self.name_conversation(run, conversation),
            TaskCommand::LimitRun { run, limited } => self.limit_run(now, run, limited),
            TaskCommand::ResumeRun { run, host } => self.resume_run(run, host),
            TaskCommand::EndRun { run, exit } => self.end_run(now, run, exit, cause),
            TaskCommand::GiveGrace { until } => Ok(self.give_grace(*until)),
            TaskCommand::Tick => Ok(self.tick(now, cause)),
        }
    }

    fn not_found(&self) -> TaskRefusal {
        TaskRefusal::NotFound { task: self.spec.id.to_string() }
    }

    /// The command does not fit: it is closed, or in another state than the command needs.
    fn wrong_state(&self, needs: &'static str) -> TaskRefusal {
        TaskRefusal::WrongState { task: self.spec.id.clone(), state: self.name(), needs }
    }

    fn closed(&self) -> TaskRefusal {
        match &self.state {
            TaskState::Cancelled { reason, .. } => {
                TaskRefusal::Cancelled { task: self.spec.id.clone(), reason: reason.clone() }
            }
            TaskState::Completed { .. } | TaskState::Failed { .. } | TaskState::DeadLetter { .. } | open!() => {
                TaskRefusal::Closed { task: self.spec.id.clone(), state: self.name() }
            }
        }
    }

    /// Whether this word counts here: an operator's everywhere, an agent's on the tasks that it asked for.
    fn authorise(&self, authority: &Authority) -> Result<(), TaskRefusal> {
        match authority {
            Authority::Operator => Ok(()),
            Authority::Agent(agent) if self.spec.asking_agent().as_ref() == Some(agent) => Ok(()),
            Authority::Agent(_) => Err(self.not_found()),
            Authority::Request if matches!(self.state, TaskState::Queued { .. }) && self.attempts.is_empty() => Ok(()),
            Authority::Request => Err(self.wrong_state("somebody has read it: cancel it by hand")),
        }
    }
}
