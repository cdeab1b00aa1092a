//! What the supervisor knows of the actors it builds anew: a row for each kind ([`ChildKind`], in `kinds.rs`), and the
//! same operations for all of them ([`Child`]).

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ractor::{Actor, ActorCell, Message, RpcReplyPort};

use super::lately::Lately;
use crate::actors::common::{ActorHandle, ActorView, MailboxMetrics, Restarts, Result, Socket};
use crate::actors::spawner::{ActorArgs, Spawner};
use crate::domain::ids::{AgentId, SessionId};

/// A kind of actor. The value holds what tells one actor of the kind from another: its id, where it has one.
pub trait ChildKind: fmt::Debug + Sized + Send + Sync + 'static {
    type Message: Message + fmt::Debug;
    type Actor: Actor<Msg = Self::Message>;
    /// What an actor is built from: its state as the journal has it.
    type Birth: Send;

    /// The kind's name, as `/admin/actors` shows it.
    const NAME: &'static str;
    /// When its actors are drained as the hub ends: those of rank 0 first.
    const RANK: Rank;
    /// Whether an actor may end because its work is done.
    const RETIRES: bool = false;
    /// Who is told once one of them was built anew.
    const AFTERWARDS: &'static [Afterwards] = &[];
    /// The message that asks an actor for its picture.
    const VIEW: fn(RpcReplyPort<ActorView>) -> Self::Message;
    /// The message that lets an actor look at the time; none where it has no deadlines.
    const TICK: Option<fn() -> Self::Message> = None;
    /// The message by which an actor that was built anew is asked to tell how it stands.
    const ANNOUNCE: Option<fn() -> Self::Message> = None;

    /// The actor's name in the tree: that of its kind, where there is one of the kind.
    fn name(&self) -> String {
        Self::NAME.to_owned()
    }

    /// Reads what the actor is built from after a failure; none where nobody is to be built any more.
    fn stored(&self, spawner: &Spawner) -> impl Future<Output = Result<Option<Self::Birth>, String>> + Send;

    fn actor(&self, args: ActorArgs<Self::Message, Self::Birth>) -> (Self::Actor, <Self::Actor as Actor>::Arguments);

    /// Those whom its return concerns, of the kinds that [`Self::AFTERWARDS`] names; none: all of them.
    fn concerns(_: &Self::Birth) -> Option<Concerned> {
        None
    }

    /// The journal knows nothing of it any more: nobody is built.
    fn gone(&self, _: &Spawner) {}
}

/// What a kind says of its actor: its name, its types, and the message that asks for its picture.
macro_rules! kind {
    ($name:literal, $actor:ident, $message:ident) => {
        kind!($name, $actor, $message, ());
    };
    ($name:literal, $actor:ident, $message:ident, $birth:ty) => {
        type Message = $message;
        type Actor = $actor;
        type Birth = $birth;

        const NAME: &'static str = $name;
        const VIEW: fn(ractor::RpcReplyPort<$crate::actors::common::ActorView>) -> $message =
            |reply| $message::ActorView { reply };
    };
}

/// Of a kind whose actor reads by itself what it needs.
macro_rules! built_from_nothing {
    () => {
        async fn stored(&self, _: &$crate::actors::spawner::Spawner) -> Result<Option<()>, String> {
            Ok(Some(()))
        }
    };
}

/// Of a kind whose actor takes the arguments as they are.
macro_rules! takes_args {
    ($actor:ident) => {
        fn actor(
            &self,
            args: $crate::actors::spawner::ActorArgs<Self::Message, Self::Birth>,
        ) -> ($actor, <$actor as ractor::Actor>::Arguments) {
            ($actor, args)
        }
    };
}

pub(super) use {built_from_nothing, kind, takes_args};

/// Who is drained after whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The dispatcher passes on "reconnect" before the agents end.
    Dispatcher,
    /// Agents give offers back before tasks end.
    Agents,
    Workers,
    /// The alarm rings until all of these have ended.
    Alarm,
    /// Followers read what the others did at their end. They end with the noticeboard, behind it.
    Followers,
}

impl Rank {
    /// Those that end before the journal does, in order.
    pub const BEFORE_THE_JOURNAL: [Self; 4] = [Self::Dispatcher, Self::Agents, Self::Workers, Self::Alarm];
}

/// Who is told once an actor was built anew: what the old one had written and not told, nobody else will tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Afterwards {
    /// Every actor with a deadline looks at the time: a new alarm knows none.
    EverybodyTicks,
    /// The dispatcher is given a handle to each agent and task: a rebuilt one has none.
    DispatcherAdopts,
    /// Agents look for what is on disk and was not told to them.
    AgentsLook,
    /// Sessions read again what was written into their streams.
    SessionsLook,
}

/// An actor's kind, and both ends of the handle to it.
#[derive(Debug)]
pub struct ChildSlot<K: ChildKind> {
    pub(super) kind: K,
    socket: Socket<K::Message>,
    pub(super) line: ActorHandle<K::Message>,
}

impl<K: ChildKind> ChildSlot<K> {
    pub fn new(kind: K, (socket, line): (Socket<K::Message>, ActorHandle<K::Message>)) -> Self {
        Self { kind, socket, line }
    }

    /// Builds the actor and connects the handle to it.
    pub async fn start(&self, spawner: &Spawner, birth: K::Birth) -> Result<ActorCell, String> {
        let (actor, args) = self.kind.actor(ActorArgs { birth, line: self.line.clone(), spawner: spawner.clone() });
        let started = Actor::spawn_linked(None, actor, args, spawner.cell.clone()).await;
        let (actor, _) = started.map_err(|error| error.to_string())?;
        self.socket.connect(actor.clone());
        Ok(actor.get_cell())
    }
}

/// An actor of any kind, as the supervisor handles it.
pub trait Child: Any + fmt::Debug + Send + Sync {
    fn kind(&self) -> &'static str;
    fn rank(&self) -> Rank;
    fn retires(&self) -> bool;
    fn afterwards(&self) -> &'static [Afterwards];
    fn mailbox_metrics(&self) -> &Arc<MailboxMetrics>;
    fn disconnect(&self);
    fn tick(&self);
    fn actor_view(&self) -> BoxFuture<'static, Result<ActorView>>;
    /// Builds it from what the journal has; none where nobody is to be built any more.
    fn build<'a>(&'a self, spawner: &'a Spawner) -> BoxFuture<'a, Result<Option<Built>, String>>;
    /// Nobody is built in its place.
    fn gone(&self, spawner: &Spawner);
}

impl<K: ChildKind> Child for ChildSlot<K> {
    fn kind(&self) -> &'static str {
        K::NAME
    }

    fn rank(&self) -> Rank {
        K::RANK
    }

    fn retires(&self) -> bool {
        K::RETIRES
    }

    fn afterwards(&self) -> &'static [Afterwards] {
        K::AFTERWARDS
    }

    fn mailbox_metrics(&self) -> &Arc<MailboxMetrics> {
        self.line.mailbox_metrics()
    }

    fn disconnect(&self) {
        self.socket.disconnect();
    }

    fn tick(&self) {
        if let Some(tick) = K::TICK {
            self.line.tell(tick());
        }
    }

    fn actor_view(&self) -> BoxFuture<'static, Result<ActorView>> {
        let line = self.line.clone();
        async move { line.ask(K::VIEW).await }.boxed()
    }

    fn build<'a>(&'a self, spawner: &'a Spawner) -> BoxFuture<'a, Result<Option<Built>, String>> {
        async move {
            let Some(birth) = self.kind.stored(spawner).await? else { return Ok(None) };
            let concerned = K::concerns(&birth);
            let cell = self.start(spawner, birth).await?;
            if let Some(announce) = K::ANNOUNCE {
                self.line.tell(announce());
            }
            Ok(Some(Built { cell, concerned }))
        }
        .boxed()
    }

    fn gone(&self, spawner: &Spawner) {
        self.kind.gone(spawner);
    }
}

impl dyn Child {
    /// It, where it is of this kind.
    pub(super) fn as_kind<K: ChildKind>(&self) -> Option<&ChildSlot<K>> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

#[derive(Debug)]
pub struct Built {
    pub cell: ActorCell,
    /// Whom this concerns; none: everybody.
    pub concerned: Option<Concerned>,
}

/// Whom it concerns that an actor was built anew.
#[derive(Debug, Default)]
pub struct Concerned {
    pub agents: BTreeSet<AgentId>,
    pub sessions: BTreeSet<SessionId>,
}

#[derive(Debug)]
pub struct Spawned {
    pub name: String,
    pub cell: ActorCell,
    /// What to build when it fails.
    pub child: Box<dyn Child>,
}

impl Spawned {
    pub fn new<K: ChildKind>(slot: ChildSlot<K>, cell: ActorCell) -> Self {
        Self { name: slot.line.name().to_owned(), cell, child: Box::new(slot) }
    }
}

#[derive(Debug)]
pub(super) struct Held {
    pub(super) child: Box<dyn Child>,
    pub(super) cell: ActorCell,
    pub(super) restarts: Restarts,
    pub(super) lately: Lately,
    /// It ended, and is about to be built anew.
    pub(super) vacant: bool,
    /// Somebody asked for it to be ended and built anew.
    pub(super) by_hand: bool,
}

impl Held {
    /// How long to wait before building it anew: 10 ms, and twice as long with each failure, at most 10 s.
    pub(super) fn pause(&self) -> Duration {
        let doubled = Duration::from_millis(10) * 2u32.saturating_pow(self.restarts.count.min(10));
        doubled.min(Duration::from_secs(10))
    }
}
