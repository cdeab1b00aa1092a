//! What a host says of a run, and what becomes of a run when its task moves on.

use super::super::command::{Cause, Report, ReportKind, ReturnReason, TaskCommand};
use super::super::effect::{StopOrder, TaskDecision, TaskEffect};
use super::super::kept_text::KeptText;
use super::super::notify::Notices;
use super::super::record::TaskRecord;
use super::super::refusal::TaskRefusal;
use super::super::run::{BudgetNews, Limited, NewRun, Run, RunEnd, RunExit, RunState, RunWaitsFor, StopReason};
use super::super::spec::Comment;
use super::super::state::{Task, TaskState};
use super::Decided;
use super::expire::consequence;
use super::standing::TaskClaim;
use crate::ids::{AgentId, QuestionId, RunId};
use crate::time::Timestamp;

impl Task {
    /// A slot has the offer, and its host is about to start a process. Said twice, it is so already.
    pub(super) fn start_run(&self, new: &NewRun) -> Decided {
        if let Some(known) = self.run(&new.id) {
            let again = known.is_live() && (&known.agent, known.epoch) == (&new.agent, new.epoch);
            return if again {
                Ok(TaskDecision::default())
            } else {
                Err(wrong_state(known, "its id was given before"))
            };
        }
        let claim = self.standing(&new.agent, Some(new.epoch))?;
        if !matches!(claim, TaskClaim::Offered(offer) if offer.epoch == new.epoch) {
            return Err(self.wrong_state("a run starts with an offer of its task"));
        }
        if let Some(live) = self.live_run() {
            return Err(wrong_state(live, "it is not ended: resume it"));
        }
        let NewRun { id: run, agent, slot, role, epoch, host, client, resumes } = new.clone();
        Ok(only(vec![TaskRecord::RunStarted { run, agent, host, client, epoch, resumes, slot, role: Some(role) }]))
    }

    pub(super) fn name_conversation(&self, id: &RunId, conversation: &str) -> Decided {
        let run = self.known_run(id)?;
        if run.conversation.as_deref() == Some(conversation) {
            return Ok(TaskDecision::default());
        }
        let (agent, id, run) = (run.agent.clone(), conversation.to_owned(), id.clone());
        Ok(only(vec![TaskRecord::RunConversation { run, agent, id }]))
    }

    /// The agent met a limit of its account: its task goes back, as [`Self::settled`] ends its run.
    pub(super) fn limit_run(&self, now: Timestamp, id: &RunId, limited: &Limited) -> Decided {
        let run = self.known_run(id)?;
        if !run.is_live() {
            return Err(wrong_state(run, "it ended"));
        }
        let mut decision = self.release(now, &run.agent, ReturnReason::Limited);
        let (run, agent, limited) = (run.id.clone(), run.agent.clone(), limited.clone());
        decision.records.insert(0, TaskRecord::RunLimited { run, agent, limited });
        Ok(decision)
    }

    /// A run that waits gets its next process: what it waits for is there, or its agent has something to hear.
    pub(super) fn resume_run(&self, id: &RunId, host: &str) -> Decided {
        let run = self.known_run(id)?;
        match (&run.state, &self.state) {
            (RunState::Waiting { .. }, TaskState::Queued { .. }) => {
                Err(wrong_state(run, "its task is to be offered to its agent first"))
            }
            // A run that waits ends as soon as its agent has the task no more: whatever is left is the agent's.
            (RunState::Waiting { .. }, _) => {
                let epoch = self.offer().map_or(run.epoch, |offer| offer.epoch);
                let process = run.process.saturating_add(1);
                let host = (run.host != host).then(|| host.to_owned());
                let (run, agent) = (id.clone(), run.agent.clone());
                Ok(only(vec![TaskRecord::RunResumed { run, agent, epoch, process, host }]))
            }
            (RunState::Starting | RunState::Working | RunState::Ended { .. }, _) => {
                Err(wrong_state(run, "only a run that waits is resumed"))
            }
        }
    }

    /// A process ended. Said twice, it is so already; said after the run ended, its account is added to the run.
    pub(super) fn end_run(&self, now: Timestamp, id: &RunId, exit: &RunExit, cause: &Cause) -> Decided {
        let run = self.known_run(id)?;
        if exit.process.number > run.process {
            return Err(wrong_state(run, "it never had that process"));
        }
        let is_for_budget = exit.reason == RunEnd::Budget && self.is_worked_on_by(run);
        if exit.reason == RunEnd::Budget && exit.question.is_some() && !is_for_budget {
            return Err(wrong_state(run, "its agent has its task no more, so that nothing is to be asked"));
        }
        // Whether a run that waits goes on is asked before its next process.
        let stops = is_for_budget && matches!(run.state, RunState::Waiting { .. });
        if !stops && (exit.process.number < run.process || run.knows_exit_of(exit.process.number)) {
            return Ok(TaskDecision::default());
        }
        let mut decision = match run.state {
            RunState::Ended { reason, .. } => only(vec![ended(run, reason, exit)]),
            RunState::Starting | RunState::Working | RunState::Waiting { .. } => self.exits(now, run, exit, cause),
        };
        if let Some(limited) = exit.limited.clone() {
            let (run, agent) = (id.clone(), run.agent.clone());
            decision.records.insert(0, TaskRecord::RunLimited { run, agent, limited });
        }
        if let Some((level, remark)) = &exit.budget {
            self.tells_of_budget(now, run, (*level, remark), cause, &mut decision);
        }
        Ok(decision)
    }

    /// Before all else: what the end makes of the task may close it.
    fn tells_of_budget(
        &self,
        now: Timestamp,
        run: &Run,
        (level, remark): (BudgetNews, &Comment),
        cause: &Cause,
        decision: &mut TaskDecision,
    ) {
        let (run, agent, told) = (run.id.clone(), run.agent.clone(), remark.text.clone());
        let mut records = vec![TaskRecord::RunBudget { run, agent: agent.clone(), level, told }];
        // The ids that are left.
        let notices = cause.notices.iter().skip(decision.notices.len()).cloned().collect();
        if let Ok(remarked) = self.remark(now, remark, None, &Cause { notices, ..cause.clone() }) {
            records.splice(0..0, remarked.records);
            // Its own agent would be resumed by it.
            decision.notices.extend(remarked.notices.into_iter().filter(|(to, _)| *to != agent));
        }
        decision.records.splice(0..0, records);
    }

    fn exits(&self, now: Timestamp, run: &Run, exit: &RunExit, cause: &Cause) -> TaskDecision {
        let question = exit.question.clone().filter(|_| self.lease().is_some());
        let waits_for = match &self.state {
            _ if !self.is_reported(run) || (exit.reason == RunEnd::Budget && self.is_worked_on_by(run)) => {
                let may_wait = !matches!(exit.reason, RunEnd::Killed | RunEnd::Budget);
                question.filter(|_| may_wait).map(|question| RunWaitsFor::Question { question })
            }
            TaskState::InReview { .. } => Some(RunWaitsFor::Review),
            TaskState::Blocked { .. } | TaskState::Queued { .. } => Some(RunWaitsFor::Answer),
            TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Timeout { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => return only(vec![ended(run, RunEnd::Reported, exit)]),
        };
        let Some(on) = waits_for else { return self.gives_up(now, run, exit, cause) };
        let (run, agent, process) = (run.id.clone(), run.agent.clone(), Box::new(exit.process.clone()));
        only(vec![TaskRecord::RunWaiting { run, agent, on, process }])
    }

    /// The process ended without the agent's last word.
    fn gives_up(&self, now: Timestamp, run: &Run, exit: &RunExit, cause: &Cause) -> TaskDecision {
        match exit.reason {
            RunEnd::Limited => self.hands_back(now, run, exit, ReturnReason::Limited),
            // Who is not logged in is no fault of the task's: its slot pauses.
            RunEnd::Killed | RunEnd::Auth => self.hands_back(now, run, exit, ReturnReason::Killed),
            RunEnd::Budget => self.stops_for_budget(now, run, exit, cause),
            RunEnd::Reported => self.fails(now, run, exit, RunEnd::NoReport, cause),
            RunEnd::NoReport | RunEnd::Spawn | RunEnd::Context | RunEnd::Crashed => {
                self.fails(now, run, exit, exit.reason, cause)
            }
        }
    }

    /// Back to the head of the queue; no attempt is used up.
    fn hands_back(&self, now: Timestamp, run: &Run, exit: &RunExit, why: ReturnReason) -> TaskDecision {
        let back = self.release(now, &run.agent, why);
        TaskDecision { records: std::iter::once(ended(run, exit.reason, exit)).chain(back.records).collect(), ..back }
    }

    fn stops_for_budget(&self, now: Timestamp, run: &Run, exit: &RunExit, cause: &Cause) -> TaskDecision {
        let of = if exit.is_for_day() { "the day of its role" } else { "the task" };
        let reason = format!("the budget of {of} is used up: a person says whether it goes on");
        let text = format!("{} is BLOCKED: {reason}", self.called());
        let blocked = TaskRecord::Blocked {
            agent: run.agent.clone(),
            message: KeptText::inline(reason.clone()),
            reason,
            question: exit.question.clone(),
            diff: None,
            artifacts: Vec::new(),
            evidence: None,
        };
        // The question ends with the task.
        let asked = self.lease().filter(|_| exit.question.is_some()).map(|lease| TaskRecord::LeaseExtended {
            agent: lease.agent.clone(),
            epoch: lease.epoch,
            expires_at: lease.expires_at,
            asked_in: lease.terms.session.clone(),
        });
        let ends = [ended(run, RunEnd::Budget, exit), blocked];
        let records = self.taken(now, &run.agent).into_iter().chain(asked).chain(ends);
        let notices = Notices::new(self, now, cause).asker(text).done();
        TaskDecision { records: records.collect(), notices, effects: Vec::new() }
    }

    /// People, or the deadline of their question, said whether it goes on. Of a role's day the task itself is not
    /// stopped: it waits for what is let start.
    pub(super) fn settle_budget(
        &self,
        now: Timestamp,
        (agent, question): (&AgentId, &QuestionId),
        goes_on: bool,
        word: &Comment,
        cause: &Cause,
    ) -> Decided {
        if let Some(run) = self.asks_of_day().filter(|_| self.is_blocked_on(question)) {
            let level = if goes_on { BudgetNews::DayGoesOn } else { BudgetNews::DayStops };
            let (run, agent, told) = (run.id.clone(), agent.clone(), word.text.clone());
            let says = TaskRecord::RunBudget { run, agent, level, told };
            return Ok(only(vec![says, TaskRecord::Answered { answer: word.clone(), held_for: None }]));
        }
        if goes_on {
            return Ok(self.resume(now, agent, question, Some(word), cause));
        }
        let message = KeptText::inline(format!("the budget of the task is used up: {}", word.text));
        let kind = ReportKind::Failed;
        let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
        self.report(now, agent, None, &report, cause)
    }

    /// The attempt failed, also one that no call of the client acknowledged: a client that never gets so far would be
    /// started again for ever.
    fn fails(&self, now: Timestamp, run: &Run, exit: &RunExit, reason: RunEnd, cause: &Cause) -> TaskDecision {
        let taken = self.taken(now, &run.agent);
        let terms = self.lease().map(|lease| &lease.terms).or_else(|| self.offer().map(|offer| &offer.terms));
        let next = terms.and_then(|terms| self.after_time_out(terms));
        let what = format!("the run of `{}` ended without a report ({})", run.agent, reason.as_str());
        let then = next.as_ref().map_or_else(|| "it is FAILED".to_owned(), |next| consequence(Some(next)));
        let notices = Notices::new(self, now, cause).asker(format!("{}: {what}; {then}", self.called())).done();
        let mut failed = ended(run, reason, exit);
        if let TaskRecord::RunEnded { fails, .. } = &mut failed {
            *fails = true;
        }
        let next = next.unwrap_or_else(|| TaskRecord::Failed {
            agent: run.agent.clone(),
            message: KeptText::inline(what),
            diff: None,
            artifacts: Vec::new(),
            evidence: None,
        });
        let records = taken.into_iter().chain([failed, next]).collect();
        TaskDecision { records, notices, effects: Vec::new() }
    }

    fn taken(&self, now: Timestamp, agent: &AgentId) -> Option<TaskRecord> {
        self.offer().and_then(|offer| TaskClaim::Offered(offer).take(self, now, agent))
    }

    /// The same decision, and the end of the live run where its agent has the task no more by it. The run ends first:
    /// at no moment does a run live without its task.
    pub(super) fn settled(&self, now: Timestamp, command: &TaskCommand, mut decision: TaskDecision) -> TaskDecision {
        let Some(run) = self.live_run() else { return decision };
        let released = if let TaskCommand::Release { agent, why } = command {
            Some((agent, *why))
        } else {
            matches!(command, TaskCommand::LimitRun { .. }).then_some((&run.agent, ReturnReason::Limited))
        };
        let released = released.filter(|(agent, _)| **agent == run.agent).map(|(_, why)| why);
        if decision.records.is_empty() && released.is_none() {
            return decision;
        }
        let mut after = self.clone();
        for record in &decision.records {
            after.apply(now, record);
        }
        let Some(left) = after.run(&run.id).filter(|left| left.is_live()) else { return decision };
        if released.is_none() && after.lets_go_on(left) {
            if run.has_process() && after.is_reported(left) && !self.is_reported(run) {
                decision.effects.push(stop(run, StopReason::Reported));
            }
            return decision;
        }
        let limited = released == Some(ReturnReason::Limited);
        let reason = match (after.is_reported(left), limited) {
            (true, _) => RunEnd::Reported,
            (false, true) => RunEnd::Limited,
            (false, false) => RunEnd::Killed,
        };
        let ended =
            TaskRecord::RunEnded { run: run.id.clone(), agent: run.agent.clone(), reason, process: None, fails: false };
        decision.records.insert(0, ended);
        if run.has_process() {
            let why = match (&after.state, released) {
                (TaskState::Cancelled { .. }, _) => StopReason::Cancelled,
                (_, Some(_)) if limited => StopReason::Limited,
                (_, Some(_)) => StopReason::Evicted,
                (_, None) => StopReason::LeaseLost,
            };
            decision.effects.push(stop(run, why));
        }
        decision
    }

    fn known_run(&self, id: &RunId) -> Result<&Run, TaskRefusal> {
        self.run(id).ok_or_else(|| TaskRefusal::RunNotFound { run: id.clone() })
    }
}

fn stop(run: &Run, why: StopReason) -> TaskEffect {
    let (run, agent, host) = (run.id.clone(), run.agent.clone(), run.host.clone());
    TaskEffect::StopRun(StopOrder { run, agent, host, why })
}

fn only(records: Vec<TaskRecord>) -> TaskDecision {
    TaskDecision { records, ..TaskDecision::default() }
}

fn ended(run: &Run, reason: RunEnd, exit: &RunExit) -> TaskRecord {
    TaskRecord::RunEnded {
        run: run.id.clone(),
        agent: run.agent.clone(),
        reason,
        process: (!exit.is_for_day()).then(|| Box::new(exit.process.clone())),
        fails: false,
    }
}

fn wrong_state(run: &Run, needs: &'static str) -> TaskRefusal {
    TaskRefusal::RunWrongState { run: run.id.clone(), needs }
}
