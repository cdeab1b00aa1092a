//! This process as one of several hubs on one database: `domain::node` decides, and here it is performed.
//!
//! A hub that loses the team ends, and so does its process: whoever supervises it starts it again, and it stands by.
//! What it still writes is refused by the fence of the journal. A hub that cannot reach the database for
//! [`STOP_AFTER`] ends likewise, rather than answer from what may be old.

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::journal::{has_all_of_the_file, refused};
use super::{HubError, Owned};
use crate::actors::Held;
use crate::broken::{self, Break};
use crate::clock::since_boot;
use crate::domain::node::{Elapsed, NodeCommand, NodeEffect, NodeView, STOP_AFTER};
use crate::journal::TEAM;
pub use crate::journal::postgres::Holder;
use crate::journal::postgres::{DatabasePlace, LiveNode, NodeStatements};
use crate::settings::Settings;

/// How often a node looks at the others.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What a node is to the team, as its process is told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Standby,
    Owning(Holder),
    Lost(String),
}

/// A node, which counts and looks until it is told to leave.
#[derive(Debug)]
pub struct NodeProcess {
    phase: watch::Receiver<Phase>,
    held: Held,
    leaving: CancellationToken,
    driven: JoinHandle<()>,
}

impl NodeProcess {
    /// Joins, where the settings name a node. Fails as opening the journal does.
    pub async fn begin(settings: &Settings, password: Option<&SecretString>) -> Result<Option<Self>, HubError> {
        let hub = &settings.hub;
        let (Some(name), Some(url)) = (&hub.node.name, &hub.store) else { return Ok(None) };
        super::make_folder(&hub.data_dir)?;
        let password = password.map(|password| password.expose_secret());
        let place = DatabasePlace::parse(url, password, TEAM, &hub.data_dir).map_err(refused)?;
        let (public_url, shown) = (hub.node.public_url.clone(), place.shown());
        let node = LiveNode::open(place, name, public_url, env!("CARGO_PKG_VERSION")).await.map_err(refused)?;
        has_all_of_the_file(node.position(), &shown, &hub.data_dir)?;
        Ok(Some(Self::of(node.configured(digest(settings)), since_boot)))
    }

    /// Counts and looks from now on, by this clock.
    pub fn of<N: NodeStatements>(node: LiveNode<N>, now: fn() -> Duration) -> Self {
        let (phase, phase_seen) = watch::channel(Phase::Standby);
        let (nodes, nodes_seen) = watch::channel(Vec::new());
        let (until, until_seen) = watch::channel(Duration::ZERO);
        let leaving = CancellationToken::new();
        let driver = Driver { node, phase, nodes, until, now, unseen: false };
        #[expect(clippy::disallowed_methods, reason = "it outlives the hub; the process holds its handle")]
        let driven = tokio::spawn(driver.drive(leaving.clone()));
        let held = Held { until: until_seen, nodes: nodes_seen, now };
        Self { phase: phase_seen, held, leaving, driven }
    }

    /// Every node, as far as they were seen.
    pub fn nodes(&self) -> watch::Receiver<Vec<NodeView>> {
        self.held.nodes.clone()
    }

    /// Waits until this node has the team. A hub that is built for it goes on to listen at `listener`.
    pub async fn owns(&self, listener: Option<Arc<TcpListener>>) -> Owned {
        let mut phase = self.phase.clone();
        loop {
            if let Phase::Owning(holder) = *phase.borrow_and_update() {
                return Owned { holder, held: self.held.clone(), listener };
            }
            if phase.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Waits until an owner must not answer any more, and says why.
    pub async fn lost(&self) -> String {
        let (mut phase, mut until) = (self.phase.clone(), self.held.until.clone());
        loop {
            if let Phase::Lost(why) = &*phase.borrow_and_update() {
                return why.clone();
            }
            let left = until.borrow_and_update().saturating_sub((self.held.now)());
            if left.is_zero() {
                return uncounted((self.held.now)().saturating_sub(*until.borrow()) + STOP_AFTER);
            }
            tokio::select! {
                () = tokio::time::sleep(left) => {}
                Ok(()) = until.changed() => {}
                Ok(()) = phase.changed() => {}
            }
        }
    }

    /// Gives the team away, once nothing is written any more, and leaves.
    pub async fn leave(self) {
        self.leaving.cancel();
        if self.driven.await.is_err() {
            tracing::warn!("the node did not leave as it should: others take the journal in some seconds");
        }
    }
}

struct Driver<N> {
    node: LiveNode<N>,
    phase: watch::Sender<Phase>,
    nodes: watch::Sender<Vec<NodeView>>,
    until: watch::Sender<Duration>,
    now: fn() -> Duration,
    /// Whether the last look failed.
    unseen: bool,
}

impl<N: NodeStatements> Driver<N> {
    async fn drive(mut self, leaving: CancellationToken) {
        let now = ticks(self.now);
        while !leaving.is_cancelled() && !matches!(*self.phase.borrow(), Phase::Lost(_)) {
            let effects = self.node.hears(&now, NodeCommand::Tick).await;
            self.tells(&effects);
            // What it just took is seen at once, and the first beat follows at once: before it nothing is taken.
            let took = self.looks().await;
            if !took && (self.node.node().counted.is_some() || self.unseen) {
                let _ = tokio::time::timeout(LOOK_EVERY, leaving.cancelled()).await;
            }
        }
        // An owner drains first: its hub has ended by now.
        for command in [NodeCommand::Stop, NodeCommand::Drained, NodeCommand::Stop] {
            self.node.hears(&now, command).await;
        }
    }

    /// Whether it took the team by that.
    async fn looks(&mut self) -> bool {
        let looked = self.node.looks(&ticks(self.now)).await;
        let unseen = std::mem::replace(&mut self.unseen, looked.is_err());
        match looked {
            Ok((effects, nodes)) => {
                self.nodes.send_replace(nodes);
                self.tells(&effects);
                effects.iter().any(|effect| matches!(effect, NodeEffect::Begin { .. }))
            }
            Err(error) => {
                if !unseen {
                    tracing::warn!("the other hubs cannot be seen: {error}");
                }
                false
            }
        }
    }

    /// Tells the process what is about its hub. One that froze ends, and one that drains calls `leave` once it has.
    fn tells(&self, effects: &[NodeEffect]) {
        if let Some(counted) = self.node.node().counted {
            let until = Duration::from_millis(counted.0) + STOP_AFTER;
            self.until.send_replace(if broken::by(Break::NeverStops) { Duration::MAX } else { until });
        }
        for effect in effects {
            if matches!(effect, NodeEffect::Begin { .. }) {
                self.phase.send_replace(Phase::Owning(self.node.holder()));
            } else if *effect == NodeEffect::Freeze && !broken::by(Break::NeverStops) {
                let counted = self.node.node().counted.map(|counted| Duration::from_millis(counted.0));
                self.loses(uncounted((self.now)().saturating_sub(counted.unwrap_or_default())));
            } else if *effect == NodeEffect::End {
                self.loses("another hub has taken the journal".to_owned());
            }
        }
    }

    fn loses(&self, why: String) {
        if matches!(*self.phase.borrow(), Phase::Owning(_)) {
            self.phase.send_replace(Phase::Lost(why));
        }
    }
}

fn ticks(now: fn() -> Duration) -> impl Fn() -> Elapsed + Sync {
    move || Elapsed(u64::try_from(now().as_millis()).unwrap_or(u64::MAX))
}

/// What the settings come to that are to be the same on all nodes, as eight bytes of a hash. Those of a machine's own,
/// and where its files are, may differ.
fn digest(settings: &Settings) -> String {
    const OWN: &str = "allowedHosts allowedOrigins behindProxy dataDir journal. listen log. monitor. node. store tls";
    let mut hash = Sha256::new();
    for shown in settings.shown.iter().filter(|shown| !shown.path.ends_with("File")) {
        if !OWN.split(' ').any(|own| shown.path.starts_with(own)) {
            hash.update(format!("{}={}\n", shown.path, shown.value));
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The silence began with the first beat after the one that was counted, and so up to two seconds later.
fn uncounted(since: Duration) -> String {
    format!("the database has counted no beat of this node that was sent in the last {:.1} s", since.as_secs_f64())
}
