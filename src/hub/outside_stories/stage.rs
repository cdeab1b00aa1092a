//! A hub beside a forge and a tracker; it is killed, and goes on from what it left.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};

use super::chance::Chance;
use super::outer::{Defect, InProcess, Life, Outer};
use super::repository;
use crate::actors::forge::{Forge, ForgeDestination};
use crate::actors::journal::JournalReads;
use crate::actors::outbox::{Destination, Destinations};
use crate::actors::{Backstage, BackstageArgs};
use crate::clock::Clock;
use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::principal::{Principal, PrincipalKind, Scope, Surface};
use crate::domain::pull::Green;
use crate::domain::task::RightsSet;
use crate::domain::time::Timestamp;
use crate::domain::trace::{Trace, TraceId};
use crate::ids::Ids;
use crate::journal::memory::{self, MemoryFaults, MemoryReader, MemoryStore};
use crate::settings::{ForgeKind, HubSettings, Person, Settings, TrackerKind};
use crate::tools::hooks::HookEffects;
use crate::tools::{Caller, Follows, call};
use crate::tracker::{Tracker, TrackerDestination};
use callboard_standin::forge::{ForgeStandIn, Kind};

/// What both stand-ins know.
pub(super) const TOKEN: &str = "a-token";
/// When a story begins.
const BEGINS: Timestamp = Timestamp(1_800_000_000_000);

pub(super) struct Stage {
    pub(super) backstage: Backstage,
    pub(super) reader: MemoryReader,
    pub(super) faults: MemoryFaults,
    life: Life,
    pub(super) deadly: Arc<AtomicBool>,
    defect: Defect,
    pub(super) chance: Chance,
    pub(super) github: ForgeStandIn,
    pub(super) issues: ForgeStandIn,
    seed: u64,
    pub(super) hubs: u64,
    pub(super) count: u64,
    pub(super) task: Option<String>,
    tracker: Tracker,
}

impl Stage {
    pub(super) async fn of(seed: u64, defect: Defect) -> Self {
        let (chance, life, deadly) = (Chance::of(seed), Life::default(), Arc::new(AtomicBool::new(true)));
        let [github, issues] = [(), ()].map(|()| {
            let forge = ForgeStandIn::new(Kind::GitHub, TOKEN, callboard_standin::time::Clock::starting_at(BEGINS));
            forge.repository(&repository(seed), "main");
            forge.permits(&repository(seed), "eve", "read");
            forge
        });
        let mut settings = Settings::defaults().hub;
        set(&mut settings, seed);
        // One for all hubs of a story: it reads the system's certificates.
        let token = Some(SecretString::from(TOKEN));
        let tracker = Tracker::load(&settings, token, Clock::starting_at(BEGINS)).unwrap().unwrap();
        let parts = Parts {
            seed,
            issues: &issues,
            tracker: &tracker,
            github: &github,
            chance: &chance,
            life: &life,
            deadly: &deadly,
            defect,
        };
        let (backstage, reader, faults) = parts.hub(memory::open(), BEGINS, 0).await;
        let mut stage = Self {
            backstage,
            reader,
            faults,
            life,
            deadly,
            defect,
            chance,
            github,
            issues,
            seed,
            hubs: 0,
            count: 0,
            task: None,
            tracker,
        };
        stage.registers().await;
        stage
    }

    /// The agent comes, or comes back.
    async fn registers(&mut self) {
        let workspace = json!({"agentId": "ann", "role": "full-stack-engineer",
            "workspace": {"repo": self.repository(), "branch": "main"}});
        assert_eq!(self.says("register_agent", workspace).await["success"], true);
        let linked = self.says("link_task", json!({"work_item": format!("{}#1", self.repository())})).await;
        assert_eq!(linked["success"], true, "{linked}");
    }

    pub(super) fn repository(&self) -> String {
        repository(self.seed)
    }

    /// The agent calls a verb.
    pub(super) async fn says(&self, name: &str, arguments: Value) -> Value {
        let agent = AgentId::parse("ann").unwrap();
        let ann = caller("agent:ann", PrincipalKind::Agent { agent }, Scope::Agent);
        self.called(&ann, name, arguments).await
    }

    pub(super) async fn called(&self, caller: &Caller, name: &str, arguments: Value) -> Value {
        let (value, guard) = match call(&self.backstage.hub, caller, name, arguments).await {
            Ok(reply) => (reply.structured(), reply.guard),
            Err(refusal) => (refusal.structured(), refusal.guard),
        };
        guard.inspect(|guard| guard.leaves());
        value
    }

    /// The hub is killed, and another one goes on from its journal; the agent finds its way back.
    pub(super) async fn dies(&mut self) {
        self.life.ends();
        let left = self.reader.reopened();
        self.faults.break_down("it is dead");
        (self.life, self.hubs) = (Life::default(), self.hubs + 1);
        let now = self.backstage.hub.clock.now();
        let parts = Parts {
            seed: self.seed,
            issues: &self.issues,
            tracker: &self.tracker,
            github: &self.github,
            chance: &self.chance,
            life: &self.life,
            deadly: &self.deadly,
            defect: self.defect,
        };
        let (next, reader, faults) = parts.hub(left, now, self.hubs).await;
        (self.reader, self.faults) = (reader, faults);
        std::mem::replace(&mut self.backstage, next).end(Duration::from_millis(10)).await;
        self.registers().await;
    }

    /// Kills the hub where a send wanted it.
    pub(super) async fn dies_if_it_must(&mut self) {
        while self.life.is_dying() {
            self.dies().await;
        }
    }

    /// Nothing goes wrong any more.
    pub(super) async fn calms_down(&mut self) {
        self.deadly.store(false, Ordering::Relaxed);
        self.github.mends();
        self.issues.mends();
        self.faults.mend();
        self.dies_if_it_must().await;
    }
}

/// What a hub is made of.
struct Parts<'a> {
    seed: u64,
    issues: &'a ForgeStandIn,
    tracker: &'a Tracker,
    github: &'a ForgeStandIn,
    chance: &'a Chance,
    life: &'a Life,
    deadly: &'a Arc<AtomicBool>,
    defect: Defect,
}

impl Parts<'_> {
    async fn hub(
        self,
        (store, reader): (MemoryStore, MemoryReader),
        now: Timestamp,
        hubs: u64,
    ) -> (Backstage, MemoryReader, MemoryFaults) {
        let (faults, mut settings, clock) = (store.faults(), Settings::defaults(), Clock::starting_at(now));
        set(&mut settings.hub, self.seed);
        let ada = Person {
            github: Some("ada".to_owned()),
            principal: PrincipalId::parse("person:ada").ok(),
            can_approve: Some(RightsSet::All),
            ..Person::default()
        };
        settings.people.people.insert("ada".to_owned(), ada);
        for role in settings.roles.roles.values_mut() {
            (role.merge.require_approval, role.merge.require_green) = (true, Green::NOTHING);
        }
        let carrier = |forge: &ForgeStandIn| {
            let (life, chance, deadly) = (self.life.clone(), self.chance.clone(), Arc::clone(self.deadly));
            Arc::new(InProcess { forge: forge.clone(), life, chance, defect: self.defect, deadly })
        };
        let forge = Forge::carried_by(Some(SecretString::from(TOKEN)), carrier(self.github));
        let pulls = ForgeDestination::new(forge.clone());
        let comments = TrackerDestination::new(self.tracker.clone().carried_by(carrier(self.issues)));
        let outer = |inner: Arc<dyn Destination>, unsteady: Option<ForgeStandIn>| {
            let (life, chance, deadly) = (self.life.clone(), self.chance.clone(), Arc::clone(self.deadly));
            Arc::new(Outer { inner, life, chance, defect: self.defect, deadly, unsteady }) as Arc<dyn Destination>
        };
        let hooks = HookEffects::default();
        let all = vec![
            outer(Arc::new(pulls.clone()), None),
            outer(Arc::new(comments.clone()), Some(self.issues.clone())),
            outer(Arc::new(hooks.clone()), None),
        ];
        // A hub that comes later mints other ids.
        let args = BackstageArgs {
            forge,
            destinations: Destinations::new(all),
            settings,
            ..BackstageArgs::alone(
                Box::new(store),
                JournalReads::new(reader.clone()),
                clock,
                Ids::seeded(self.seed * 1_000 + hubs),
            )
        };
        let backstage = Backstage::start(args).await.unwrap();
        pulls.begin(&backstage.hub);
        comments.begin(&backstage.hub);
        hooks.begin(&backstage.hub);
        (backstage, reader, faults)
    }
}

fn set(hub: &mut HubSettings, seed: u64) {
    hub.forge.kind = ForgeKind::Github;
    hub.forge.repositories = vec!["acme/*".to_owned()];
    hub.tracker.kind = TrackerKind::Github;
    hub.tracker.repositories = vec![repository(seed)];
}

pub(super) fn operator() -> Caller {
    caller("person:olga", PrincipalKind::Person, Scope::Operate)
}

fn caller(id: &str, kind: PrincipalKind, scope: Scope) -> Caller {
    let surface = if scope == Scope::Agent { Surface::Agent } else { Surface::Api };
    Caller {
        principal: Principal {
            id: PrincipalId::parse(id).unwrap(),
            display_name: id.to_owned(),
            kind,
            scopes: BTreeSet::from([scope]),
        },
        surface,
        client: None,
        instance: None,
        session: None,
        request: "request-1".to_owned(),
        trace: Trace::begun(TraceId::of(1)),
        peer: None,
        reports: None,
        follows: Follows::default(),
    }
}
