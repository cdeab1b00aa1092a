//! What differs for a run on call: its calls acknowledge its task and show that it lives, no other task is there for
//! it, and it does not wait for long: the process ends, and is started again when there is more.

use tokio::time::Instant;

use super::caller::Caller;
use super::prelude::*;
use super::verb::Calling;
use super::wait_for_prompt::span;
use crate::actors::agent::HeldState;
use crate::actors::task::{ActError, TaskAct};
use crate::domain::ids::RunId;
use crate::domain::principal::Principal;
use crate::domain::task::{Cause, OriginKind, TaskRefusal};

/// A call of a run begins: whatever it calls, it has its task. Fails where the run is ended, and with a fault.
pub(super) async fn begins(hub: &HubRef, caller: &Caller, agent: &Calling) -> Result<()> {
    let Some((run, task)) = caller.principal.run() else { return Ok(()) };
    is_alive(hub, run)?;
    let offered = agent.called.held.iter().find(|held| held.id == *task && held.state == HeldState::Offered);
    if let Some(offered) = offered {
        let notices = (0..Cause::NOTICES).map(|_| hub.ids.notice()).collect();
        let display_name = caller.principal.display_name.clone();
        let who = Origin { kind: OriginKind::Agent, id: agent.id.to_string(), display_name };
        let command = TaskCommand::Acknowledge { agent: agent.id.clone(), epoch: Some(offered.epoch) };
        let cause = Cause { by: caller.by(), who, notices };
        let act = TaskAct { request: Some(caller.request.clone()), ..TaskAct::new(command, cause) };
        if let Err(ActError::Fault(fault)) = hub.order(task, act).await {
            return Err(refuse::fault(fault));
        }
    }
    // It may have ended while that was asked.
    is_alive(hub, run)?;
    hub.on_call.called(run, hub.clock.now());
    Ok(())
}

/// A call on its way when its run ended takes up nothing: another run may have the task. Fails with `RUN_WRONG_STATE`.
fn is_alive(hub: &HubRef, run: &RunId) -> Result<()> {
    let ended = || TaskRefusal::RunWrongState { run: run.clone(), needs: "it is ended" };
    hub.on_call.run(run).map(drop).ok_or_else(|| refuse::task(ended()))
}

/// Passes arguments that name no task, or the run's own. Fails with `TASK_NOT_FOUND`, as for one that is not there.
pub(super) fn names_its_own(who: &Principal, arguments: &Value) -> Result<()> {
    let Some((_, own)) = who.run() else { return Ok(()) };
    for name in ["taskId", "task_id"] {
        if let Some(given) = arguments.get(name).and_then(Value::as_str)
            && given.trim() != own.as_str()
        {
            return Err(refuse::no_such_task(given));
        }
    }
    Ok(())
}

impl Call {
    /// Whether a run on call calls.
    pub(super) fn is_on_call(&self) -> bool {
        self.caller.principal.run().is_some()
    }

    /// Until when a call waits for a person: as its client bears it, and a run no longer than its process may linger.
    pub(super) fn waits_until(&self, asked: Option<f64>) -> Instant {
        let span = span(self, asked);
        Instant::now() + if self.is_on_call() { span.min(self.settings.hub.oncall.linger) } else { span }
    }
}
