//! Runs of workflows: built when somebody asks for a prompt, and again from the journal at the start.

use ractor::ActorRef;

use super::child::{ChildKind, Rank, kind};
use super::message::SupervisorMessage;
use super::state::State;
use crate::actors::common::{ActorResult, Result};
use crate::actors::spawner::{ActorArgs, Spawner};
use crate::actors::workflow::{WorkflowActor, WorkflowMessage, WorkflowRef};
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::{RunStatus, WorkflowRun};
use crate::journal::WorkflowFilter;

#[derive(Debug)]
pub(super) struct WorkflowKind {
    pub(super) id: WorkflowId,
}

impl ChildKind for WorkflowKind {
    kind!("workflow", WorkflowActor, WorkflowMessage, Option<WorkflowRun>);

    const RANK: Rank = Rank::Workers;
    const RETIRES: bool = true;
    const TICK: Option<fn() -> WorkflowMessage> = Some(|| WorkflowMessage::Tick);

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.id)
    }

    /// One that is over, or never began, is not built.
    async fn stored(&self, spawner: &Spawner) -> Result<Option<Option<WorkflowRun>>, String> {
        let wanted = self.id.clone();
        let read = spawner.journal.read(move |reader| reader.workflow(&wanted)).await;
        let run = read.map_err(|error| error.to_string())?;
        Ok(run.filter(WorkflowRun::is_working).map(Some))
    }

    fn actor(
        &self,
        args: ActorArgs<WorkflowMessage, Option<WorkflowRun>>,
    ) -> (WorkflowActor, ActorArgs<WorkflowMessage, (WorkflowId, Option<WorkflowRun>)>) {
        (WorkflowActor, args.of(|run| (self.id.clone(), run)))
    }
}

impl State {
    /// A line to a run that is about to begin.
    pub(super) async fn new_workflow(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        id: WorkflowId,
    ) -> Result<WorkflowRef> {
        let (spawned, line) = self.spawner.start(WorkflowKind { id }, None).await?;
        self.spawned(myself, spawned);
        Ok(WorkflowRef::new(line))
    }

    /// A line to a run that goes on.
    pub(super) fn workflow_line(&self, id: &WorkflowId) -> Option<WorkflowRef> {
        Some(WorkflowRef::new(self.slot::<WorkflowKind>(&format!("workflow:{id}"))?.line.clone()))
    }

    /// Those that went on when the hub ended.
    pub(super) async fn resume_workflows(&mut self, myself: &ActorRef<SupervisorMessage>) -> ActorResult {
        let working = WorkflowFilter { states: vec![RunStatus::Working], ..WorkflowFilter::default() };
        let runs = self.hub.journal.read(move |reader| reader.workflows(&working, usize::MAX)).await?;
        for run in runs {
            let (spawned, _) = self.spawner.start(WorkflowKind { id: run.id.clone() }, Some(run)).await?;
            self.spawned(myself, spawned);
        }
        Ok(())
    }
}
