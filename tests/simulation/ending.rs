//! The end of a schedule: no more trouble, everybody works properly, and everything must come to its end.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use callboard::domain::agent::AgentRecord;
use callboard::domain::ids::{LeaseEpoch, TaskId};
use callboard::domain::task::{Authority, BlockedOn, Task, TaskCommand, TaskRecord, TaskState};
use callboard::journal::inspect::verify_reader;
use callboard::journal::{Kept, Reader as _, Record, Seq, Stream};
use tokio::task::spawn_local;

use crate::hub_setup::agent_id;
use crate::judge::fits;
use crate::life::Life;
use crate::script::{CAST, Speech};

/// How often the operator looks, and how often at most: time for every lease to run out three times.
const ROUND: Duration = Duration::from_secs(20);
const ROUNDS: usize = 600;

impl Life {
    /// Works everything off, judges, and says how many records there are.
    pub(crate) async fn comes_to_an_end(&mut self) -> u64 {
        {
            let mut ledger = self.stage.ledger.borrow_mut();
            ledger.trace.push("-- the load stops".to_owned());
            ledger.hang_all_up();
            ledger.players.iter_mut().for_each(|player| player.shown.clear());
        }
        tokio::time::sleep(Duration::from_secs(20)).await;
        let works: Vec<_> = (0..CAST.len()).map(|agent| spawn_local(self.stage.clone().works(agent))).collect();
        for _ in 0..ROUNDS {
            tokio::time::sleep(ROUND).await;
            self.judge_rest().await;
            let open = self.reader.open_rows();
            if open.is_empty() || !self.stage.ledger.borrow().findings.is_empty() {
                break;
            }
            for task in open {
                if let Some(command) = self.help_for(&task) {
                    self.helps(task.id().clone(), command).await;
                }
            }
        }
        // Whoever has something left to hear hears it.
        tokio::time::sleep(Duration::from_secs(60)).await;
        for work in works {
            work.abort();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.judge_the_whole()
    }

    /// What an operator does about it.
    fn help_for(&self, task: &Task) -> Option<TaskCommand> {
        let cancel = TaskCommand::Cancel { authority: Authority::Operator, reason: None };
        match &task.state {
            TaskState::Blocked { on: BlockedOn::Answer { .. }, .. } => Some(self.stage.an_answer()),
            TaskState::Blocked { on: BlockedOn::DependencyFailed { .. }, .. } => Some(cancel),
            TaskState::InReview { .. } => Some(self.stage.approval(true)),
            TaskState::Timeout { .. } => Some(TaskCommand::Retry),
            // Its only takers are in the chain that delegated it.
            TaskState::Queued { .. } if !(0..CAST.len()).any(|agent| fits(self.stage.house, agent, task)) => {
                Some(cancel)
            }
            TaskState::Queued { .. }
            | TaskState::Blocked { on: BlockedOn::Dependencies, .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => None,
        }
    }

    fn judge_the_whole(&self) -> u64 {
        let mut findings = Vec::new();
        // With something found already, nobody worked on.
        let unfinished =
            if self.stage.ledger.borrow().findings.is_empty() { self.reader.open_rows() } else { Vec::new() };
        for task in unfinished {
            findings.push(format!("I5: {} never ends: it is {:?}", task.id(), task.state));
        }
        let report = verify_reader(&self.reader, |_, _| {}).unwrap();
        for finding in &report.findings {
            findings.push(format!("{}: {}: {}", finding.promise, finding.subject, finding.sentence));
        }
        let records = self.reader.records(Seq(0), usize::MAX).unwrap();
        self.responses(&records, &mut findings);
        self.keys(&records, &mut findings);
        epochs_rise(&records, &mut findings);
        self.notices(&records, &mut findings);
        self.comments(&mut findings);
        self.stage.note(|ledger| findings.into_iter().for_each(|finding| ledger.find(finding)));
        report.records
    }

    /// I3, I4: what was answered with success is stored, once, unchanged, and not under an old number.
    fn responses(&self, records: &[Kept], findings: &mut Vec<String>) {
        let mut stored: BTreeMap<&str, Vec<(&Kept, Speech)>> = BTreeMap::new();
        for kept in records {
            if let Some((text, speech)) = spoken(kept) {
                stored.entry(text).or_default().push((kept, speech));
            }
        }
        let ledger = self.stage.ledger.borrow();
        for said in &ledger.said {
            let found = stored.get(said.text.as_str()).map(Vec::as_slice).unwrap_or_default();
            let (name, final_word) = (CAST[said.agent].0, said.speech != Speech::Progress);
            let what = format!("{} of {name} on {} under {:?}", said.text, said.task, said.epoch);
            if said.recorded && found.is_empty() {
                findings.push(format!("I3: {what} was acknowledged, and is not stored"));
            }
            // Words without a number are about what lies before their agent: they are new after another offer, and
            // after it took the task back by anything but these very words.
            let anew = |pair: &[(&Kept, Speech)]| {
                let between = pair[0].0.seq..pair[1].0.cause.unwrap_or(pair[1].0.seq);
                said.epoch.is_none() && was_given(records, between, &said.task, said.agent)
            };
            if final_word && !found.windows(2).all(anew) {
                findings.push(format!("I3: {what} is stored {} times", found.len()));
            }
            for (kept, speech) in found {
                if kept.stream != Stream::Task(said.task.clone()) || *speech != said.speech {
                    findings.push(format!("I3: {what} was changed on its way: {:?}", kept.record));
                }
                if !was_offered(records, Seq(0)..kept.seq, &said.task, said.agent) {
                    findings.push(format!("A3: {what} was recorded, and it was never offered the task"));
                }
                let newer = said.epoch.and_then(|epoch| offered_after(records, kept.seq, &said.task, epoch));
                if let Some(newer) = newer {
                    findings.push(format!("I4: {what} changed the task, and offer {newer} was made before"));
                }
            }
            if said.recorded && final_word && !found.is_empty() {
                let task = self.reader.row(&said.task);
                let kept = task.is_some_and(|task| {
                    let mut texts = task.attempts.iter().filter_map(|attempt| attempt.message.as_ref());
                    texts.any(|text| text.head() == said.text)
                });
                if !kept {
                    findings.push(format!("T4: {what} is in no attempt of its task"));
                }
            }
        }
    }

    /// I7: one task for one request under a key, whoever heard of it.
    fn keys(&self, records: &[Kept], findings: &mut Vec<String>) {
        let ledger = self.stage.ledger.borrow();
        let mut prompts: BTreeMap<&str, usize> = BTreeMap::new();
        for kept in records {
            if let Record::Task(TaskRecord::Created { spec, .. }) = &kept.record {
                *prompts.entry(spec.prompt.as_str()).or_default() += 1;
            }
        }
        for create in &ledger.creates {
            let made = prompts.get(create.prompt.as_str()).copied().unwrap_or_default();
            if made > 1 {
                findings.push(format!("I7: {} was created {made} times", create.prompt));
            }
        }
    }

    /// Answers, wishes and remarks came with the offer, where its agent could not know them.
    fn comments(&self, findings: &mut Vec<String>) {
        let (ledger, chronicle) = (self.stage.ledger.borrow(), self.chronicle.borrow());
        for ((task, epoch), read) in &ledger.read {
            let news = chronicle.news.get(&(task.clone(), *epoch)).map(Vec::as_slice).unwrap_or_default();
            if let Some(missing) = news.iter().find(|comment| !read.contains(*comment)) {
                findings.push(format!("offer {epoch} of {task} came without comment {missing}"));
            }
        }
    }

    /// N1: whatever was posted was heard.
    fn notices(&self, records: &[Kept], findings: &mut Vec<String>) {
        let ledger = self.stage.ledger.borrow();
        for kept in records {
            let (Stream::Agent(id), Record::Agent(AgentRecord::NoticePosted { notice })) = (&kept.stream, &kept.record)
            else {
                continue;
            };
            let agent = (0..CAST.len()).find(|agent| agent_id(*agent) == *id);
            if agent.is_some_and(|agent| !ledger.players[agent].heard.contains(&notice.id)) {
                findings.push(format!("N1: {id} never heard notice {}: {}", notice.id, notice.text));
            }
        }
    }
}

/// The words of a report, and what sort it was.
fn spoken(kept: &Kept) -> Option<(&str, Speech)> {
    let Record::Task(record) = &kept.record else { return None };
    match record {
        TaskRecord::Progressed { message, .. } => Some((message, Speech::Progress)),
        TaskRecord::Completed { message, .. } => Some((message.head(), Speech::Complete)),
        TaskRecord::Failed { message, .. } => Some((message.head(), Speech::Fail)),
        TaskRecord::Blocked { message, .. } => Some((message.head(), Speech::Block)),
        TaskRecord::Submitted { message, .. } => Some((message.head(), Speech::Submit)),
        _ => None,
    }
}

/// Whether an agent of the cast was offered this task, or took it, in this stretch of the journal.
fn was_given(records: &[Kept], within: Range<Seq>, task: &TaskId, agent: usize) -> bool {
    let id = agent_id(agent);
    records.iter().filter(|kept| within.contains(&kept.seq)).any(|kept| match (&kept.stream, &kept.record) {
        (
            Stream::Task(of),
            Record::Task(TaskRecord::Offered { agent, .. } | TaskRecord::Acknowledged { agent, .. }),
        ) => of == task && *agent == id,
        _ => false,
    })
}

/// Whether this task was offered to an agent of the cast in this stretch of the journal.
fn was_offered(records: &[Kept], within: Range<Seq>, task: &TaskId, agent: usize) -> bool {
    let id = agent_id(agent);
    records.iter().filter(|kept| within.contains(&kept.seq)).any(|kept| match (&kept.stream, &kept.record) {
        (Stream::Task(of), Record::Task(TaskRecord::Offered { agent, .. })) => of == task && *agent == id,
        _ => false,
    })
}

/// The number of an offer of this task that is newer than `epoch` and was made before `seq`.
fn offered_after(records: &[Kept], seq: Seq, task: &TaskId, epoch: LeaseEpoch) -> Option<LeaseEpoch> {
    records.iter().take_while(|kept| kept.seq < seq).find_map(|kept| match (&kept.stream, &kept.record) {
        (Stream::Task(id), Record::Task(TaskRecord::Offered { epoch: offered, .. })) if id == task => {
            (*offered > epoch).then_some(*offered)
        }
        _ => None,
    })
}

/// T1: no two offers or leases of a task share a number, and each is greater than the last.
fn epochs_rise(records: &[Kept], findings: &mut Vec<String>) {
    let mut newest: BTreeMap<&TaskId, LeaseEpoch> = BTreeMap::new();
    let mut leased: BTreeSet<(&TaskId, LeaseEpoch)> = BTreeSet::new();
    for kept in records {
        let (Stream::Task(task), Record::Task(record)) = (&kept.stream, &kept.record) else { continue };
        match record {
            TaskRecord::Offered { epoch, .. } => {
                let last = newest.insert(task, *epoch);
                if last.is_some_and(|last| last >= *epoch) {
                    findings.push(format!("T1: offer {epoch} of {task} does not follow the last"));
                }
            }
            TaskRecord::Acknowledged { epoch, .. } => {
                if !leased.insert((task, *epoch)) {
                    findings.push(format!("T1: {task} was leased twice under {epoch}"));
                }
                let last = newest.entry(task).or_default();
                *last = (*last).max(*epoch);
            }
            _ => {}
        }
    }
}
