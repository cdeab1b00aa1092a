//! News of a repository: who hears them, and how the pull request stands that they are about.
//!
//! ```text
//!   a change ─► which pull requests of which sessions?
//!                 ├─► a verdict by who may judge? ─► the hub's own review moves
//!                 ├─► look at the forge ─┬─ seen ───────► told ─► written down
//!                 │                      ├─ not now ────► told ─► OUTDATED, and a row of the outbox looks
//!                 │                      └─ never ──────► told
//!                 └─► whoever is linked to the work item and owns none is told, too
//! ```
//!
//! *Once, and now.* Each agent hears one notice for each delivery, at the first attempt: a forge that is down keeps it
//! back no more than the deliveries behind it. It is told before anything is written down, so that after a crash it is
//! still news. What the look would have shown is asked for by a row of its own, for a day.
//!
//! *What is true.* How it stands on the forge, looked at now. The sender's word counts where no forge can be asked at
//! all, and only while it is newer than what is known.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::timeout;

use super::effect::{Effect, TOLD};
use super::verdict::Moved;
use crate::domain::agent::NoticeKind;
use crate::domain::hook::{Change, SaidReview};
use crate::domain::ids::{AgentId, SessionId};
use crate::domain::principal::PrincipalKind;
use crate::domain::pull::{PullCommand, PullLook, PullRequest, PullSeen, PullState, is_allowed};
use crate::domain::session::{Session, SessionCommand, Tie, WorkflowStatus};
use crate::domain::text::shorten;
use crate::tools::{Caller, Result, refuse};

/// For how long the forge is waited for: what was received behind this one waits meanwhile.
const LOOK_WITHIN: Duration = Duration::from_secs(8);

/// What a look at the forge came to.
enum Look {
    /// It stands so.
    Seen(Box<PullLook>),
    /// The forge cannot be asked now.
    Later(String),
    /// There is no forge to ask, and the sender's word is newer than what is known.
    Reported(PullSeen),
    /// It cannot be asked, now or later: it is off, refuses the token, or knows no such thing.
    Never(String),
    /// It is not there yet.
    NotThere(PullState),
}

/// A pull request that the change is about.
struct Owned {
    session: SessionId,
    /// None where the session is over: it hears nothing.
    agent: Option<AgentId>,
    pull: PullRequest,
    look: Look,
}

impl Effect<'_> {
    /// Whoever works on it hears the news, unless they are done; in a few words, what came of it.
    pub(super) async fn change(&self, change: &Change) -> Result<String> {
        let ties = change.items.iter().map(Tie::item).chain([Tie::repository(&change.repository)]).collect();
        let sessions = self.linked(ties, |session| is_concerned(session, change)).await?;
        let moved = match &change.review {
            Some(review) => self.judge(change, review, &sessions).await?,
            None => Moved::default(),
        };
        let (mut owned, mut down) = (Vec::new(), None);
        for session in &sessions {
            for pull in session.pulls.iter().filter(|pull| change.touches(pull)) {
                let agent = works(session).then(|| session.agent.clone());
                // A forge that did not answer once is not waited for again.
                let look = match &down {
                    Some(why) => Look::Later(String::clone(why)),
                    None => self.look(change, pull).await,
                };
                if let Look::Later(why) = &look {
                    down = Some(why.clone());
                }
                owned.push(Owned { session: session.id.clone(), agent, pull: pull.clone(), look });
            }
        }
        let source = self.caller(self.source.clone(), change.repository.clone(), PrincipalKind::Service);
        let mut told = 0;
        for (agent, text) in notices(change, &sessions, &owned, &moved) {
            self.tell(&source, &agent, &format!("news:{agent}"), NoticeKind::Message, text).await?;
            told += 1;
        }
        for one in owned {
            self.write_down(&source, one).await?;
        }
        let heard = if told == 0 { "nobody is told" } else { "told" };
        Ok(if moved.tasks.is_empty() { heard.to_owned() } else { format!("{heard}; {}", moved.words()) })
    }

    async fn look(&self, change: &Change, pull: &PullRequest) -> Look {
        if matches!(pull.state, PullState::Opening | PullState::Failed) {
            return Look::NotThere(pull.state);
        }
        let said = || change.said.as_ref().and_then(|said| said.newer_than(pull));
        let off = |why: String| said().map_or(Look::Never(why), Look::Reported);
        let forge = &self.hub.settings().hub.forge;
        if !is_allowed(&forge.repositories, &pull.repository) {
            return off(format!("hub.yaml: forge.repositories does not list {}", pull.repository));
        }
        let port = match self.hub.forge.adapter(forge, self.hub.clock.clone()) {
            Ok(port) => port,
            Err(error) => return off(error.to_string()),
        };
        match timeout(LOOK_WITHIN, port.look(pull)).await {
            Ok(Ok(look)) => Look::Seen(Box::new(look)),
            Ok(Err(error)) if error.passes().is_some() => Look::Later(error.to_string()),
            Ok(Err(error)) => Look::Never(error.to_string()),
            Err(_) => Look::Later("the forge did not answer in time".to_owned()),
        }
    }

    /// What was seen is known to the session; what could not be seen is looked at later.
    async fn write_down(&self, source: &Caller, one: Owned) -> Result<()> {
        let id = one.pull.id.clone();
        let command = match one.look {
            Look::Seen(look) => PullCommand::See { id, seen: look.seen },
            Look::Reported(seen) => PullCommand::See { id, seen },
            Look::Later(_) => PullCommand::Outdate { id },
            Look::Never(_) | Look::NotThere(_) => return Ok(()),
        };
        let order = source.session_order(SessionCommand::Pull(command));
        let Some(line) = self.hub.supervisor.session(&one.session).await.map_err(refuse::fault)? else { return Ok(()) };
        match line.order(order).await.map_err(refuse::session_order) {
            // The session remembers it no more.
            Err(refusal) if refusal.code == "PR_NOT_FOUND" => Ok(()),
            done => done.map(drop),
        }
    }
}

/// Whether it is about what the session works on, or about a pull request of it.
fn is_concerned(session: &Session, change: &Change) -> bool {
    is_linked(session, change) || session.pulls.iter().any(|pull| change.touches(pull))
}

fn is_linked(session: &Session, change: &Change) -> bool {
    works(session) && session.work_item.as_ref().is_some_and(|item| change.is_about(item))
}

/// A session that is over hears nothing.
fn works(session: &Session) -> bool {
    session.status() != WorkflowStatus::Completed
}

/// Who hears what: each agent once, whoever owns the pull request as its owner.
fn notices(change: &Change, sessions: &[Session], owned: &[Owned], moved: &Moved) -> BTreeMap<AgentId, String> {
    let mut all: BTreeMap<AgentId, String> = BTreeMap::new();
    let mut owners: BTreeSet<&AgentId> = BTreeSet::new();
    for one in owned {
        let Some(agent) = &one.agent else { continue };
        owners.insert(agent);
        if !change.echoes || is_news(one) {
            let text = format!("News of your pull request {}: {}. {}", one.pull.id, change.text, standing(one));
            all.entry(agent.clone()).or_insert(text);
        }
    }
    let handed_in = moved.agents().filter(|agent| !owners.contains(agent)).cloned().collect::<BTreeSet<_>>();
    for agent in handed_in {
        all.entry(agent).or_insert_with(|| format!("News of your pull request: {}.", change.text));
    }
    // What is said of a branch or a check, and of nobody's work item, is its owner's alone where it has one.
    let is_theirs = change.items.is_empty() && !owned.is_empty();
    for session in sessions.iter().filter(|session| !is_theirs && is_linked(session, change)) {
        if !owners.contains(&session.agent) {
            let text = format!("News of your work item: {}.", change.text);
            all.entry(session.agent.clone()).or_insert(text);
        }
    }
    if let Some(review) = &change.review {
        all.retain(|agent, _| !moved.has_told(agent));
        for (agent, text) in &mut all {
            text.push_str(&said(review, moved, agent));
        }
    }
    all
}

/// Whether the look shows what was not known: then it was not the hub's own doing.
fn is_news(one: &Owned) -> bool {
    let seen = match &one.look {
        Look::Seen(look) => &look.seen,
        Look::Reported(seen) => seen,
        Look::Later(_) | Look::Never(_) | Look::NotThere(_) => return false,
    };
    let known = (one.pull.state, one.pull.title.as_str(), one.pull.draft);
    one.pull.pending.is_none() && known != (seen.state, seen.title.as_str(), seen.draft)
}

/// Where it stands now, in a sentence.
fn standing(one: &Owned) -> String {
    match &one.look {
        Look::Seen(look) => look.sentence(),
        Look::Reported(seen) => format!("It is {} now, by the sender's word.", seen.state),
        Look::Later(why) => format!("It was {} when it was last seen; the hub looks again, as {why}.", one.pull.state),
        Look::Never(why) => format!("It was {} when it was last seen, and cannot be looked at: {why}.", one.pull.state),
        Look::NotThere(state) => format!("It is {state}."),
    }
}

/// What was written in the review, and whether it counts, for an agent that hears of it by this notice.
fn said(review: &SaidReview, moved: &Moved, agent: &AgentId) -> String {
    if moved.sent_back(agent) {
        return " Your task comes back to you with what is to change: call wait_for_prompt.".to_owned();
    }
    let why = match (&moved.stranger, &moved.why) {
        (Some(why), _) => format!(" It is nobody's order, and moves no review: {why}."),
        (None, Some(why)) => format!(" It moves no review here: {why}."),
        (None, None) => String::new(),
    };
    let words = shorten(&review.text, TOLD);
    if words.is_empty() { why } else { format!("{why} They write: {words}") }
}
