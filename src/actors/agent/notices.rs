//! Notices: what is on disk for the agent to hear, and what goes with an answer.

use std::collections::BTreeSet;

use ractor::RpcReplyPort;

use super::message::Collected;
use super::state::State;
use crate::broken::{self, Break};
use crate::domain::agent::{AgentCommand, AgentRecord, CallId, Notice};
use crate::domain::ids::{NoticeId, QuestionId, TaskId};
use crate::domain::session::question::AnswerRoute;
use crate::domain::time::Timestamp;

impl State {
    /// What an answer to this call may tell: all but what another answer brings at this moment.
    pub(super) fn tellable(&self, call: CallId, now: Timestamp) -> Vec<Notice> {
        self.unread.tellable(call, self.agent.tellable(now).chain(self.progress.values().cloned()))
    }

    /// The same, where something in it is a reason to end a wait.
    pub(super) fn news(&self, call: CallId, now: Timestamp) -> Option<Vec<Notice>> {
        let told = self.tellable(call, now);
        let is_kept = |id: &NoticeId| self.agent.notices.contains_key(id);
        let is_new = |id: &NoticeId| is_kept(id) && !self.unread.is_shown(id) && self.agent.is_news(id, now);
        told.iter().any(|notice| is_new(&notice.id)).then_some(told)
    }

    /// What left with answers that are now known to be read. Reports of progress are forgotten then.
    pub(super) fn read(&mut self) -> BTreeSet<NoticeId> {
        let read = self.unread.read();
        self.progress.retain(|_, notice| !read.contains(&notice.id));
        self.show_news();
        read.into_iter().filter(|id| self.agent.notices.contains_key(id)).collect()
    }

    /// What goes with a result that is about to leave. An answer that the result tells by itself is not told beside it.
    pub(super) async fn collect(&mut self, call: CallId, answers: Option<QuestionId>, reply: RpcReplyPort<Collected>) {
        let has_it = |state: &Self, question| state.agent.notices.values().any(|it| it.answers() == Some(question));
        if answers.as_ref().is_some_and(|question| !has_it(self, question)) {
            // The session has answered its waiter, and the notice is on its way here.
            self.look_again().await;
        }
        let told = self.agent.notices.values().filter(|it| answers.is_some() && it.answers() == answers.as_ref());
        let told: Vec<Notice> = told.cloned().collect();
        let mut notices = self.tellable(call, self.clock.now());
        notices.retain(|notice| !told.iter().any(|it| it.id == notice.id));
        let collected = Collected { notices, told: told.iter().map(|notice| notice.id.clone()).collect() };
        if reply.send(collected.clone()).is_ok() {
            self.unread.tells(call, AnswerRoute::Result, collected.notices.iter().map(|notice| notice.id.clone()));
            self.unread.tells(call, AnswerRoute::Wait, collected.told.into_iter());
        }
    }

    /// A notice that is on disk already: the task that caused it wrote it.
    pub(super) fn noticed(&mut self, notice: Notice) {
        if broken::by(Break::LosesNotices) {
            return;
        }
        if self.found.remove(&notice.id) {
            return;
        }
        let now = self.clock.now();
        self.agent.apply(now, &AgentRecord::NoticePosted { notice });
        self.show_news();
    }

    /// The newest report on a task that it asked for replaces the older one; it ends no wait.
    pub(super) fn progressed(&mut self, task: TaskId, notice: Notice) {
        self.progress.insert(task, notice);
        self.show_news();
    }

    /// Ends what nobody can hear any more: kept in the history, and gone from what people have to look at.
    pub(super) async fn give_up(&mut self, now: Timestamp) {
        let nobody = self.agent.eviction.as_ref().is_some_and(|eviction| eviction.for_good);
        if !nobody || self.agent.notices.is_empty() {
            return;
        }
        if let Err(error) = self.decide_and_write(AgentCommand::GiveUp, self.hub.clone(), None).await {
            self.refusals.note(now, "UNAVAILABLE", error.to_string());
        }
    }

    /// What is on disk, and was not told by a task, a session or a dispatcher that ended: notices for it, and which
    /// of its tasks are its own no more. What it holds instead, the tasks tell. What cannot be read now is read with
    /// the next message.
    pub(super) async fn look_again(&mut self) {
        let id = self.agent.id.clone();
        let held: Vec<TaskId> = self.held.keys().cloned().collect();
        let read = self.journal.read(move |reader| {
            let notices = reader.agent(&id)?.map(|agent| agent.notices).unwrap_or_default();
            let mut lost = Vec::new();
            for task in held {
                if reader.task(&task)?.is_none_or(|task| task.holder() != Some(&id)) {
                    lost.push(task);
                }
            }
            Ok((notices, lost))
        });
        let (notices, lost) = match read.await {
            Ok(read) => read,
            Err(error) => return self.refusals.note(self.clock.now(), "UNAVAILABLE", error.to_string()),
        };
        self.stale = false;
        for (id, notice) in notices {
            if !self.agent.notices.contains_key(&id) {
                self.noticed(notice);
                self.found.insert(id);
            }
        }
        for task in lost {
            self.holds(task, None);
        }
    }
}
