//! The callers that follow a task.
//!
//! Who waits for its end hears each report; the asking agent hears the newest with its next call. Not persisted.

use super::state::{State, Watcher};
use crate::actors::dispatcher::DispatcherMessage;
use crate::domain::ids::AgentId;
use crate::domain::task::TaskRecord;

impl State {
    /// Somebody begins to wait, and hears how far the work is.
    pub(super) fn watched(&mut self, watcher: Watcher) {
        if let Some(progress) = self.task.as_ref().and_then(|task| task.progress.clone()) {
            drop(watcher.heard.try_send(progress));
        }
        self.watchers.push(watcher);
    }

    /// Shows a report that was written down just now.
    pub(super) fn shows_progress(&self, records: &[TaskRecord]) {
        let reporter = records.iter().find_map(|record| {
            let TaskRecord::Progressed { agent, .. } = record else { return None };
            Some(agent)
        });
        let (Some(reporter), Some(task)) = (reporter, &self.task) else { return };
        let Some(progress) = &task.progress else { return };
        for watcher in &self.watchers {
            // Whoever is not listening reads it in the task.
            drop(watcher.heard.try_send(progress.clone()));
        }
        let waits = |asker: &AgentId| {
            self.watchers.iter().any(|watcher| !watcher.reply.is_closed() && watcher.agent.as_ref() == Some(asker))
        };
        if let Some(agent) = task.spec.asking_agent().filter(|asker| asker != reporter && !waits(asker)) {
            let notice = task.progress_notice(self.ids.notice(), reporter, progress);
            self.dispatcher.tell(DispatcherMessage::Progressed { agent, task: self.id.clone(), notice });
        }
    }
}
