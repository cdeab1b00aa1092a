//! `callboard oncall`: the command line of a host, and the hosts of `oncall.yaml`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use futures_util::future::try_join_all;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::folder::{self, Folders};
use super::host::Host;
use super::link::Home;
use super::spec::{HostSpec, assigners, local_settings};
use super::worktree::{Removal, Repository};
use crate::credential::Bearer;
use crate::domain::ids::TaskId;
use crate::output::say;
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::settings::{ON_CALL, OnCallFile, OnCallHost, read_yaml};

/// Start an agent when its work arrives, and end it when it is done
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  callboard oncall claude --role full-stack-engineer --workspace ~/paper-works
  callboard oncall codex --role test-engineer --max 1 -- --sandbox workspace-write
  callboard oncall --role test-engineer --agent tests -- ./agent.sh
  callboard oncall                                     all hosts of oncall.yaml
  callboard oncall clean --workspace ~/paper-works

Whoever may assign to the role has programs run here, as you. A task's text reaches the program by its standard input, \
and no shell reads it. The presets: claude, codex, codex-acp, copilot, copilot-acp, gemini, \
gemini-acp, opencode, opencode-acp, qwen, qwen-acp; what stands after `--` is added to their arguments. Without a \
preset it is the program itself, which reads the task from its standard input and finds CALLBOARD_URL, \
CALLBOARD_TOKEN_FILE, CALLBOARD_TASK_ID, CALLBOARD_SESSION_ID and CALLBOARD_TASK_FILE in its environment."
)]
pub struct OnCallArgs {
    #[command(subcommand)]
    verb: Option<OnCallVerb>,
    /// The client, as the presets call it; left out with `-- COMMAND`, and for the hosts of oncall.yaml
    client: Option<String>,
    /// Whose tasks it takes
    #[arg(long)]
    role: Option<String>,
    /// How many runs there may be at a time
    #[arg(long, value_name = "N", default_value_t = 2)]
    max: u16,
    /// The folder in which the runs work [default: this one]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// What the ids of its agents begin with [default: ROLE-CLIENT]
    #[arg(long, value_name = "PREFIX")]
    agent: Option<String>,
    /// Give each task an agent of its own, instead of one to each slot
    #[arg(long)]
    fresh: bool,
    /// Whose limits the runs use up
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// A variable of this environment that the runs are given beside those that the client needs
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// What is added to the client's arguments; without a client the program, and its arguments
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum OnCallVerb {
    /// Remove the worktrees of tasks that have no changes and are merged; says what it keeps, and why
    #[command(after_help = "Examples:
  callboard oncall clean --workspace ~/shop
  callboard oncall clean --discard 01m8g9x5            that one, whatever is in it")]
    Clean {
        /// The folder in which the runs worked [default: this one]
        #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
        workspace: PathBuf,
        /// Remove the worktree of this task instead, with all that is not committed there; its branch stays
        #[arg(long, value_name = "TASK")]
        discard: Option<String>,
    },
}

/// Serves until it is told to end.
pub fn run(args: &OnCallArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = match &args.verb {
        Some(OnCallVerb::Clean { workspace, discard: None }) => runtime.block_on(clean(workspace)),
        Some(OnCallVerb::Clean { workspace, discard: Some(task) }) => {
            runtime.block_on(discard(workspace, task, globals))
        }
        None => runtime.block_on(serve(args, globals)),
    };
    runtime.shutdown_background();
    done
}

async fn serve(args: &OnCallArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let specs = args.specs(globals)?;
    for (at, spec) in specs.iter().enumerate() {
        if specs[..at].iter().any(|other| other.prefix == spec.prefix) {
            return Err(Problem::configuration(format!("two hosts have the agents `{}-…`", spec.prefix))
                .next("give one of them another `agent:`"));
        }
    }
    let (stop, stopped) = watch::channel(false);
    let mut hosts = Vec::new();
    for spec in specs {
        let bearer = Bearer::Host { name: spec.prefix.clone(), role: spec.role.clone() };
        introduce(&spec, globals).await?;
        let folders = Folders::take(&globals.own_data_dir()?, &spec.prefix)?;
        let home = Home::find(globals, bearer)?;
        hosts.push(Host::run(spec, folders, home, stopped.clone()));
    }
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let asked = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        let _nobody = stop.send(true);
        std::future::pending::<()>().await;
    };
    // One that the hub does not take ends the others, too.
    let served = try_join_all(hosts);
    tokio::select! {
        ended = served => ended.map(drop),
        () = asked => Ok(()),
    }
}

/// Says what it is, and who may have programs run here.
async fn introduce(spec: &HostSpec, globals: &GlobalArgs) -> Result<(), Problem> {
    let HostSpec { role, client, workspace, .. } = spec;
    let user = std::env::var("USER").unwrap_or_else(|_| "the user who started this".to_owned());
    let settings = local_settings(globals);
    if let Some(settings) = &settings {
        spec.fits(settings).await?;
    }
    let who = settings.map_or_else(|| "as the hub's settings say".to_owned(), |settings| assigners(role, &settings));
    say(&format!(
        "{role} by {client} in `{}`.\nWhoever may assign to `{role}` has programs run here, as {user}: {who}.",
        workspace.display()
    ))
}

impl OnCallArgs {
    /// The hosts that are meant: the one of the command line, or those of the settings.
    fn specs(&self, globals: &GlobalArgs) -> Result<Vec<HostSpec>, Problem> {
        let Some(role) = self.role.clone() else { return self.set(globals) };
        let (client, command, args) = match &self.client {
            Some(client) => (Some(client.clone()), Vec::new(), self.args.clone()),
            None => (None, self.args.clone(), Vec::new()),
        };
        let host = OnCallHost {
            client,
            command,
            role,
            max: self.max,
            workspace: self.workspace.clone(),
            agent: self.agent.clone(),
            fresh: self.fresh,
            account: self.account.clone(),
            args,
            environment: self.env.clone(),
            wrap: None,
        };
        // What is put in front of each run holds however a host is started.
        let wrap = file(globals)?.map(|file| file.wrap).unwrap_or_default();
        Ok(vec![HostSpec::of(host, &wrap)?])
    }

    fn set(&self, globals: &GlobalArgs) -> Result<Vec<HostSpec>, Problem> {
        if let Some(client) = &self.client {
            return Err(Problem::configuration(format!("whose tasks is `{client}` to take?"))
                .next(format!("callboard oncall {client} --role ROLE")));
        }
        let found = file(globals)?.filter(|file| !file.hosts.is_empty());
        let Some(OnCallFile { hosts, wrap }) = found else {
            return Err(Problem::configuration(format!("no host is named, and `{ON_CALL}` has none"))
                .next("callboard oncall claude --role ROLE, or `hosts:` in the folder of --config"));
        };
        hosts.into_iter().map(|host| HostSpec::of(host, &wrap)).collect()
    }
}

/// `oncall.yaml`, where there is one.
fn file(globals: &GlobalArgs) -> Result<Option<OnCallFile>, Problem> {
    let Some(path) = globals.config_dir().map(|folder| folder.join(ON_CALL)) else { return Ok(None) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(
                Problem::configuration(format!("failed to read `{}`", path.display())).because(error.to_string())
            );
        }
    };
    Ok(Some(read_yaml(ON_CALL, &text)?))
}

async fn clean(workspace: &Path) -> Result<(), Problem> {
    let repository = Repository::of(workspace).await.map_err(Problem::configuration)?;
    let mut kept = 0;
    for (path, removal) in repository.clean().await.map_err(Problem::failed)? {
        match removal {
            Removal::Removed => say(&format!("removed `{}`", path.display()))?,
            Removal::Absent => {}
            Removal::Kept(why) => {
                kept += 1;
                say(&format!("kept: {why}"))?;
            }
        }
    }
    match kept {
        0 => say("nothing is left"),
        _ => say("a worktree that you need no more goes by `callboard oncall clean --discard TASK`; its branch stays"),
    }
}

/// Throws away what a task left in its worktree: a person says so.
async fn discard(workspace: &Path, task: &str, globals: &GlobalArgs) -> Result<(), Problem> {
    let task = TaskId::parse(task).map_err(|error| Problem::configuration(error.to_string()))?;
    if folder::has_run_of(&globals.own_data_dir()?, &task) {
        return Err(Problem::failed(format!(
            "a run of task {task} is here, and works in its worktree or comes back to it"
        ))
        .next(format!("`callboard task cancel {task}` ends it; then discard what it left")));
    }
    let repository = Repository::of(workspace).await.map_err(Problem::configuration)?;
    let path = repository.discard(&task).await.map_err(Problem::failed)?;
    say(&format!("removed `{}` with what was not committed; its branch stays", path.display()))
}
