//! A small hub over the journal in memory, and callers of its tools.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::actors::forge::{Forge, ForgeDestination};
use crate::actors::journal::JournalReads;
use crate::actors::outbox::Destinations;
use crate::actors::{Backstage, BackstageArgs, HubRef};
use crate::clock::Clock;
use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::principal::{Principal, PrincipalKind, Scope, Surface};
use crate::domain::time::Timestamp;
use crate::domain::trace::{Trace, TraceId};
use crate::ids::Ids;
use crate::journal::memory;
use crate::settings::Settings;
use crate::tools::check::check;
use crate::tools::hooks::HookEffects;
use crate::tools::{Caller, Follows, call, find};

/// A hub over the journal in memory, on stopped time.
pub(crate) struct ToolFixture {
    backstage: Backstage,
    pub(crate) hub: HubRef,
    /// What does what came by webhook.
    pub(crate) hooks: HookEffects,
}

/// What a verb answered: the structured result, checked.
#[derive(Debug, Clone)]
pub(crate) struct VerbReply(pub(crate) Value);

impl ToolFixture {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::beside(Forge::default(), change).await
    }

    /// The same beside a forge.
    pub(crate) async fn beside(forge: Forge, change: impl FnOnce(&mut Settings)) -> Self {
        let (store, reader) = memory::open();
        let (asks, hooks) = (ForgeDestination::new(forge.clone()), HookEffects::default());
        let mut settings = Settings::defaults();
        change(&mut settings);
        let args = BackstageArgs {
            forge,
            destinations: Destinations::new(vec![Arc::new(asks.clone()), Arc::new(hooks.clone())]),
            settings,
            ..BackstageArgs::alone(
                Box::new(store),
                JournalReads::new(reader),
                Clock::starting_at(Timestamp(1_800_000_000_000)),
                Ids::random(),
            )
        };
        let backstage = Backstage::start(args).await.expect("a hub");
        let hub = backstage.hub.clone();
        asks.begin(&hub);
        hooks.begin(&hub);
        Self { backstage, hub, hooks }
    }

    /// Its settings are others from now on.
    pub(crate) fn reload(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = Settings::clone(&self.hub.settings());
        change(&mut settings);
        self.backstage.reload(settings);
    }

    pub(crate) async fn ends(self) {
        self.backstage.end(Duration::from_secs(5)).await;
    }

    /// Calls a verb, and holds what it says against its schema.
    pub(crate) async fn call(&self, caller: &Caller, name: &str, arguments: Value) -> VerbReply {
        said(&self.hub, caller, name, arguments).await
    }

    /// The same in the background.
    pub(crate) fn begins(
        &self,
        caller: &Caller,
        name: &'static str,
        arguments: Value,
    ) -> tokio::task::JoinHandle<VerbReply> {
        let (hub, caller) = (self.hub.clone(), caller.clone());
        #[expect(clippy::disallowed_methods, reason = "a caller of its own")]
        tokio::spawn(async move { said(&hub, &caller, name, arguments).await })
    }

    /// An agent that has registered.
    pub(crate) async fn agent(&self, id: &str, role: &str) -> Caller {
        self.agent_with(id, json!({"role": role})).await
    }

    /// The same with more to say of itself.
    pub(crate) async fn agent_with(&self, id: &str, more: Value) -> Caller {
        let caller = agent(id);
        let mut arguments = json!({ "agentId": id });
        merge(&mut arguments, more);
        let said = self.call(&caller, "register_agent", arguments).await;
        assert_eq!(said.0["success"], true, "{said:?}");
        caller
    }

    /// An operator assigns a task to an agent, and the agent takes it.
    pub(crate) async fn given(&self, agent: &Caller, more: Value) -> String {
        let mut arguments = json!({"targetAgentId": agent_of(agent), "prompt": "Implement login."});
        merge(&mut arguments, more);
        let assigned = self.call(&operator(), "assign_task", arguments).await;
        let waited = self.call(agent, "wait_for_prompt", json!({})).await;
        assert_eq!(waited.0["status"], "TASK", "{waited:?}");
        assert_eq!(waited.0["taskId"], assigned.0["taskId"]);
        assigned.text("taskId")
    }
}

impl ToolFixture {
    /// A field of a task, read to its end.
    pub(crate) async fn reads(&self, caller: &Caller, task: &str, field: &str) -> String {
        self.reads_from(caller, task, field, 0).await
    }

    /// The same from that byte on.
    pub(crate) async fn reads_from(&self, caller: &Caller, task: &str, field: &str, offset: usize) -> String {
        let (mut read, mut next) = (String::new(), Some(offset));
        while let Some(offset) = next {
            let asked = json!({"taskId": task, "field": field, "offset": offset});
            let said = self.call(caller, "get_task_context", asked).await;
            let part = &said.done().0["part"];
            read.push_str(part["text"].as_str().expect("a text"));
            next = part["nextOffset"].as_u64().map(|next| usize::try_from(next).expect("an offset"));
        }
        read
    }
}

impl VerbReply {
    pub(crate) fn text(&self, field: &str) -> String {
        self.0[field].as_str().unwrap_or_else(|| panic!("`{field}` in {:?}", self.0)).to_owned()
    }

    pub(crate) fn is(&self, code: &str) -> &Self {
        assert_eq!(self.0["code"], code, "{:?}", self.0);
        self
    }

    pub(crate) fn done(&self) -> &Self {
        assert_eq!(self.0["success"], true, "{:?}", self.0);
        self
    }

    pub(crate) fn notices(&self) -> Vec<Value> {
        self.0["notices"].as_array().cloned().unwrap_or_default()
    }
}

/// Makes a call, and lets its answer leave.
async fn said(hub: &HubRef, caller: &Caller, name: &str, arguments: Value) -> VerbReply {
    let (value, delivery) = match call(hub, caller, name, arguments).await {
        Ok(reply) => (reply.structured(), reply.guard),
        Err(refusal) => (refusal.structured(), refusal.guard),
    };
    delivery.inspect(|guard| guard.leaves());
    if let Some(entry) = find(name) {
        fits(&entry.output_schema, &value);
    }
    VerbReply(value)
}

/// It fits the schema, and has no field that the schema does not name.
fn fits(schema: &Value, value: &Value) {
    check(schema, value).unwrap_or_else(|misfit| panic!("{} in {value}", misfit.sentence()));
    let known = schema["properties"].as_object().cloned().unwrap_or_default();
    let unnamed: Vec<&String> =
        value.as_object().into_iter().flat_map(Map::keys).filter(|name| !known.contains_key(*name)).collect();
    assert!(unnamed.is_empty(), "{unnamed:?} are not in the schema");
}

fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

pub(crate) fn agent_of(caller: &Caller) -> String {
    caller.principal.agent().expect("an agent").to_string()
}

pub(crate) fn agent(id: &str) -> Caller {
    let agent = AgentId::parse(id).expect("an agent's id");
    caller(&format!("agent:{id}"), PrincipalKind::Agent { agent }, Scope::Agent)
}

pub(crate) fn operator() -> Caller {
    caller("operator", PrincipalKind::Person, Scope::Operate)
}

pub(crate) fn program() -> Caller {
    caller("service:bot", PrincipalKind::Service, Scope::Operate)
}

pub(crate) fn viewer() -> Caller {
    caller("viewer", PrincipalKind::Person, Scope::View)
}

fn caller(id: &str, kind: PrincipalKind, scope: Scope) -> Caller {
    let surface = if scope == Scope::Agent { Surface::Agent } else { Surface::Api };
    Caller {
        principal: Principal {
            id: PrincipalId::parse(id).expect("a principal"),
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

/// The same agent over another connection.
pub(crate) fn over(caller: &Caller, instance: &str) -> Caller {
    Caller { instance: Some(instance.to_owned()), ..caller.clone() }
}
