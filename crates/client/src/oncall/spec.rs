//! What a host is: one client for one role, in one workspace; checked before anything is asked of the hub.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;

use super::presets::Preset;
use super::worktree::Repository;
use crate::connect::{Client, Scope};
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::task::RightsSet;
use crate::domain::text::nearest;
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::settings::{OnCallHost, Settings};

/// What a program that is no preset is called.
pub(super) const COMMAND: &str = "command";

/// A host, as it is to be.
#[derive(Debug, Clone)]
pub(super) struct HostSpec {
    /// The preset's name, or [`COMMAND`].
    pub(super) client: String,
    pub(super) preset: Preset,
    pub(super) role: RoleId,
    pub(super) max: u16,
    pub(super) prefix: AgentId,
    pub(super) fresh: bool,
    pub(super) workspace: PathBuf,
    pub(super) account: Option<String>,
    pub(super) extra: Vec<String>,
    pub(super) wrap: Vec<String>,
    /// What a run has of the host's environment.
    pub(super) environment: BTreeMap<String, String>,
}

impl HostSpec {
    /// Reads one host of the settings or of the command line.
    pub(super) fn of(host: OnCallHost, wrap: &[String]) -> Result<Self, Problem> {
        let (client, mut preset) = match (host.client, host.command.is_empty()) {
            (Some(client), true) => {
                let preset = Preset::named(&client).map_err(Problem::configuration)?;
                (client, preset)
            }
            (None, false) => (COMMAND.to_owned(), Preset::command(&host.command)),
            (Some(_), false) => return Err(Problem::configuration("a host has a `client` or a `command`, not both")),
            (None, true) => {
                return Err(Problem::configuration("there is nothing to start")
                    .next("callboard oncall claude --role ROLE, or callboard oncall --role ROLE -- COMMAND"));
            }
        };
        let role = RoleId::parse(&host.role).map_err(|error| {
            Problem::configuration(format!("`{}` is no role", host.role)).because(error.to_string())
        })?;
        let prefix = host.agent.unwrap_or_else(|| format!("{role}-{client}"));
        // The longest id of a slot that this makes.
        let prefix = AgentId::parse(&format!("{prefix}-{}", host.max)).and_then(|_| AgentId::parse(&prefix));
        let prefix = prefix.map_err(|error| {
            Problem::configuration("the ids of the agents cannot be made")
                .because(error.to_string())
                .next("name a shorter one with --agent PREFIX: small letters, digits, `.`, `_` and `-`")
        })?;
        if host.max == 0 {
            return Err(Problem::configuration("a host has one slot at least").next("--max 1"));
        }
        let given = host.workspace.unwrap_or_else(|| PathBuf::from("."));
        let workspace = fs::canonicalize(&given).ok().filter(|path| path.is_dir()).ok_or_else(|| {
            Problem::configuration(format!("the workspace `{}` is no folder", given.display()))
                .next("name the folder in which the agents work with --workspace DIR")
        })?;
        preset.environment.extend(host.environment);
        let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let environment = preset.inherited(env::vars_os().filter_map(text));
        let wrap = host.wrap.unwrap_or_else(|| wrap.to_vec());
        let (max, fresh, account, extra) = (host.max, host.fresh, host.account, host.args);
        let spec = Self { client, preset, role, max, prefix, fresh, workspace, account, extra, wrap, environment };
        spec.is_installed()?;
        Ok(spec)
    }

    /// Whether what a run starts is there, as far as this can be seen from here.
    fn is_installed(&self) -> Result<(), Problem> {
        let program = self.wrap.first().or_else(|| self.preset.start.first()).map(String::as_str).unwrap_or_default();
        let path = self.environment.get("PATH").map(String::as_str).unwrap_or_default();
        if is_program(&self.workspace, program, path) {
            return Ok(());
        }
        let missing = |next: String| Problem::configuration(format!("`{program}` is not there")).next(next);
        if program.contains('/') {
            let file = self.workspace.join(program);
            if file.is_file() {
                let what = format!("`{}` cannot be started", file.display());
                return Err(Problem::configuration(what).because("it is not executable").next("chmod +x it"));
            }
            let why = format!("it is looked for in `{}`, in which the agents work", self.workspace.display());
            return Err(missing("give its whole path".to_owned()).because(why));
        }
        let next = match &self.preset.install {
            Some(install) if self.wrap.is_empty() => format!("{install}, and log in: start `{program}` once by hand"),
            Some(_) | None => format!("install `{program}`, or put its folder into PATH"),
        };
        Err(missing(next).because("no folder of PATH has it"))
    }

    /// What can be known of its role where the hub's own settings are.
    pub(super) async fn fits(&self, settings: &Settings) -> Result<(), Problem> {
        let roles = &settings.roles;
        let Some(role) = roles.roles.get(&self.role) else {
            let known: Vec<&str> = roles.roles.keys().map(RoleId::as_str).collect();
            let near = nearest(self.role.as_str(), known.iter().copied());
            let meant = if near.is_empty() { known.join(", ") } else { near.join(", ") };
            return Err(Problem::configuration(format!("no role is called `{}` in agents.yaml", self.role))
                .next(format!("did you mean {meant}? `callboard config show` has them all")));
        };
        if role.worktree {
            Repository::of(&self.workspace).await.map_err(|why| {
                Problem::configuration(format!("the role `{}` works in worktrees", self.role))
                    .because(why)
                    .next("name a git repository with --workspace DIR, or set `worktree: false` for the role")
            })?;
        }
        Ok(())
    }

    /// Whether the user's own settings of the client have an entry of callboard's that must be switched off.
    pub(super) fn has_own_entry(&self) -> bool {
        if self.preset.own_entry_off.is_empty() {
            return false;
        }
        let Ok(client) = Client::from_str(self.client.trim_end_matches("-acp"), false) else { return false };
        let text = client.file(Scope::User).ok().flatten().and_then(|path| fs::read_to_string(path).ok());
        text.is_some_and(|text| client.found(&text).is_ok_and(|found| found.is_some()))
    }
}

/// Where the hub's settings are, who may have a role's tasks made, in words; else none.
pub(super) fn assigners(role: &RoleId, settings: &Settings) -> String {
    let covers = |rights: &RightsSet| match rights {
        RightsSet::All => true,
        RightsSet::Only(names) => names.contains(role.as_str()),
    };
    let roles = settings.roles.roles.iter().filter(|(_, of)| covers(&of.can_delegate_to)).map(|(id, _)| id.to_string());
    let mut roles: Vec<String> = roles.collect();
    if roles.is_empty() {
        roles.push("none".to_owned());
    }
    let people = &settings.permissions;
    let people = people.roles.values().chain(people.users.values());
    let people = people.filter(|grant| covers(&grant.can_assign_to) && !covers(&grant.deny)).count();
    format!(
        "agents of the roles {}; people: {people} entries of permissions.yaml; and every token of scope operate",
        roles.join(", ")
    )
}

/// The settings of the hub, where it is this machine's own.
pub(super) fn local_settings(globals: &GlobalArgs) -> Option<Settings> {
    let is_elsewhere = globals.url.is_some() || crate::place::variable("CALLBOARD_URL").is_some();
    if is_elsewhere { None } else { Some(globals.settings().ok()?.settings) }
}

fn is_program(workspace: &Path, program: &str, path: &str) -> bool {
    let runs =
        |file: &Path| fs::metadata(file).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0);
    if program.contains('/') {
        return runs(&workspace.join(program));
    }
    env::split_paths(path).any(|folder| runs(&folder.join(program)))
}
