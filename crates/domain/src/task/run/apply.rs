//! Records of runs into the state of their task.

use super::super::record::TaskRecord;
use super::super::state::Task;
use super::{ProcessExit, Run, RunState};
use crate::ids::{AgentId, LeaseEpoch, RunId};
use crate::time::Timestamp;

impl Task {
    /// What a record of a run is to that run. What its end makes of the task is [`Task::apply`]'s.
    pub(in super::super) fn apply_run(&mut self, at: Timestamp, record: &TaskRecord) {
        if let TaskRecord::RunStarted { run, agent, slot, role, host, client, epoch, resumes } = record {
            self.runs.push(Run {
                id: run.clone(),
                agent: agent.clone(),
                slot: slot.clone(),
                role: role.clone(),
                host: host.clone(),
                client: client.clone(),
                epoch: *epoch,
                resumes: *resumes,
                state: RunState::Starting,
                conversation: None,
                process: 1,
                exits: Vec::new(),
                limited: None,
                day: None,
                started_at: at,
            });
        }
        let starts = self.offer().is_some();
        if let TaskRecord::RunResumed { run, epoch, process, host, .. } = record
            && let Some(run) = self.run_mut(run)
        {
            if let Some(host) = host {
                run.host.clone_from(host);
            }
            run.state = if starts { RunState::Starting } else { RunState::Working };
            run.epoch = *epoch;
            run.process = *process;
        }
        if let TaskRecord::RunConversation { run, id, .. } = record
            && let Some(run) = self.run_mut(run)
        {
            run.conversation = Some(id.clone());
        }
        if let TaskRecord::RunLimited { run, limited, .. } = record
            && let Some(run) = self.run_mut(run)
        {
            run.limited = Some(limited.clone());
        }
        if let TaskRecord::RunBudget { run, level, .. } = record
            && let Some(run) = self.run_mut(run).filter(|_| level.is_of_day())
        {
            run.day = Some(*level);
        }
        if let TaskRecord::RunWaiting { run, on, process, .. } = record
            && let Some(run) = self.run_mut(run)
        {
            run.keep(Some(process));
            run.state = RunState::Waiting { since: at, on: on.clone() };
        }
        if let TaskRecord::RunEnded { run, reason, process, .. } = record
            && let Some(run) = self.run_mut(run)
        {
            run.keep(process.as_deref());
            if run.is_live() {
                run.state = RunState::Ended { at, reason: *reason };
            }
        }
    }

    /// The agent took the task up: its run works, under that number.
    pub(in super::super) fn run_follows(&mut self, agent: &AgentId, epoch: LeaseEpoch) {
        let Some(run) = self.runs.iter_mut().rev().find(|run| run.is_live() && run.agent == *agent) else { return };
        run.epoch = epoch;
        if run.state == RunState::Starting {
            run.state = RunState::Working;
        }
    }

    fn run_mut(&mut self, id: &RunId) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.id == *id)
    }
}

impl Run {
    /// The account of a process, once.
    fn keep(&mut self, exit: Option<&ProcessExit>) {
        if let Some(exit) = exit.filter(|exit| !self.knows_exit_of(exit.number)) {
            self.exits.push(exit.clone());
        }
    }
}
