//! Records into the state. Cannot fail, and asks nothing: what a record says has happened.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kept_text::KeptText;
use super::record::TaskRecord;
use super::run::ProcessExit;
use super::spec::{Artifact, Comment, Dependency, Progress, Target, TargetWho};
use super::state::{Attempt, AttemptOutcome, BlockedOn, HeldFor, Lease, Offer, Task, TaskState, Tenure};
use crate::ids::{LeaseEpoch, TaskId};
use crate::time::Timestamp;
use serde_json::Value;

/// What a holder leaves at the end of a lease.
struct Left<'a> {
    message: &'a KeptText,
    blocked_reason: Option<&'a String>,
    diff: Option<&'a KeptText>,
    artifacts: &'a [Artifact],
    evidence: Option<&'a Value>,
}

impl Task {
    /// A task from its first record; none when the record is not `Created`.
    pub fn from_created(at: Timestamp, record: &TaskRecord) -> Option<Self> {
        let TaskRecord::Created { spec, dependencies } = record else { return None };
        let state = match blocked_on(dependencies) {
            Some(on) => TaskState::Blocked { on, since: at },
            None => TaskState::Queued { since: spec.created_at, held_for: None },
        };
        Some(Self {
            spec: Arc::clone(spec),
            state,
            epoch: LeaseEpoch::default(),
            attempts: Vec::new(),
            counted_from: 0,
            words_at: None,
            tenures: BTreeMap::new(),
            dependencies: dependencies.clone(),
            comments: Vec::new(),
            progress: None,
            last_holder: None,
            sent_back: false,
            asked_in: BTreeSet::new(),
            runs: Vec::new(),
            updated_at: at,
        })
    }

    pub fn apply(&mut self, at: Timestamp, record: &TaskRecord) {
        self.updated_at = at;
        match record {
            TaskRecord::Created { .. } => {}
            TaskRecord::Offered { .. } | TaskRecord::Acknowledged { .. } => self.apply_hold(at, record),
            TaskRecord::Progressed { .. } => self.apply_progress(at, record),
            TaskRecord::LeaseExtended { expires_at, asked_in, .. } => {
                self.asked_in.extend(asked_in.clone());
                if let TaskState::InProgress { lease } = &mut self.state {
                    lease.expires_at = *expires_at;
                }
            }
            TaskRecord::GraceGiven { until, .. } => {
                if let TaskState::InProgress { lease } = &mut self.state {
                    lease.expires_at = *until;
                }
                if let TaskState::Assigned { offer } = &mut self.state {
                    offer.ack_by = *until;
                }
            }
            TaskRecord::Completed { .. }
            | TaskRecord::Failed { .. }
            | TaskRecord::Blocked { .. }
            | TaskRecord::Submitted { .. } => self.apply_end(at, record),
            TaskRecord::OfferReturned { held_for, .. } => self.queue(held_for.clone()),
            TaskRecord::Approved { word, .. } => self.agree(at, word.as_ref()),
            TaskRecord::ChangesRequested { comments, held_for } => {
                self.sent_back = true;
                self.hear(comments, held_for);
            }
            TaskRecord::Answered { answer, held_for } => self.hear(std::slice::from_ref(answer), held_for),
            TaskRecord::DependencyMoved { task, now } => self.move_dependency(at, task, now),
            TaskRecord::TimedOut { .. } => {
                self.close_attempt(at, AttemptOutcome::TimedOut);
                self.state = TaskState::Timeout { since: at };
            }
            TaskRecord::Released { .. } => {
                self.close_attempt(at, AttemptOutcome::Released);
                self.queue(None);
            }
            TaskRecord::Requeued { count_anew, held_for } => {
                if *count_anew {
                    self.counted_from = self.attempts.len();
                }
                self.queue(held_for.clone());
            }
            TaskRecord::Reassigned { target, escalated } => self.retarget(at, target, *escalated),
            TaskRecord::Edited { .. } | TaskRecord::Prioritised { .. } => self.apply_edit(at, record),
            TaskRecord::DeadLettered { reason } => {
                self.state = TaskState::DeadLetter { at, reason: reason.clone() };
            }
            TaskRecord::Cancelled { reason } => {
                self.close_attempt(at, AttemptOutcome::Cancelled);
                self.state = TaskState::Cancelled { at, reason: reason.clone() };
            }
            TaskRecord::Remarked { comment, .. } => self.comments.push(comment.clone()),
            TaskRecord::RunStarted { .. }
            | TaskRecord::RunConversation { .. }
            | TaskRecord::RunWaiting { .. }
            | TaskRecord::RunResumed { .. }
            | TaskRecord::RunLimited { .. }
            | TaskRecord::RunBudget { .. } => self.apply_run(at, record),
            TaskRecord::RunEnded { process, fails, .. } => {
                self.apply_run(at, record);
                if *fails {
                    self.fail_attempt(at, process.as_deref());
                }
            }
        }
    }

    fn apply_edit(&mut self, at: Timestamp, record: &TaskRecord) {
        let spec = Arc::make_mut(&mut self.spec);
        if let TaskRecord::Edited { title, prompt, sanitized, written } = record {
            self.words_at = Some(written.unwrap_or(at));
            spec.title = title.clone().or_else(|| spec.title.take());
            if let Some(prompt) = prompt {
                spec.prompt.clone_from(prompt);
            }
            spec.sanitized = sanitized.clone().or_else(|| spec.sanitized.take());
        }
        if let TaskRecord::Prioritised { priority } = record {
            spec.priority = *priority;
        }
    }

    /// The process ended without its agent's last word; what follows, the policy says.
    fn fail_attempt(&mut self, at: Timestamp, process: Option<&ProcessExit>) {
        if let Some(attempt) = self.running() {
            attempt.message = process.and_then(|process| process.tail.clone());
        }
        self.close_attempt(at, AttemptOutcome::Failed);
        self.state = TaskState::Timeout { since: at };
    }

    fn apply_hold(&mut self, at: Timestamp, record: &TaskRecord) {
        if let TaskRecord::Offered { agent, epoch, terms, ack_by } = record {
            self.epoch = *epoch;
            self.last_holder = Some(agent.clone());
            self.tenures.insert(agent.clone(), Tenure { told: *epoch, newest: *epoch, terms: terms.clone() });
            self.state = TaskState::Assigned {
                offer: Offer {
                    agent: agent.clone(),
                    epoch: *epoch,
                    terms: terms.clone(),
                    offered_at: at,
                    ack_by: *ack_by,
                },
            };
        }
        if let TaskRecord::Acknowledged { agent, epoch, terms, expires_at } = record {
            let number = self.attempt_number();
            self.sent_back = false;
            self.epoch = *epoch;
            self.last_holder = Some(agent.clone());
            let tenure = self.tenures.entry(agent.clone());
            tenure.or_insert_with(|| Tenure { told: *epoch, newest: *epoch, terms: terms.clone() }).newest = *epoch;
            self.attempts.push(Attempt {
                number,
                agent: agent.clone(),
                epoch: *epoch,
                started_at: at,
                ended_at: None,
                outcome: AttemptOutcome::Running,
                message: None,
                blocked_reason: None,
                diff: None,
                artifacts: Vec::new(),
                evidence: None,
            });
            self.state = TaskState::InProgress {
                lease: Lease {
                    agent: agent.clone(),
                    epoch: *epoch,
                    terms: terms.clone(),
                    since: at,
                    expires_at: *expires_at,
                },
            };
            self.run_follows(agent, *epoch);
        }
    }

    fn apply_progress(&mut self, at: Timestamp, record: &TaskRecord) {
        let TaskRecord::Progressed { message, phase, percent, diff, artifacts, evidence, expires_at, .. } = record
        else {
            return;
        };
        self.progress = Some(Progress { message: message.clone(), phase: phase.clone(), percent: *percent, at });
        if let Some(attempt) = self.running() {
            keep(attempt, diff.as_ref(), artifacts, evidence.as_ref());
        }
        if let TaskState::InProgress { lease } = &mut self.state {
            lease.expires_at = *expires_at;
        }
    }

    fn apply_end(&mut self, at: Timestamp, record: &TaskRecord) {
        if let TaskRecord::Completed { message, diff, artifacts, evidence, .. } = record {
            let left = Left::new(message, diff, artifacts, evidence.as_ref());
            self.end_attempt(at, AttemptOutcome::Completed, &left);
            self.state = TaskState::Completed { at };
        }
        if let TaskRecord::Failed { message, diff, artifacts, evidence, .. } = record {
            let left = Left::new(message, diff, artifacts, evidence.as_ref());
            self.end_attempt(at, AttemptOutcome::Failed, &left);
            self.state = TaskState::Failed { at };
        }
        if let TaskRecord::Blocked { agent, reason, question, message, diff, artifacts, evidence } = record {
            let left = Left { blocked_reason: Some(reason), ..Left::new(message, diff, artifacts, evidence.as_ref()) };
            self.end_attempt(at, AttemptOutcome::Blocked, &left);
            let on = BlockedOn::Answer { agent: agent.clone(), reason: reason.clone(), question: question.clone() };
            self.state = TaskState::Blocked { on, since: at };
        }
        if let TaskRecord::Submitted { agent, message, diff, artifacts } = record {
            self.end_attempt(at, AttemptOutcome::Submitted, &Left::new(message, diff, artifacts, None));
            self.state = TaskState::InReview { holder: agent.clone(), since: at, approved: false };
        }
    }

    /// Back to where it stood: `since` is the moment of creation, so that what comes back does not wait twice.
    fn queue(&mut self, held_for: Option<HeldFor>) {
        self.state = TaskState::Queued { since: self.spec.created_at, held_for };
    }

    fn agree(&mut self, at: Timestamp, word: Option<&Comment>) {
        match (&mut self.state, word) {
            (TaskState::InReview { approved, .. }, Some(word)) => {
                *approved = true;
                self.comments.push(word.clone());
            }
            (state, _) => *state = TaskState::Completed { at },
        }
    }

    fn hear(&mut self, comments: &[Comment], held_for: &Option<HeldFor>) {
        self.comments.extend_from_slice(comments);
        self.queue(held_for.clone());
    }

    fn move_dependency(&mut self, at: Timestamp, task: &TaskId, now: &Dependency) {
        self.dependencies.insert(task.clone(), now.clone());
        if let TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. } = self.state
        {
            self.queue_or_block(at);
        }
    }

    fn retarget(&mut self, at: Timestamp, target: &Target, escalated: bool) {
        self.close_attempt(at, AttemptOutcome::Released);
        Arc::make_mut(&mut self.spec).target = target.clone();
        let stays =
            escalated || matches!((&target.who, &self.last_holder), (TargetWho::Agent(new), Some(old)) if new == old);
        if !stays {
            self.last_holder = None;
        }
        self.queue_or_block(at);
    }

    fn queue_or_block(&mut self, since: Timestamp) {
        match blocked_on(&self.dependencies) {
            Some(on) => self.state = TaskState::Blocked { on, since },
            None => self.queue(None),
        }
    }

    fn running(&mut self) -> Option<&mut Attempt> {
        self.attempts.last_mut().filter(|attempt| attempt.outcome == AttemptOutcome::Running)
    }

    fn close_attempt(&mut self, at: Timestamp, outcome: AttemptOutcome) {
        if let Some(attempt) = self.running() {
            attempt.ended_at = Some(at);
            attempt.outcome = outcome;
        }
    }

    fn end_attempt(&mut self, at: Timestamp, outcome: AttemptOutcome, left: &Left<'_>) {
        if let Some(attempt) = self.running() {
            attempt.message = Some(left.message.clone());
            attempt.blocked_reason = left.blocked_reason.cloned();
            keep(attempt, left.diff, left.artifacts, left.evidence);
        }
        self.close_attempt(at, outcome);
    }
}

impl<'a> Left<'a> {
    fn new(
        message: &'a KeptText,
        diff: &'a Option<KeptText>,
        artifacts: &'a [Artifact],
        evidence: Option<&'a Value>,
    ) -> Self {
        Self { message, blocked_reason: None, diff: diff.as_ref(), artifacts, evidence }
    }
}

/// A later diff or proof takes the place of the one before it; artifacts add up, each once.
fn keep(attempt: &mut Attempt, diff: Option<&KeptText>, artifacts: &[Artifact], evidence: Option<&Value>) {
    if let Some(diff) = diff {
        attempt.diff = Some(diff.clone());
    }
    if let Some(evidence) = evidence {
        attempt.evidence = Some(evidence.clone());
    }
    for artifact in artifacts {
        if !attempt.artifacts.contains(artifact) {
            attempt.artifacts.push(artifact.clone());
        }
    }
}

/// What keeps a task with these dependencies from being offered: first one that failed, as that needs somebody to act.
pub(super) fn blocked_on(dependencies: &BTreeMap<TaskId, Dependency>) -> Option<BlockedOn> {
    let failed = dependencies.iter().find(|(_, how)| matches!(how, Dependency::Failed { .. }));
    if let Some((task, _)) = failed {
        return Some(BlockedOn::DependencyFailed { task: task.clone() });
    }
    let met = dependencies.values().all(|how| matches!(how, Dependency::Met { .. }));
    (!met).then_some(BlockedOn::Dependencies)
}
