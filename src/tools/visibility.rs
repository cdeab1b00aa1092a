//! What a caller may see of a task, and the whole of a text that is kept apart.

use std::collections::BTreeMap;

use super::key::used;
use super::prelude::*;
use super::texts::read_whole_text;
use crate::actors::task::TaskReceipt;
use crate::domain::principal::Principal;
use crate::domain::task::{KeptText, Task};
use crate::domain::text::cut;

/// How much of one text is handed out inline, in bytes.
pub(super) const INLINE: usize = 64 * 1024;

impl Call {
    /// The task that a verb of a session is about: the named one, that of an earlier call under the same key, or else
    /// the only one that the agent holds. Fails with `NO_TASK` when it holds none, or several.
    pub(super) async fn meant_task(&self, verb: &str, named: Option<String>) -> Result<String> {
        if let Some(named) = named {
            return Ok(named);
        }
        if let Some(first) = self.task_of_key().await? {
            return Ok(first.to_string());
        }
        let held: Vec<TaskId> = match &self.agent {
            Some(agent) => agent.called.held.iter().map(|held| held.id.clone()).collect(),
            None if self.session.is_some() => {
                let followed = self.session_view().await?.task_id;
                followed.as_deref().and_then(|task| TaskId::parse(task).ok()).into_iter().collect()
            }
            None => Vec::new(),
        };
        match held.as_slice() {
            [one] => Ok(one.to_string()),
            several => Err(refuse::which_task(verb, several)),
        }
    }

    /// The task that was ordered about under this call's key: a repeat means that one, whatever is held by now.
    async fn task_of_key(&self) -> Result<Option<TaskId>> {
        let first = used(&self.hub, self.key.as_ref(), refuse::read).await?.and_then(Result::ok);
        let receipt: Option<TaskReceipt> = first.and_then(|receipt| serde_json::from_value(receipt).ok());
        Ok(receipt.map(|receipt| receipt.task_id))
    }

    /// The task of that id, when the caller may see it: its holder, past holders, who asked for it, and whoever is no
    /// agent (its scope was looked at before). Fails with `TASK_NOT_FOUND`, also for no id and another's task.
    pub(super) async fn visible_task(&self, given: &str) -> Result<Task> {
        let id = TaskId::parse(given.trim()).map_err(|_| refuse::no_such_task(given))?;
        let task = self.hub.task(&id).await.map_err(refuse::fault)?;
        task.filter(|task| may_see(&self.caller.principal, task)).ok_or_else(|| refuse::no_such_task(given))
    }

    /// Each text whole where it is short enough, else its beginning and a note of what is missing.
    pub(super) async fn whole_texts<K: Ord>(&self, texts: BTreeMap<K, KeptText>) -> Result<BTreeMap<K, String>> {
        let mut whole = BTreeMap::new();
        for (key, text) in texts {
            whole.insert(key, self.whole(&text).await?);
        }
        Ok(whole)
    }

    /// One text whole where it is short enough, else its beginning and a note of what is missing.
    pub(super) async fn whole(&self, text: &KeptText) -> Result<String> {
        let whole = self.unshortened(text).await?;
        match text {
            KeptText::Inline { .. } => Ok(whole),
            KeptText::Stored { bytes, .. } => Ok(shorten(whole, *bytes)),
        }
    }

    /// One text whole, however long it is: it was held to the limit of what a task keeps when it came.
    pub(super) async fn unshortened(&self, text: &KeptText) -> Result<String> {
        read_whole_text(&self.hub, text).await.map_err(|error| refuse::read(&error))
    }
}

/// Whether a principal may see a task: holders, also past ones, who asked for it, and no agents. A run sees its own.
pub(super) fn may_see(who: &Principal, task: &Task) -> bool {
    who.run().is_none_or(|(_, own)| own == task.id()) && who.agent().is_none_or(|agent| task.concerns(agent, &who.id))
}

fn shorten(text: String, bytes: u64) -> String {
    if text.len() <= INLINE {
        return text;
    }
    let shown = cut(&text, INLINE);
    format!("{shown}\n[{} of {bytes} bytes are shown here]", shown.len())
}
