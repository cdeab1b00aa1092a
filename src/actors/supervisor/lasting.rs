//! Kinds of actors that the composition root brings, and that last as long as the hub: followers and services.

use std::fmt;
use std::sync::Arc;

use super::child::{ChildKind, Rank, built_from_nothing, kind};
use crate::actors::follower::{Consumer, FollowerActor, FollowerArgs, FollowerMessage};
use crate::actors::service::{Service, ServiceActor, ServiceArgs, ServiceMessage};
use crate::actors::spawner::{ActorArgs, Spawner};

/// One of them, by what it does.
pub struct Lasting<W> {
    pub name: &'static str,
    pub what: W,
}

/// A durable reader of what happens. Its consumer is made for the first time, and after a failure.
pub type FollowerKind = Lasting<Box<dyn Fn() -> Box<dyn Consumer> + Send + Sync>>;

/// A loop of its own ([`crate::actors::service`]).
pub type ServiceKind = Lasting<Arc<dyn Service>>;

impl<W> fmt::Debug for Lasting<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lasting").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ChildKind for FollowerKind {
    kind!("follower", FollowerActor, FollowerMessage);

    const RANK: Rank = Rank::Followers;
    const TICK: Option<fn() -> FollowerMessage> = Some(|| FollowerMessage::Tick);

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.name)
    }

    built_from_nothing!();

    fn actor(&self, args: ActorArgs<FollowerMessage>) -> (FollowerActor, FollowerArgs) {
        let (timer, mailbox_metrics) = (args.timer(|| FollowerMessage::Tick), args.mailbox_metrics());
        let (name, consumer) = (args.line.name().to_owned(), (self.what)());
        let Spawner { noticeboard, clock, .. } = args.spawner;
        (FollowerActor, FollowerArgs { name, consumer, noticeboard, timer, clock, mailbox_metrics })
    }
}

impl ChildKind for ServiceKind {
    kind!("service", ServiceActor, ServiceMessage);

    // What it hears from outside must not reach a hub that is going down.
    const RANK: Rank = Rank::Dispatcher;

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.name)
    }

    built_from_nothing!();

    fn actor(&self, args: ActorArgs<ServiceMessage>) -> (ServiceActor, ServiceArgs) {
        let (name, mailbox_metrics) = (args.line.name().to_owned(), args.mailbox_metrics());
        let (service, clock) = (Arc::clone(&self.what), args.spawner.clock);
        (ServiceActor, ServiceArgs { name, service, clock, mailbox_metrics })
    }
}
