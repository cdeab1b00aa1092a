//! Everybody behind the doors: built from a store, reloaded, ended gently.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, SpawnErr};
use thiserror::Error;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::HubRef;
use super::common::{Counters, line};
use super::forge::Forge;
use super::journal::JournalReads;
use super::outbox::Destinations;
use super::supervisor::{SupervisorActor, SupervisorArgs};
use super::terminal::Shelf;
use crate::clock::Clock;
use crate::ids::Ids;
use crate::journal::Store;
use crate::journal::search::SearchIndex;
use crate::settings::Settings;
use crate::transcripts::Transcripts;

pub struct BackstageArgs {
    pub store: Box<dyn Store>,
    pub reads: JournalReads,
    pub search: Option<SearchIndex>,
    pub destinations: Destinations,
    pub forge: Forge,
    pub transcripts: Transcripts,
    pub settings: Settings,
    pub clock: Clock,
    pub ids: Ids,
}

/// The actors of one hub. Any number of them live in one process.
#[derive(Debug)]
pub struct Backstage {
    pub hub: HubRef,
    settings: watch::Sender<Arc<Settings>>,
    draining: watch::Sender<bool>,
    fatal: watch::Receiver<Option<String>>,
    supervisor: JoinHandle<()>,
}

#[derive(Debug, Error)]
pub enum StartError {
    #[error("failed to start the actors: {}", .0.source().map_or_else(|| .0.to_string(), ToString::to_string))]
    Spawn(#[from] SpawnErr),
    #[error("failed to start the actors: the supervisor ended")]
    Ended,
}

impl std::fmt::Debug for BackstageArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BackstageArgs")
    }
}

impl BackstageArgs {
    /// A hub with nothing outside it, on the default settings.
    pub fn alone(store: Box<dyn Store>, reads: JournalReads, clock: Clock, ids: Ids) -> Self {
        Self {
            store,
            reads,
            search: None,
            destinations: Destinations::default(),
            forge: Forge::default(),
            transcripts: Transcripts::in_memory(),
            settings: Settings::defaults(),
            clock,
            ids,
        }
    }
}

impl Backstage {
    /// Builds everybody; what the store knows is there when this returns.
    pub async fn start(args: BackstageArgs) -> Result<Self, StartError> {
        let mailbox = args.settings.hub.limits.mailbox;
        let (settings, settings_seen) = watch::channel(Arc::new(args.settings));
        let (draining, draining_seen) = watch::channel(false);
        let (fatal_told, fatal) = watch::channel(None);
        let (ready, built) = oneshot::channel();
        let counters = Counters::default();
        let args = SupervisorArgs {
            store: args.store,
            reads: args.reads,
            search: args.search,
            destinations: args.destinations,
            forge: args.forge,
            shelf: Shelf::new(args.transcripts),
            settings: settings_seen,
            draining: draining_seen,
            clock: args.clock,
            ids: args.ids,
            line: line("supervisor", mailbox, &counters),
            counters,
            ready,
            fatal: fatal_told,
        };
        let (_, supervisor) = Actor::spawn(None, SupervisorActor, args).await?;
        let hub = built.await.map_err(|_| StartError::Ended)?;
        Ok(Self { hub, settings, draining, fatal, supervisor })
    }

    pub fn reload(&self, settings: Settings) {
        self.settings.send_replace(Arc::new(settings));
        self.hub.dispatcher.tell(super::dispatcher::DispatcherMessage::Reloaded);
        self.hub.schedules.reloaded();
    }

    /// Newer settings could not be read: those in force stay, and say why.
    pub fn keeps_settings(&self, why: String) {
        self.settings.send_modify(|settings| Arc::make_mut(settings).fault = Some(why));
    }

    /// Says that the hub is going down: nobody is offered anything any more, open waits end with "reconnect".
    pub fn drain(&self) {
        self.draining.send_replace(true);
        self.hub.dispatcher.tell(super::dispatcher::DispatcherMessage::Drain);
    }

    /// Ends everybody, leaves first; what was accepted is on disk when this returns.
    pub async fn end(self, within: Duration) {
        self.drain();
        if self.hub.supervisor.shutdown(within).await.is_ok() {
            // It ends itself as its last act.
            let _ = self.supervisor.await;
        }
    }

    /// Waits until the hub cannot go on, and says why. Never returns while it can.
    pub async fn failed(&self) -> String {
        let mut fatal = self.fatal.clone();
        let reason = fatal.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
        reason.unwrap_or_else(|| "the supervisor ended".to_owned())
    }
}
