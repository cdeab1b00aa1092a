//! `register_agent`: an agent takes up its work. What it claims is bounded by `agents.yaml`: it can narrow its rights,
//! never widen them, and hears what was cut.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assign_task::{few, workspace};
use super::prelude::*;
use super::session::open_round;
use crate::actors::agent::{Held, HeldState, RegisterRequest, Registered};
use crate::domain::agent::{Claim, DeclaredClient, Registration};
use crate::domain::ids::RoleId;
use crate::domain::routing::Roster;
use crate::domain::task::{RightsSet, Workspace};
use crate::settings::{AgentConfig, RoleConfig, UnknownRoles};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RegisterAgent {
    /// Your own agent id: the one that your credential belongs to.
    #[expect(dead_code, reason = "`call` holds it against the credential before the verb runs")]
    agent_id: String,
    /// Your role, as project-manager or full-stack-engineer.
    role: String,
    /// How people call you.
    #[serde(default)]
    display_name: Option<String>,
    /// What you can do; all that your role may do when left out.
    #[serde(default)]
    capabilities: Option<BTreeSet<String>>,
    /// Roles and agents you want to assign tasks to; all that your role may when left out.
    #[serde(default)]
    can_delegate_to: Option<BTreeSet<String>>,
    /// Roles and agents you report to; all that your role does when left out.
    #[serde(default)]
    reports_to: Option<BTreeSet<String>>,
    /// Where you work.
    #[serde(default)]
    workspace: Option<Workspace>,
    /// The program that you run in, as claude-code.
    #[serde(default)]
    client: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    agent_id: String,
    /// Your role, by the id of the configured role where there is one.
    role: String,
    /// How people call you.
    display_name: String,
    session_id: String,
    /// What is left of what you claimed.
    effective_rights: EffectiveRights,
    /// The tasks that you still hold.
    held_tasks: Vec<HeldTask>,
    /// What was cut from what you claimed, and why.
    warnings: Vec<String>,
}

/// What configuration leaves of a claim.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EffectiveRights {
    /// Roles and agents you may assign tasks to; `*` is everybody.
    can_delegate_to: Vec<String>,
    /// Roles and agents you report to.
    reports_to: Vec<String>,
    /// What you can do.
    capabilities: Vec<String>,
}

/// A task that the agent still holds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HeldTask {
    task_id: String,
    /// How: ASSIGNED, IN_PROGRESS, BLOCKED, IN_REVIEW.
    state: String,
    /// The number of your lease.
    lease_epoch: u64,
}

impl Verb for RegisterAgent {
    const NAME: &'static str = "register_agent";
    const TITLE: &'static str = "Register";
    const DESCRIPTION: &'static str = "\
        Take up your work: say who you are, once, before anything else. Then call wait_for_prompt. Calling it \
        again is the same agent: you keep your tasks and your session, and an older connection of the same id \
        gets no more work. warnings says what was cut from what you claimed.";
    const FOR: For = For::Newcomers;
    const HINTS: Hints = Hints::SETTLES;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, mut input: Self) -> Result<Answer<Output>> {
        // Many models fill in an empty list for what they leave out.
        for names in [&mut input.capabilities, &mut input.can_delegate_to, &mut input.reports_to] {
            names.take_if(|names| names.is_empty());
        }
        // Names are only read where some are claimed: asking every agent there is for its own is dear.
        let names_somebody = [&input.can_delegate_to, &input.reports_to].iter().any(|names| names.is_some());
        let roster = match names_somebody {
            true => call.hub.dispatcher.roster().await.map_err(refuse::fault)?,
            false => Arc::default(),
        };
        // What a run may do was settled when its host registered the slot.
        if let (true, Some(registration)) = (call.is_on_call(), call.registration()) {
            let agent = call.calling()?;
            let (session, held) = (registration.session.to_string(), agent.called.held.iter());
            let fields = Output::of(&agent.id, registration, session, held.map(HeldTask::from).collect(), Vec::new());
            let message = format!("{} is on call as {}.", agent.id, registration.role);
            return Ok(Answer::new(message, fields).prompt("Your task is yours already: go on with it."));
        }
        let (claim, warnings) = claim(&call, input, &roster)?;
        let (request, key) = (Some(call.caller.request.clone()), call.key.clone());
        let request = RegisterRequest { claim, by: call.caller.by(), request, key };
        let agent = call.calling()?;
        let registered = agent.line.register(request).await.map_err(|error| refuse::agent(&agent.id, error))?;
        let Registered { agent, session, held } = registered;
        open_round(&call.hub, &call.caller, &session).await;
        let registration = agent.registration.ok_or_else(|| refuse::no_such_agent(agent.id.as_str(), &[]))?;
        let message = format!("{} is registered as {}.", agent.id, registration.role);
        let held = held.iter().map(HeldTask::from).collect();
        let fields = Output::of(&agent.id, &registration, session.to_string(), held, warnings);
        Ok(Answer::new(message, fields).prompt(reminder::REGISTERED))
    }
}

/// The claim, bounded, and what was cut from it.
fn claim(call: &Call, input: RegisterAgent, roster: &Roster) -> Result<(Claim, Vec<String>)> {
    const VERB: &str = RegisterAgent::NAME;
    let id = &call.calling()?.id;
    let mut warnings = Vec::new();
    let own = call.settings.roles.agents.get(id);
    let (role, config) = role(call, own, &input.role, &mut warnings)?;
    let unknown = &call.settings.roles.unknown_roles;
    let bounds = Bounds { own, role: config, unknown, warnings: &mut warnings, roster };
    // One line: it stands in sentences of the hub's.
    let display_name = maybe(VERB, "displayName", input.display_name.as_deref(), 256)?
        .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    let before = call.registration().map(|known| known.display_name.clone());
    let capabilities = input.capabilities.map(|names| few(VERB, "capabilities", names)).transpose()?;
    let can_delegate_to = input.can_delegate_to.map(|names| few(VERB, "canDelegateTo", names)).transpose()?;
    let reports_to = input.reports_to.map(|names| few(VERB, "reportsTo", names)).transpose()?;
    let bounded = bounds.bound(&role, capabilities, can_delegate_to, reports_to);
    let client = maybe(VERB, "client", input.client.as_deref(), LINE_LIMIT)?;
    let claim = Claim {
        role,
        display_name: display_name.or_else(|| own?.display_name.clone()).or(before).unwrap_or_else(|| id.to_string()),
        capabilities: bounded.capabilities,
        can_delegate_to: bounded.can_delegate_to,
        reports_to: bounded.reports_to,
        workspace: input.workspace.map(|given| workspace(VERB, given)).transpose()?,
        client: call.caller.client.clone().or(client.as_deref().map(DeclaredClient::named)),
        instance: call.caller.instance.clone(),
        new_session: call.hub.ids.session(),
        sanitized: call.sanitized.as_deref().cloned(),
    };
    Ok((claim, warnings))
}

/// The role: that of the agent's settings, else the configured one that the name means, else one without rights.
fn role<'a>(
    call: &'a Call,
    own: Option<&AgentConfig>,
    given: &str,
    warnings: &mut Vec<String>,
) -> Result<(RoleId, Option<&'a RoleConfig>)> {
    const VERB: &str = RegisterAgent::NAME;
    let name = words(VERB, "role", given, 256)?.trim().to_lowercase();
    let found = call.settings.roles.find(&name);
    if let Some(own) = own
        && found.map(|(id, _)| id) != Some(&own.role)
    {
        warnings.push(format!("role: you are configured as `{}`, and that is your role", own.role));
        return Ok((own.role.clone(), call.settings.roles.roles.get(&own.role)));
    }
    if let Some((id, config)) = found {
        return Ok((id.clone(), Some(config)));
    }
    let id = RoleId::parse(&name.replace(char::is_whitespace, "-"))
        .map_err(|error| refuse::bad_argument(VERB, "role", format!("must match {}", error.rule)))?;
    warnings.push(format!("role: `{id}` is not configured, so it has no delegation rights"));
    Ok((id, None))
}

/// What configuration allows one agent.
struct Bounds<'a> {
    own: Option<&'a AgentConfig>,
    role: Option<&'a RoleConfig>,
    /// For a role that is not configured.
    unknown: &'a UnknownRoles,
    warnings: &'a mut Vec<String>,
    roster: &'a Roster,
}

struct Bounded {
    capabilities: BTreeSet<String>,
    can_delegate_to: RightsSet,
    reports_to: BTreeSet<String>,
}

impl Bounds<'_> {
    fn bound(
        self,
        role: &RoleId,
        capabilities: Option<BTreeSet<String>>,
        can_delegate_to: Option<BTreeSet<String>>,
        reports_to: Option<BTreeSet<String>>,
    ) -> Bounded {
        let (own, config) = (self.own, self.role);
        let configured = own.and_then(|own| own.capabilities.as_ref()).or(config.map(|role| &role.capabilities));
        let allowed = match (configured, &self.unknown.capabilities) {
            (Some(allowed), _) | (None, RightsSet::Only(allowed)) => Some(allowed),
            (None, RightsSet::All) => None,
        };
        let capabilities = match (capabilities, allowed) {
            (Some(claimed), Some(allowed)) => {
                warn(self.warnings, "capabilities", &(&claimed - allowed), role);
                claimed.intersection(allowed).cloned().collect()
            }
            (Some(claimed), None) => claimed,
            (None, allowed) => allowed.cloned().unwrap_or_default(),
        };
        let configured = own.and_then(|own| own.can_delegate_to.as_ref()).or(config.map(|role| &role.can_delegate_to));
        let configured = configured.cloned().unwrap_or_else(RightsSet::none);
        let named = |names: &BTreeSet<String>| RightsSet::named(names.iter().map(String::as_str), self.roster);
        let claimed = can_delegate_to.as_ref().map(named);
        let bound = RightsSet::bound(claimed.as_ref(), &configured, self.roster);
        warn(self.warnings, "canDelegateTo", &bound.cut, role);
        let allowed = own.and_then(|own| own.reports_to.as_ref()).or(config.map(|role| &role.reports_to));
        let allowed = allowed.cloned().unwrap_or_default();
        let reports_to = match reports_to {
            None => allowed,
            Some(claimed) => {
                let claimed: BTreeSet<String> = claimed.iter().map(|name| self.roster.canonical(name)).collect();
                warn(self.warnings, "reportsTo", &(&claimed - &allowed), role);
                claimed.intersection(&allowed).cloned().collect()
            }
        };
        Bounded { capabilities, can_delegate_to: bound.granted, reports_to }
    }
}

fn warn(warnings: &mut Vec<String>, field: &str, cut: &BTreeSet<String>, role: &RoleId) {
    let cut: Vec<String> = cut.iter().map(|name| format!("`{name}`")).collect();
    if !cut.is_empty() {
        warnings
            .push(format!("{field}: {} not granted, agents.yaml does not allow it for role `{role}`", cut.join(", ")));
    }
}

impl Output {
    fn of(
        agent: &AgentId,
        registration: &Registration,
        session_id: String,
        held_tasks: Vec<HeldTask>,
        warnings: Vec<String>,
    ) -> Self {
        Self {
            agent_id: agent.to_string(),
            role: registration.role.to_string(),
            display_name: registration.display_name.clone(),
            session_id,
            effective_rights: EffectiveRights::of(registration),
            held_tasks,
            warnings,
        }
    }
}

impl EffectiveRights {
    fn of(registration: &Registration) -> Self {
        let can_delegate_to = match &registration.can_delegate_to {
            RightsSet::All => vec!["*".to_owned()],
            RightsSet::Only(names) => names.iter().cloned().collect(),
        };
        Self {
            can_delegate_to,
            reports_to: registration.reports_to.iter().cloned().collect(),
            capabilities: registration.capabilities.iter().cloned().collect(),
        }
    }
}

impl From<&Held> for HeldTask {
    fn from(held: &Held) -> Self {
        let state = match held.state {
            HeldState::Offered => "ASSIGNED",
            HeldState::InProgress => "IN_PROGRESS",
            HeldState::Blocked => "BLOCKED",
            HeldState::InReview => "IN_REVIEW",
        };
        Self { task_id: held.id.to_string(), state: state.to_owned(), lease_epoch: held.epoch.0 }
    }
}
