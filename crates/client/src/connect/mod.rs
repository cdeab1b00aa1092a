//! `callboard connect`: writes the proxy into an MCP client's own configuration, and takes it out again.
//!
//! A client's file belongs to its user: one entry is touched, and order, spaces and remarks stay. What it was is kept
//! beside it (`file`), and what changes is shown. No file ever holds a token: the entry starts the proxy, which finds
//! its own, or names the variable that holds it.
//!
//! `client` knows each client's file and form, `entry` what is started or called, `allow`, `hooks` and `instructions`
//! what else may be written, `json` and `toml` put one entry in and take it out, `verify` tries what was written.

mod allow;
mod client;
mod entry;
mod file;
mod found;
mod hooks;
mod instructions;
mod json;
#[cfg(test)]
mod tests;
mod toml;
mod variables;
mod verify;

use std::io::{self, Write as _};
use std::path::Path;

use clap::{Args, ValueEnum};

use super::output::say;
use super::place::GlobalArgs;
use super::problem::Problem;
use super::values::agent_id;
use crate::domain::ids::AgentId;
use crate::domain::text::{for_terminal, nearest};
use allow::Grant;
pub use client::{Client, KNOWN};
use entry::{Entry, NAME};
use file::Kept;
pub use found::Found;
pub use json::REMARK;
pub use variables::Values;

/// Connect an MCP client to the hub, by the stdio proxy or over HTTP.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard connect claude --agent fullstack-1 --role full-stack-engineer
  callboard connect vscode --agent fullstack-1 --role full-stack-engineer --scope project --dry-run
  callboard connect claude --agent fullstack-1 --role full-stack-engineer --with-instructions
  callboard connect gemini --agent fullstack-1 --role full-stack-engineer --allow
  callboard connect claude --agent fs-1 --role full-stack-engineer --allow --wake --permissions
  callboard connect cursor --agent fullstack-1 --http
  callboard connect codex --agent fullstack-1 --undo

The file is shown before and after, and kept as FILE.callboard-backup. `json` prints the entry for any other client.
With --http no proxy is started: the client takes the agent's token from CALLBOARD_TOKEN in its own environment \
(Visual Studio Code asks its user for it), and a wait that loses its hub is the client's to repeat.")]
pub struct ConnectArgs {
    /// The client that is to be connected.
    client: Client,
    /// The agent that the client speaks for.
    #[arg(long, value_name = "ID", value_parser = agent_id)]
    agent: AgentId,
    /// The role in which the agent is registered when it waits.
    #[arg(long)]
    role: Option<String>,
    /// Take a role that agents.yaml does not have.
    #[arg(long, requires = "role")]
    new_role: bool,
    /// For all of the user's projects, or for the one in the working directory.
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Let the client call the hub itself, without the proxy.
    #[arg(long)]
    http: bool,
    /// Write the role's instructions into the file from which the client tells its model.
    #[arg(long)]
    with_instructions: bool,
    /// Let the client call callboard's tools without asking its user, as it has to where nobody sits at it.
    #[arg(long, conflicts_with = "undo")]
    allow: bool,
    /// Write what wakes the client when it is idle: a hook, or a plugin.
    #[arg(long, conflicts_with_all = ["undo", "http"])]
    wake: bool,
    /// Write the hook by which people at the hub answer what the client would ask its user.
    #[arg(long, conflicts_with = "undo")]
    permissions: bool,
    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "undo")]
    dry_run: bool,
    /// Take out what is callboard's, and put back what stood in its place: the entry, and the instructions and what
    /// --allow, --wake and --permissions wrote where there are some. What others wrote into the files since stays.
    #[arg(long)]
    undo: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// That of all the user's projects.
    User,
    /// That of the working directory.
    Project,
}

pub fn run(args: &ConnectArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let client = args.client;
    if !args.undo {
        check_role(args, globals)?;
        client.check_hooks(args, globals)?;
    }
    let entry = Entry::of(args, globals)?;
    let instructs = args.with_instructions && !args.undo;
    let instructions = instructs.then(|| instructions::text(args, globals)).transpose()?;
    let grant = client.grant(args.scope);
    let Some(path) = client.file(args.scope)? else {
        if args.undo {
            return Err(no_file(client));
        }
        say(client.example(&entry).trim_end())?;
        if let Grant::ByHand(words) = grant
            && args.allow
        {
            drop(writeln!(io::stderr(), "nothing is written for --allow: {words}"));
        }
        return instructions.map_or(Ok(()), |text| say(&text));
    };
    if args.undo {
        return undo(args, &path);
    }
    // Before anything is written: whether there is a place for them.
    let told = if instructs { client.instructions(args.scope)? } else { None };
    let kept = Kept::read(&path)?;
    let after = client.put(kept.text(), &entry).map_err(|why| unfit(&path, &why, client, &entry))?;
    let allowed = if args.allow { client.allow_in_entry(args.scope, &after) } else { Ok(after) };
    let after = allowed.map_err(|why| unfit(&path, &why, client, &entry))?;
    changes(&path, &kept, &after, args.dry_run)?;
    if args.allow {
        allows(args, &grant)?;
    }
    if args.wake || args.permissions {
        writes_hooks(args, globals)?;
    }
    if let (Some(path), Some(text)) = (told, instructions) {
        let kept = Kept::read(&path)?;
        instructions::whole(&path, kept.text())?;
        let after = client.instruct(kept.text(), &text);
        changes(&path, &kept, &after, args.dry_run)?;
    }
    if args.dry_run {
        return Ok(());
    }
    say(&verify::tried(client, &entry, &args.agent))?;
    let role = args.role.as_ref().map(|role| format!(", role `{role}`")).unwrap_or_default();
    say(&format!(
        "Then say to the client: \"Register at callboard as `{}`{}, and wait for work.\"",
        args.agent,
        for_terminal(&role)
    ))
}

/// There is nothing to undo where nothing was written.
fn no_file(client: Client) -> Problem {
    Problem::configuration(format!("`connect {}` writes no file: there is nothing to take back", client.name()))
        .because("it prints the entry, and whoever put that into a file knows which")
        .next(format!("take the entry `{NAME}` out of that file by hand"))
}

/// Refuses a role that the settings here do not have, unless it is meant: a slip of the pen makes an agent whom nobody
/// calls. A hub elsewhere may have other settings: then this says nothing.
fn check_role(args: &ConnectArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let Some(role) = args.role.as_ref().filter(|_| globals.url.is_none() && !args.new_role) else { return Ok(()) };
    let Ok(loaded) = globals.settings() else { return Ok(()) };
    let roles = loaded.settings.roles;
    if roles.find(role).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = roles.roles.keys().map(|id| id.as_str()).collect();
    let near = nearest(role, known.iter().copied());
    let meant = if near.is_empty() { known.join(", ") } else { near.join(", ") };
    Err(Problem::configuration(format!("no role is called `{}` in agents.yaml", for_terminal(role)))
        .because(format!("did you mean {meant}?"))
        .next("the same command with that role, or with --new-role where it is meant to be new"))
}

/// Shows what changes in a file, and changes it.
fn changes(path: &Path, kept: &Kept, after: &str, dry_run: bool) -> Result<(), Problem> {
    if after == kept.text() {
        say(&format!("`{}` is as it is to be", path.display()))?;
    } else {
        say(&file::difference(path, kept.text(), after))?;
    }
    if dry_run { Ok(()) } else { kept.write(after) }
}

/// Writes what else lets the client call unasked, and says what that grants.
fn allows(args: &ConnectArgs, grant: &Grant) -> Result<(), Problem> {
    let client = args.client;
    if let Grant::ByHand(words) = grant {
        return say(&format!("nothing is written for --allow: {words}"));
    }
    if let Some(path) = grant.file(args.scope)? {
        let kept = Kept::read(&path)?;
        let after = grant.put(client, kept.text()).map_err(|why| {
            let hand = format!("put this into it by hand:\n{}", grant.put(client, "").unwrap_or_default().trim_end());
            Problem::configuration(format!("`{}` cannot be changed", path.display())).because(why).next(hand)
        })?;
        changes(&path, &kept, &after, args.dry_run)?;
    }
    if args.scope == Scope::Project && matches!(client, Client::Codex | Client::Gemini | Client::Qwen) {
        say("A project's file stays unread until its user has told the client to trust the folder; the user's own \
             (`--scope user`) does not.")?;
    }
    say(&format!(
        "--allow grants: it calls every tool of callboard without asking anybody, and nothing else; its shell, its \
         files and other servers' tools stay as they are.\nWhat an agent may do at the hub is the hub's to judge. To \
         take it back: callboard connect {} --agent {} --undo",
        client.name(),
        args.agent
    ))
}

/// Writes the hooks, and says what they do. With --dry-run the file is shown as it is now, without the entry.
fn writes_hooks(args: &ConnectArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let client = args.client;
    let Some(path) = client.hooks_file(args.scope)? else { return Ok(()) };
    let kept = Kept::read(&path)?;
    let after = client.put_hooks(kept.text(), args, globals).map_err(|why| {
        Problem::configuration(format!("`{}` cannot be changed", path.display()))
            .because(why)
            .next("mend the file, or move it away, and type the same command again")
    })?;
    changes(&path, &kept, &after, args.dry_run)?;
    say("The client reads its hooks when it starts: start it anew.")?;
    if client == Client::Codex { say("It runs them once you trust them there: `/hooks`.") } else { Ok(()) }
}

/// Takes out the entry, the instructions and the grants; what stands in the way of one keeps not the others.
fn undo(args: &ConnectArgs, entries: &Path) -> Result<(), Problem> {
    let (client, scope) = (args.client, args.scope);
    let grant = client.grant(scope);
    let granted = grant.file(scope)?;
    let told = client.instructions(scope).ok().flatten();
    let told = told.map(|path| Kept::read(&path).map(|kept| (path, kept))).transpose()?;
    let kept = Kept::read(entries)?;
    if let Ok(Some(Found::Stdio { arguments, .. })) = client.found(kept.text()) {
        let agent = arguments.iter().skip_while(|it| *it != "--agent").nth(1);
        if let Some(agent) = agent.filter(|agent| *agent != args.agent.as_str()) {
            return Err(Problem::configuration(format!("the entry in `{}` is of agent `{agent}`", entries.display()))
                .because(format!("--agent says `{}`", args.agent))
                .next(format!("callboard connect {} --agent {agent} --undo", client.name())));
        }
    }
    let hooked = client.hooks_file(scope)?;
    let is_hooked = |path: &Path| hooked.as_deref() == Some(path);
    let done = takes_back(&kept, entries, |text, was| {
        let left = client.take(text, was)?;
        if is_hooked(entries) { client.take_hooks(&left, was) } else { Ok(left) }
    });
    let told = told.map_or(Ok(()), |(path, told)| {
        instructions::whole(&path, told.text())?;
        let take = |text: &str, _: &str| client.take_instructions(text);
        if told.holds(instructions::are_in) { takes_back(&told, &path, take) } else { Ok(()) }
    });
    // One file may hold both, and is changed once.
    let beside = granted.into_iter().chain(hooked.clone().filter(|path| path != entries));
    let mut beside: Vec<_> = beside.collect();
    beside.dedup();
    let taken = beside.into_iter().map(|path| {
        let kept = Kept::read(&path)?;
        let (grants, hooks) = (kept.holds(|text| grant.is_in(client, text)), kept.holds(|text| client.has_hooks(text)));
        let take = |text: &str, was: &str| {
            let left = if grants { grant.take(client, text, was)? } else { text.to_owned() };
            if hooks && is_hooked(&path) { client.take_hooks(&left, was) } else { Ok(left) }
        };
        if grants || hooks { takes_back(&kept, &path, take) } else { Ok(()) }
    });
    // Each is taken back, whatever stands in the way of another.
    let taken = taken.fold(Ok(()), Result::and);
    done.and(told).and(taken)
}

/// Takes what is callboard's out of a file.
fn takes_back(kept: &Kept, path: &Path, take: impl Fn(&str, &str) -> Result<String, String>) -> Result<(), Problem> {
    let left = kept.without(take)?;
    say(&file::difference(path, kept.text(), &left))?;
    match kept.restore(&left)? {
        Some(backup) => say(&format!("what it was before the first `connect` is kept in `{}`", backup.display())),
        None => Ok(()),
    }
}

fn unfit(path: &Path, why: &str, client: Client, entry: &Entry) -> Problem {
    Problem::configuration(format!("`{}` cannot be changed", path.display()))
        .because(why.to_owned())
        .next(format!("put this into it by hand:\n{}", client.example(entry).trim_end()))
}
