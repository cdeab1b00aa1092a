//! A hub on the journal in memory with some routes in front of it, and callers that the guard has let pass.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{RequestInfo, Routes};
use crate::actors::agent::{Awaited, RegisterRequest, WaitEnd, WaitRequest};
use crate::actors::journal::JournalReads;
use crate::actors::{Backstage, BackstageArgs, HubRef};
use crate::clock::Clock;
use crate::domain::agent::Claim;
use crate::domain::ids::{AgentId, PrincipalId, RoleId};
use crate::domain::principal::{By, Principal, PrincipalKind, Scope, Surface};
use crate::domain::task::RightsSet;
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::memory::{self, MemoryFaults};

/// The hub, its routes, and who calls unless something else is said.
pub(crate) struct RouteFixture {
    pub(crate) backstage: Backstage,
    pub(crate) hub: HubRef,
    pub(crate) faults: MemoryFaults,
    router: Router,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl RouteFixture {
    pub(crate) async fn with(routes: Routes) -> Self {
        Self::of(routes, Ids::random()).await
    }

    /// One whose ids are the same each time.
    pub(crate) async fn of(routes: Routes, ids: Ids) -> Self {
        let (store, reader) = memory::open();
        let faults = store.faults();
        let args = BackstageArgs::alone(
            Box::new(store),
            JournalReads::new(reader),
            Clock::starting_at(Timestamp(1_800_000_000_000)),
            ids,
        );
        let backstage = Backstage::start(args).await.unwrap();
        let hub = backstage.hub.clone();
        let router = routes.finish(hub.clone());
        Self { backstage, hub, faults, router }
    }

    /// An admin reads.
    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.get_as(&person(Scope::Admin), path).await
    }

    pub(crate) async fn get_as(&self, who: &Principal, path: &str) -> Answered {
        let request = Request::get(path).body(Body::empty()).unwrap();
        Answered::of(self.ask(who, request).await).await
    }

    /// An admin orders.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        self.post_as(&person(Scope::Admin), path, body).await
    }

    pub(crate) async fn post_as(&self, who: &Principal, path: &str, body: Value) -> Answered {
        self.send(who, path, &[("content-type", "application/json")], body.to_string()).await
    }

    pub(crate) async fn send(
        &self,
        who: &Principal,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answered {
        let mut request = Request::post(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answered::of(self.ask(who, request.body(body.into()).unwrap()).await).await
    }

    /// As the guard lets it pass.
    pub(crate) async fn ask(&self, who: &Principal, mut request: Request<Body>) -> Response {
        request.extensions_mut().insert(who.clone());
        self.ask_nobody(request).await
    }

    /// As the guard lets it pass where no credential is needed.
    pub(crate) async fn ask_nobody(&self, mut request: Request<Body>) -> Response {
        let info = RequestInfo::of(&Ids::random(), Surface::Api, request.headers());
        request.extensions_mut().insert(RequestInfo { id: "r-1".to_owned(), ..info });
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// A new task for this target; its id.
    pub(crate) async fn task(&self, target: &str, prompt: &str) -> String {
        let made = self.post("/api/v1/tasks", json!({"targetAgentId": target, "prompt": prompt})).await;
        assert_eq!(made.status, 201, "{}", made.text);
        made.body["taskId"].as_str().unwrap().to_owned()
    }

    /// An agent that registered.
    pub(crate) async fn registers(&self, id: &str, role: &str) {
        assert!(self.tries_to_register(id, role).await);
    }

    /// Whether an agent could register.
    pub(crate) async fn tries_to_register(&self, id: &str, role: &str) -> bool {
        let id = AgentId::parse(id).unwrap();
        let claim = Claim {
            role: RoleId::parse(role).unwrap(),
            display_name: id.to_string(),
            capabilities: BTreeSet::new(),
            can_delegate_to: RightsSet::All,
            reports_to: BTreeSet::new(),
            workspace: None,
            client: None,
            instance: None,
            new_session: self.hub.ids.session(),
            sanitized: None,
        };
        let by = By { principal: PrincipalId::parse(&format!("agent:{id}")).unwrap(), surface: Surface::Agent };
        let line = self.hub.dispatcher.hire(&id).await.unwrap().unwrap().agent;
        line.register(RegisterRequest { claim, by, request: None, key: None }).await.is_ok()
    }

    /// An agent takes what is there for it.
    pub(crate) async fn waits(&self, id: &str) -> WaitEnd {
        let line = self.hub.agent(&AgentId::parse(id).unwrap()).await.unwrap().unwrap();
        line.called(None).await.unwrap();
        let until = self.hub.clock.now() + Duration::from_secs(60);
        let id = self.hub.next_call();
        let (end, guard) = line
            .wait(WaitRequest { id, instance: None, until, awaits: Awaited::Anything, nudges: false })
            .await
            .unwrap();
        guard.leaves();
        end
    }
}

impl Answered {
    pub(crate) async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes: Bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self { status: parts.status, headers: parts.headers, body, text }
    }

    /// Fails unless this is the error shape under this code.
    #[track_caller]
    pub(crate) fn is_no(&self, status: u16, code: &str) {
        assert_eq!((self.status.as_u16(), &self.body["code"]), (status, &json!(code)), "{}", self.text);
        assert!(self.body["error"].as_str().is_some_and(|error| !error.is_empty()), "{}", self.text);
        assert_eq!(self.body["requestId"], "r-1", "{}", self.text);
    }
}

/// A person with this scope.
pub(crate) fn person(scope: Scope) -> Principal {
    Principal {
        id: PrincipalId::parse("person:ada").unwrap(),
        display_name: "Ada".to_owned(),
        kind: PrincipalKind::Person,
        scopes: BTreeSet::from([scope]),
    }
}

/// A program that hands out work.
pub(crate) fn service(name: &str) -> Principal {
    Principal {
        id: PrincipalId::parse(&format!("service:{name}")).unwrap(),
        display_name: name.to_owned(),
        kind: PrincipalKind::Service,
        scopes: BTreeSet::from([Scope::Operate]),
    }
}

pub(crate) fn agent(id: &str) -> Principal {
    Principal {
        id: PrincipalId::parse(&format!("agent:{id}")).unwrap(),
        display_name: id.to_owned(),
        kind: PrincipalKind::Agent { agent: AgentId::parse(id).unwrap() },
        scopes: BTreeSet::from([Scope::Agent]),
    }
}
