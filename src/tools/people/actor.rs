//! An admin ends an actor; the hub builds it anew from the journal.

use super::prelude::*;
use crate::actors::supervisor::TreeError;
use crate::domain::ids::SessionId;
use crate::journal::Stream;

/// Ends an actor and builds it anew.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestartActor {}

/// Which actor was built anew.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Restarted {
    id: String,
    /// Always true: a restart that fails is an error.
    restarted: bool,
}

impl PersonVerb for RestartActor {
    const NAME: &'static str = "restart";
    const SCOPE: Scope = Scope::Admin;
    type Reply = Restarted;

    async fn act(&self, call: &PersonCall, id: &str) -> Result<Restarted> {
        let whose = whose(&call.hub, id).await?;
        authorize::person(&call.hub, call.who(), Deed::RestartActor, whose).await?;
        let asked = [Self::NAME, id];
        if call.recalled(&asked).await?.is_none() {
            call.hub.supervisor.restart(id).await.map_err(fault)?.map_err(|error| actor_refused(&error))?;
            // Afterwards: were the hub cut off in between, every actor would be built anew by that.
            call.claim(&asked, Value::Null).await?;
        }
        Ok(Restarted { id: id.to_owned(), restarted: true })
    }
}

/// An actor that is not there, does not answer, or ends only with the hub.
pub fn actor_refused(error: &TreeError) -> Refusal {
    let code = match error {
        TreeError::Unknown(_) => "ACTOR_NOT_FOUND",
        TreeError::Silent(_) => "UNAVAILABLE",
        TreeError::NotRestartable(_) => "ACTOR_NOT_RESTARTABLE",
    };
    Refusal::without_advice(code, error.to_string())
}

/// Whose an actor is. What is not one agent's is everybody's.
async fn whose(hub: &HubRef, actor: &str) -> Result<Whose> {
    Ok(match Stream::parse(actor) {
        Some(Stream::Agent(agent)) => Whose::Agent { agent, role: None },
        Some(Stream::Task(id)) => {
            hub.task(&id).await.map_err(fault)?.map_or(Whose::Everybody, |task| Whose::of_task(&task))
        }
        Some(Stream::Session(id)) => of_session(hub, id).await?,
        Some(Stream::Terminal(id)) => match id.session() {
            Some(session) => of_session(hub, session).await?,
            None => Whose::Everybody,
        },
        Some(Stream::Workflow(_) | Stream::Hub) | None => Whose::Everybody,
    })
}

async fn of_session(hub: &HubRef, id: SessionId) -> Result<Whose> {
    let session = hub.journal.read(move |reader| reader.session(&id)).await.map_err(|error| read(&error))?;
    Ok(session.map_or(Whose::Everybody, |session| Whose::Agent { agent: session.agent, role: None }))
}
