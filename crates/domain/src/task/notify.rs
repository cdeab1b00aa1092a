//! What agents hear of a task: the asker how it goes, the worker that it is to stop. Nobody hears of their own doing.

use super::command::Cause;
use super::kept_text::KeptText;
use super::spec::{Origin, OriginKind, Progress};
use super::state::Task;
use crate::agent::{Notice, NoticeKind};
use crate::ids::{AgentId, NoticeId};
use crate::time::Timestamp;

/// How much of a report is repeated in a notice, in characters. The whole text is in the task.
const HEAD: usize = 1_000;

/// Notices of one decision, with the ids that came with its cause.
pub(super) struct Notices<'a> {
    now: Timestamp,
    task: &'a Task,
    cause: &'a Cause,
    ids: std::slice::Iter<'a, NoticeId>,
    told: Vec<(AgentId, Notice)>,
}

impl<'a> Notices<'a> {
    pub(super) fn new(task: &'a Task, now: Timestamp, cause: &'a Cause) -> Self {
        Self { now, task, cause, ids: cause.notices.iter(), told: Vec::new() }
    }

    /// The agent that asked for the task hears.
    pub(super) fn asker(self, text: String) -> Self {
        let asker = self.task.spec.asking_agent();
        self.tell(asker, NoticeKind::Task, text)
    }

    /// The agent that has the task hears what people say of its work.
    pub(super) fn worker(self, text: String) -> Self {
        let worker = self.task.worker().cloned();
        self.tell(worker, NoticeKind::Comment, text)
    }

    /// The agent that may be working on the task hears that it must stop.
    pub(super) fn stop(self, why: &str) -> Self {
        let text = format!("Stop working on {}: {why}", self.task.called());
        let worker = self.task.worker().cloned();
        self.tell(worker, NoticeKind::Cancel, text)
    }

    /// Worker and asker hear what somebody remarked.
    pub(super) fn remark(self, text: &str) -> Self {
        let text = format!("{} on {}: {}", self.cause.who.display_name, self.task.called(), head(text));
        let worker = self.task.worker().cloned();
        let asker = self.task.spec.asking_agent().filter(|asker| Some(asker) != worker.as_ref());
        self.tell(worker, NoticeKind::Comment, text.clone()).tell(asker, NoticeKind::Comment, text)
    }

    /// Whoever has the task hears of an answer, unless it is `asker`, which hears it anyway.
    pub(super) fn others(self, asker: &AgentId, text: &str) -> Self {
        let text = format!("{} on {}: {}", self.cause.who.display_name, self.task.called(), head(text));
        let worker = self.task.worker().filter(|worker| *worker != asker).cloned();
        self.tell(worker, NoticeKind::Comment, text)
    }

    /// What goes into the streams of agents.
    pub(super) fn done(self) -> Vec<(AgentId, Notice)> {
        self.told
    }

    fn tell(mut self, to: Option<AgentId>, kind: NoticeKind, text: String) -> Self {
        let to = to.filter(|agent| self.cause.agent() != Some(agent.as_str()));
        if let Some(to) = to
            && let Some(id) = self.ids.next()
        {
            let notice = Notice {
                id: id.clone(),
                kind,
                text,
                from: self.cause.who.clone(),
                task_id: Some(self.task.id().clone()),
                question_id: None,
                at: self.now,
                typed_at: None,
            };
            self.told.push((to, notice));
        }
        self
    }
}

impl Task {
    /// What the agent that asked for the task hears of a report of progress, with its next call.
    pub fn progress_notice(&self, id: NoticeId, reporter: &AgentId, progress: &Progress) -> Notice {
        let text = format!("{} goes on with `{reporter}`: {}", self.called(), head(&progress.in_words()));
        Notice {
            id,
            kind: NoticeKind::Task,
            text,
            from: Origin { kind: OriginKind::Agent, id: reporter.to_string(), display_name: reporter.to_string() },
            task_id: Some(self.id().clone()),
            question_id: None,
            at: progress.at,
            typed_at: None,
        }
    }

    /// How a notice calls it: by its id, and its title where it has one.
    pub(super) fn called(&self) -> String {
        match &self.spec.title {
            Some(title) => format!("task `{}` ({})", self.id(), head(title)),
            None => format!("task `{}`", self.id()),
        }
    }
}

/// The beginning of a text, and a mark where more follows.
pub(super) fn head(text: &str) -> String {
    match text.char_indices().nth(HEAD) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn head_of(text: &KeptText) -> String {
    let mut shown = head(text.head());
    if matches!(text, KeptText::Stored { .. }) && !shown.ends_with('…') {
        shown.push('…');
    }
    shown
}
