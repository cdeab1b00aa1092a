//! Looks out for changes, on the noticeboard and in the settings.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerNotification, ToolListChangedNotification,
};
use tokio::sync::watch;

use super::super::{resources, workflows};
use crate::actors::HubRef;
use crate::actors::noticeboard::{Event, Posted, Subscription};
use crate::domain::principal::Principal;
use crate::domain::tool_set::ToolSets;
use crate::journal::{EventFilter, Seq};
use crate::settings::{Settings, SystemPrompts};
use crate::tools::{self, ViewTarget};

/// The families of events from which something that may be read can change.
const FAMILIES: [&str; 6] = ["task", "review", "agent", "session", "question", "workflow"];

/// The event by which the role of an agent, and with it its sets of tools, may change.
const REGISTERED: &str = "agent.registered";

/// What somebody wants to be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::transport::mcp) struct Wanted {
    /// That other tools are listed.
    pub(in crate::transport::mcp) tools: bool,
    /// Which sets of tools it was shown last, unless it asked for sets by name: those never change.
    pub(in crate::transport::mcp) shown: Option<ToolSets>,
    /// Whether it hears by an event that its agent registered; a session is told by the call itself.
    pub(in crate::transport::mcp) by_events: bool,
    pub(in crate::transport::mcp) prompts: bool,
    pub(in crate::transport::mcp) resources: bool,
    /// That one of these changed, by name.
    pub(in crate::transport::mcp) targets: BTreeMap<String, ViewTarget>,
    /// Behind which event that begins.
    pub(in crate::transport::mcp) since: Seq,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transport::mcp) enum Change {
    Tools,
    Prompts,
    Resources,
    /// What stands under this name.
    Updated(String),
}

impl Change {
    pub(in crate::transport::mcp) fn told(self) -> ServerNotification {
        match self {
            Self::Tools => ToolListChangedNotification::default().into(),
            Self::Prompts => PromptListChangedNotification::default().into(),
            Self::Resources => ResourceListChangedNotification::default().into(),
            Self::Updated(uri) => ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri)).into(),
        }
    }
}

/// What lists are made of: those that a client was told before are these.
#[derive(Debug, Clone)]
pub(in crate::transport::mcp) struct Lists(Arc<Settings>, Arc<SystemPrompts>);

impl Lists {
    pub(in crate::transport::mcp) fn now(hub: &HubRef, prompts: &watch::Receiver<Arc<SystemPrompts>>) -> Self {
        Self(hub.settings(), Arc::clone(&prompts.borrow()))
    }
}

/// One who looks out for what changes.
pub(in crate::transport::mcp) struct Changes {
    hub: HubRef,
    who: Principal,
    wanted: watch::Receiver<Wanted>,
    settings: watch::Receiver<Arc<Settings>>,
    prompts: watch::Receiver<Arc<SystemPrompts>>,
    draining: watch::Receiver<bool>,
    lists: Lists,
    events: Option<Subscription>,
    /// The sets of tools that it was shown last, as far as is known here, and those that it was told of since.
    shown: Option<ToolSets>,
    told: Option<ToolSets>,
    found: VecDeque<Change>,
}

impl Changes {
    /// For `who`, of what is `wanted` at each moment, until that is dropped; `lists` are known already.
    pub(in crate::transport::mcp) fn new(
        hub: HubRef,
        who: Principal,
        prompts: watch::Receiver<Arc<SystemPrompts>>,
        lists: Lists,
        mut wanted: watch::Receiver<Wanted>,
    ) -> Self {
        let (mut settings, draining) = (hub.settings.clone(), hub.draining.clone());
        wanted.mark_changed();
        settings.mark_changed();
        let (events, shown, told, found) = (None, None, None, VecDeque::new());
        Self { hub, who, wanted, settings, prompts, draining, lists, events, shown, told, found }
    }

    /// What changes next; none when nobody wants it any more, or the hub ends.
    pub(in crate::transport::mcp) async fn next(&mut self) -> Option<Change> {
        loop {
            if let Some(change) = self.found.pop_front() {
                return Some(change);
            }
            match self.heard().await? {
                Wakeup::Wanted => {
                    self.listens().await?;
                    self.looks_at_tools().await;
                }
                Wakeup::Reloaded => {
                    self.compares();
                    self.looks_at_tools().await;
                }
                Wakeup::Posted(posted) => self.hears(posted).await,
            }
        }
    }

    /// What there is to look at; none when nobody wants it any more, or the hub ends.
    async fn heard(&mut self) -> Option<Wakeup> {
        tokio::select! {
            biased;
            () = drained(&mut self.draining) => None,
            changed = self.wanted.changed() => changed.ok().map(|()| Wakeup::Wanted),
            Ok(()) = self.settings.changed() => Some(Wakeup::Reloaded),
            Ok(()) = self.prompts.changed() => Some(Wakeup::Reloaded),
            posted = next_of(&mut self.events) => posted.map(Wakeup::Posted),
        }
    }

    /// Listens to events as long as one is wanted.
    async fn listens(&mut self) -> Option<()> {
        let (targets, registrations, since) = {
            let wanted = self.wanted.borrow_and_update();
            let own = self.who.agent().filter(|_| wanted.tools && wanted.by_events && wanted.shown.is_some());
            (!wanted.targets.is_empty(), own.cloned(), wanted.since)
        };
        if !targets && registrations.is_none() {
            self.events = None;
        } else if self.events.is_none() {
            let filter = match registrations {
                Some(agent) if !targets => {
                    EventFilter { types: vec![REGISTERED.to_owned()], agent: Some(agent), ..EventFilter::default() }
                }
                Some(_) | None => EventFilter { types: FAMILIES.map(str::to_owned).to_vec(), ..EventFilter::default() },
            };
            self.events = Some(self.hub.noticeboard.subscribe(filter, Some(since)).await.ok()?);
        }
        Some(())
    }

    /// Whether other sets of tools are shown than it was shown, and was told of.
    async fn looks_at_tools(&mut self) {
        let shown = {
            let wanted = self.wanted.borrow();
            wanted.shown.clone().filter(|_| wanted.tools)
        };
        if shown.is_none() {
            return;
        }
        if self.shown != shown {
            (self.shown, self.told) = (shown, None);
        }
        // An actor that is busy just now is asked again with the next look.
        let Ok(now) = tools::shown_to(&self.hub, &self.who).await else { return };
        if self.told.as_ref().or(self.shown.as_ref()) != Some(&now) {
            self.told = Some(now);
            self.found.push_back(Change::Tools);
        }
    }

    /// Which lists are others than before.
    fn compares(&mut self) {
        let new = Lists(Arc::clone(&self.settings.borrow_and_update()), Arc::clone(&self.prompts.borrow_and_update()));
        let old = std::mem::replace(&mut self.lists, new);
        let new = &self.lists;
        if Arc::ptr_eq(&old.0, &new.0) && Arc::ptr_eq(&old.1, &new.1) {
            return;
        }
        let wanted = self.wanted.borrow().clone();
        if wanted.prompts && workflows::list(&old.0, &old.1) != workflows::list(&new.0, &new.1) {
            self.found.push_back(Change::Prompts);
        }
        if wanted.resources && resources::common(&old.0, &old.1) != resources::common(&new.0, &new.1) {
            self.found.push_back(Change::Resources);
        }
    }

    async fn hears(&mut self, posted: Posted) {
        let registered = match &posted {
            Posted::Event(event) => event.kind == REGISTERED && event.subject.agent.as_ref() == self.who.agent(),
            Posted::Gap { .. } => true,
        };
        if registered {
            self.looks_at_tools().await;
        }
        let touched: Vec<(String, ViewTarget)> = {
            let wanted = self.wanted.borrow();
            let touched = wanted.targets.iter().filter(|(_, target)| match &posted {
                Posted::Event(event) => touches(event, target),
                // Nobody knows what was missed: it may have been any of them.
                Posted::Gap { .. } => true,
            });
            touched.map(|(uri, target)| (uri.clone(), target.clone())).collect()
        };
        for (uri, target) in touched {
            let change = Change::Updated(uri);
            if !self.found.contains(&change) && tools::sees(&self.hub, &self.who, &target).await.unwrap_or(false) {
                self.found.push_back(change);
            }
        }
    }
}

enum Wakeup {
    /// Something else is wanted.
    Wanted,
    Reloaded,
    Posted(Posted),
}

async fn drained(draining: &mut watch::Receiver<bool>) {
    let _ = draining.wait_for(|down| *down).await;
}

async fn next_of(events: &mut Option<Subscription>) -> Option<Posted> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

/// Whether an event changes what is seen there.
fn touches(event: &Event, target: &ViewTarget) -> bool {
    let family = event.kind.split('.').next().unwrap_or_default();
    match target {
        ViewTarget::Task(id) => event.subject.task.as_ref() == Some(id) && matches!(family, "task" | "review"),
        ViewTarget::TaskResult(id) => event.subject.task.as_ref() == Some(id) && family == "task",
        ViewTarget::Session(id) => event.subject.session.as_ref() == Some(id),
        ViewTarget::Workflow(id) => event.data["workflowId"] == id.as_str(),
        ViewTarget::Agents => match family {
            "agent" => matches!(event.kind.as_str(), "agent.registered" | "agent.evicted" | "agent.eviction_heard"),
            _ => family == "task" && event.subject.agent.is_some(),
        },
    }
}
