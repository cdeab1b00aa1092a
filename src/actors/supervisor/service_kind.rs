//! The kind of actor that runs a service: see [`crate::actors::service`].

use std::fmt;
use std::sync::Arc;

use ractor::RpcReplyPort;

use super::child::{ChildKind, Rank};
use crate::actors::Spawner;
use crate::actors::common::{Line, Portrait};
use crate::actors::service::{Service, ServiceActor, ServiceArgs, ServiceMessage};

/// Something that runs for as long as the hub does.
pub struct ServiceKind {
    /// What it is, in a word.
    pub name: &'static str,
    /// What it runs.
    pub service: Arc<dyn Service>,
}

impl fmt::Debug for ServiceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceKind").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ChildKind for ServiceKind {
    type Message = ServiceMessage;
    type Actor = ServiceActor;
    type Birth = ();

    const NAME: &'static str = "service";
    // What it hears from outside must not reach a hub that is going down.
    const RANK: Rank = Rank::Dispatcher;
    const PORTRAIT: fn(RpcReplyPort<Portrait>) -> ServiceMessage = |reply| ServiceMessage::Portrait { reply };

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.name)
    }

    async fn stored(&self, _: &Spawner) -> Result<Option<()>, String> {
        Ok(Some(()))
    }

    fn actor(&self, spawner: &Spawner, (): (), line: &Line<ServiceMessage>) -> (ServiceActor, ServiceArgs) {
        let (name, service) = (line.name().to_owned(), Arc::clone(&self.service));
        (ServiceActor, ServiceArgs { name, service, clock: spawner.clock, gauge: Arc::clone(line.gauge()) })
    }
}
