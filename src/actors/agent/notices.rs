//! Notices: what is on disk for the agent to hear, and what of it has left, and arrived.

use std::collections::BTreeSet;

use ractor::RpcReplyPort;

use super::actor::Desk;
use super::message::WaitId;
use crate::broken::{self, Break};
use crate::domain::agent::{AgentRecord, Notice};
use crate::domain::ids::{NoticeId, TaskId};
use crate::domain::session::question::Way;

impl Desk {
    /// What goes with a result that is about to leave.
    pub(super) fn collect(&mut self, reply: RpcReplyPort<Vec<Notice>>) {
        let notices: Vec<_> = self.agent.tellable(self.clock.now()).collect();
        if reply.send(notices.clone()).is_ok() {
            self.show_by(Way::Result, &notices);
        }
    }

    /// They left by this way, unless by another before.
    pub(super) fn show_by(&mut self, way: Way, notices: &[Notice]) {
        for notice in notices {
            self.shown.entry(notice.id.clone()).or_insert(way);
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

    /// What is on disk, and was not told by a task, a session or a dispatcher that ended: notices for it, and which of
    /// its tasks are its own no more. What it holds instead, the tasks tell. What cannot be read now is read with the
    /// next message.
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

    /// What left with results of which a call now shows that they arrived. What lies with whoever waited and was not
    /// read yet is not among it: the call is one of several at a time.
    pub(super) fn arrived(&mut self) -> BTreeSet<NoticeId> {
        let unread = !self.answered.is_empty();
        self.shown.extract_if(.., |_, way| !(unread && *way == Way::Wait)).map(|(id, _)| id).collect()
    }

    /// Whoever waited has read what this wait ended with.
    pub(super) fn has_read(&mut self, id: WaitId) {
        self.answered.remove(&id);
    }
}
