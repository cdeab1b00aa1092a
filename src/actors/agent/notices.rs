//! Notices: what is on disk for the agent to hear, and what goes with an answer.

use ractor::RpcReplyPort;

use super::actor::Desk;
use super::message::CallId;
use crate::broken::{self, Break};
use crate::domain::agent::{AgentRecord, Notice};
use crate::domain::ids::TaskId;
use crate::domain::session::question::Way;

impl Desk {
    /// What goes with a result that is about to leave.
    pub(super) fn collect(&mut self, call: CallId, reply: RpcReplyPort<Vec<Notice>>) {
        let notices = self.tellable(call, self.clock.now());
        if reply.send(notices.clone()).is_ok() {
            self.tells(call, Way::Result, &notices);
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

    /// The newest report on a task that it asked for, in place of an older one: told with its next answer, and no
    /// reason to end a wait.
    pub(super) fn progressed(&mut self, task: TaskId, notice: Notice) {
        self.progress.insert(task, notice);
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
}
