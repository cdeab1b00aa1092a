//! The tree of commands: the nouns, and the commands without one. The verbs of a noun are in its file.

use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::place::GlobalArgs;
use super::{
    acp, actor, agent, audit, completions, config, connect, doctor, event, hook, inbox, journal, man, nodes, oncall,
    open, outbox, prompt, proxy, question, review, run, schedule, serve, session, spellings, task, token, usage,
    webhook, workflow,
};
use crate::domain::text::nearest;

/// The hub where coding agents wait, are called, report, delegate and ask.
#[derive(Debug, Parser)]
#[command(
    name = "callboard",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard serve --demo                             see it work
  callboard task add role:full-stack-engineer \"implement login\"   give an agent work

Exit codes: 0 done, 1 failed, 2 configuration, 3 refused, 4 not found, 5 unreachable."
)]
pub struct Cli {
    #[command(flatten)]
    pub(super) globals: GlobalArgs,
    #[command(subcommand)]
    pub(super) noun: Noun,
}

/// What is meant.
#[derive(Debug, Subcommand)]
pub(super) enum Noun {
    Serve(serve::ServeArgs),
    Connect(connect::ConnectArgs),
    Doctor(doctor::DoctorArgs),
    Open(open::OpenArgs),
    /// Give agents work, look at it, follow it, decide over it
    #[command(
        subcommand,
        after_help = "Examples:
  callboard task add role:full-stack-engineer \"implement login\" --priority high
  callboard task why TASK
  callboard task follow TASK"
    )]
    Task(task::TaskVerb),
    /// See and answer what agents ask
    #[command(
        subcommand,
        after_help = "Examples:
  callboard question list
  callboard question answer QUESTION \"use PostgreSQL\""
    )]
    Question(question::QuestionVerb),
    /// See what is to be judged, and its change
    #[command(
        subcommand,
        after_help = "Examples:
  callboard review list
  callboard review show TASK --diff"
    )]
    Review(review::ReviewVerb),
    /// See all that needs you in one list, and act on it
    #[command(
        subcommand,
        after_help = "Examples:
  callboard inbox list
  callboard inbox act review:TASK approve"
    )]
    Inbox(inbox::InboxVerb),
    /// Have work handed out at its time, or when other work ends
    #[command(
        subcommand,
        after_help = "Examples:
  callboard schedule add nightly any \"run all tests\" --cron \"30 2 * * *\" --timezone Europe/Berlin
  callboard schedule list
  callboard schedule run nightly"
    )]
    Schedule(schedule::ScheduleVerb),
    /// See who is registered; send an agent away
    #[command(
        subcommand,
        after_help = "Examples:
  callboard agent list
  callboard agent show fullstack-1"
    )]
    Agent(agent::AgentVerb),
    /// See the working context of each agent, and what its terminal prints
    #[command(
        subcommand,
        after_help = "Examples:
  callboard session list
  callboard session follow SESSION"
    )]
    Session(session::SessionVerb),
    Proxy(proxy::ProxyArgs),
    Run(run::RunArgs),
    #[command(hide = true)]
    Wake(hook::WakeArgs),
    #[command(hide = true)]
    Acp(acp::AcpArgs),
    #[command(hide = true)]
    Permission(hook::PermissionArgs),
    #[command(name = "oncall")]
    OnCall(oncall::OnCallArgs),
    Usage(usage::UsageArgs),
    /// List, show, check and run workflows
    #[command(
        subcommand,
        after_help = "Examples:
  callboard workflow list
  callboard workflow show release --arg service=api --arg pr=17
  callboard workflow run release --session SESSION --arg service=api --arg pr=17
  callboard workflow runs"
    )]
    Workflow(workflow::WorkflowVerb),
    /// See what happened, and what happens
    #[command(
        subcommand,
        after_help = "Examples:
  callboard event list
  callboard event follow --type task"
    )]
    Event(event::EventVerb),
    /// Look into the hub's actors; build one anew
    #[command(
        subcommand,
        after_help = "Examples:
  callboard actor list
  callboard actor restart agent:fullstack-1"
    )]
    Actor(actor::ActorVerb),
    Nodes(nodes::NodesArgs),
    /// Make this hub one of several on one database
    #[cfg(feature = "postgres")]
    #[command(
        subcommand,
        after_help = "Example:
  callboard cluster init --store postgres://cb@db/cb --node a --public-url https://a.example"
    )]
    Cluster(super::cluster::ClusterVerb),
    /// See who was let do what; check that the record of it is whole
    #[command(
        subcommand,
        after_help = "Examples:
  callboard audit list --action token
  callboard audit verify"
    )]
    Audit(audit::AuditVerb),
    /// Make, list, renew and revoke tokens
    #[command(
        subcommand,
        after_help = "Examples:
  callboard token create --agent fullstack-1
  callboard token list
  callboard token revoke PUBLIC_ID

A token is shown once, when it is made. PUBLIC_ID is the part after its first letters, cb_a_."
    )]
    Token(token::TokenVerb),
    /// Post events to whoever is to hear them, by Standard Webhooks
    #[command(
        subcommand,
        after_help = "Examples:
  callboard webhook add builds https://ci.example.com/hook --events task,question.asked
  callboard webhook test builds
  callboard webhook enable builds
  callboard webhook remove builds"
    )]
    Webhook(webhook::WebhookVerb),
    /// See what must still reach Discord, webhooks and forges; decide over what could not
    #[command(
        subcommand,
        after_help = "Examples:
  callboard outbox list --state dead-letter
  callboard outbox retry DELIVERY
  callboard outbox drop DELIVERY --reason \"the channel is gone\""
    )]
    Outbox(outbox::OutboxVerb),
    /// See and check what is set, and what can be set
    #[command(
        subcommand,
        after_help = "Examples:
  callboard config show --origin
  callboard config check --config ./config
  callboard config schema hub.yaml > hub.schema.json"
    )]
    Config(config::ConfigVerb),
    /// Check, export, back up or restore the journal
    #[command(
        subcommand,
        after_help = "Examples:
  callboard journal verify
  callboard journal backup /backup/callboard-monday.db
  callboard journal restore /backup/callboard-monday.db"
    )]
    Journal(journal::JournalVerb),
    /// See the system prompt of a role
    #[command(
        subcommand,
        after_help = "Example:
  callboard prompt show full-stack-engineer"
    )]
    Prompt(prompt::PromptVerb),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// The groups in which help shows them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Start here", &["serve", "connect", "doctor", "open"]),
    ("Work", &["task", "schedule", "question", "review", "inbox"]),
    ("Agents", &["agent", "session", "oncall", "proxy", "run", "workflow"]),
    ("Look", &["event", "usage", "nodes", "actor", "audit"]),
    ("Administer", &["token", "webhook", "outbox", "config", "journal", "cluster", "prompt", "completions", "man"]),
];

/// The tree, with its commands in groups: for parsing, help, completions and the manual alike.
pub(super) fn tree() -> Command {
    let tree = Cli::command();
    let mut groups = String::new();
    for (group, nouns) in GROUPS {
        groups.push_str(&format!("{group}:\n"));
        for noun in nouns {
            let about = tree.find_subcommand(noun).and_then(Command::get_about).map(ToString::to_string);
            groups.push_str(&format!("  {noun:<12} {}\n", about.unwrap_or_default().trim_end_matches('.')));
        }
        groups.push('\n');
    }
    tree.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

/// Reads the command line; shows help or says what is wrong with it, and ends, where that is called for.
pub fn parse() -> Cli {
    let typed: Vec<_> = std::env::args_os().collect();
    if typed.get(1).is_some_and(|noun| noun == "proxy" || noun == "oncall") {
        let Resting { globals, noun } = Resting::parse();
        let noun = match noun {
            RestingNoun::Proxy(args) => Noun::Proxy(args),
            RestingNoun::OnCall(args) => Noun::OnCall(args),
        };
        return Cli { globals, noun };
    }
    read(typed).unwrap_or_else(|error| error.exit())
}

/// Reads these words, in the spelling of today or of the release before.
pub(super) fn read(typed: Vec<std::ffi::OsString>) -> Result<Cli, clap::Error> {
    let mut tree = tree();
    let has_verbs = |noun: &OsStr| tree.find_subcommand(noun).is_some_and(Command::has_subcommands);
    let typed = spellings::of_today(spellings::asking(typed, has_verbs));
    let found = tree.try_get_matches_from_mut(&typed);
    let mut found = found.map_err(|error| suggesting(error, &tree, spellings::noun(&typed)))?;
    Cli::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut tree))
}

/// What others call a verb, and what it is called here.
const VERBS: [(&str, &str); 12] = [
    ("create", "add"),
    ("new", "add"),
    ("add", "create"),
    ("delete", "remove"),
    ("rm", "remove"),
    ("delete", "revoke"),
    ("get", "show"),
    ("view", "show"),
    ("ls", "list"),
    ("list", "show"),
    ("tail", "follow"),
    ("stop", "cancel"),
];

/// More commands than this are no hint.
const HINTS: usize = 4;

/// Suggests, in place of the parser's own guess: of a noun's verbs those that are near or mean the same; else nouns
/// that are near, or every command with this verb.
fn suggesting(mut error: clap::Error, tree: &Command, noun: Option<&str>) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    let shown = |command: &&Command| !command.is_hide_set();
    let verbs = |noun: &Command| -> Vec<String> {
        noun.get_subcommands().filter(shown).map(|verb| verb.get_name().to_owned()).collect()
    };
    let named = noun.and_then(|name| tree.find_subcommand(name));
    let meant: Vec<String> = if let Some(noun) = named {
        let verbs = verbs(noun);
        let same = VERBS.iter().filter(|(other, own)| *other == typed && verbs.iter().any(|verb| verb == own));
        let mut meant: Vec<&str> = same.map(|(_, own)| *own).collect();
        if meant.is_empty() {
            meant = nearest(&typed, verbs.iter().map(String::as_str));
        }
        meant.iter().map(|verb| format!("{} {verb}", noun.get_name())).collect()
    } else {
        let has = |noun: &&Command| verbs(noun).contains(&typed);
        let with_verb: Vec<_> = tree.get_subcommands().filter(has).collect();
        match with_verb.is_empty() {
            true => nearest(&typed, tree.get_subcommands().filter(shown).map(Command::get_name))
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            false => with_verb.iter().map(|noun| format!("{} {typed}", noun.get_name())).collect(),
        }
    };
    error.remove(ContextKind::SuggestedSubcommand);
    if !meant.is_empty() && meant.len() <= HINTS {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant));
    }
    error
}

/// The tree with the branches that wait for long. There is a proxy for each agent, and the whole tree is many times
/// what it needs.
#[derive(Debug, Parser)]
#[command(name = "callboard", version, disable_help_subcommand = true)]
struct Resting {
    #[command(flatten)]
    globals: GlobalArgs,
    #[command(subcommand)]
    noun: RestingNoun,
}

#[derive(Debug, Subcommand)]
enum RestingNoun {
    Proxy(proxy::ProxyArgs),
    #[command(name = "oncall")]
    OnCall(oncall::OnCallArgs),
}

#[cfg(test)]
mod tests;
