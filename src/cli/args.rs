//! The tree of commands: the nouns, and the commands without one. The verbs of a noun are in its file.

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
    ("Administer", &["token", "webhook", "outbox", "config", "journal", "prompt", "completions", "man"]),
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
    if typed.get(1).is_some_and(|noun| noun == "proxy") {
        let OnlyProxy { globals, noun: OnlyNoun::Proxy(args) } = OnlyProxy::parse();
        return Cli { globals, noun: Noun::Proxy(args) };
    }
    read(typed).unwrap_or_else(|error| error.exit())
}

/// Reads these words, in the spelling of today or of the release before.
pub(super) fn read(typed: Vec<std::ffi::OsString>) -> Result<Cli, clap::Error> {
    let mut tree = tree();
    let found = tree.try_get_matches_from_mut(spellings::of_today(typed));
    let mut found = found.map_err(|error| suggesting(error, &tree))?;
    Cli::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut tree))
}

/// Suggests every noun with the typed word as its verb; else, if the parser has none, commands with a near word.
fn suggesting(mut error: clap::Error, tree: &Command) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    let names = tree.get_subcommands().flat_map(|noun| {
        let verbs = noun.get_subcommands().map(move |verb| (Some(noun.get_name()), verb.get_name()));
        std::iter::once((None, noun.get_name())).chain(verbs)
    });
    let names: Vec<(Option<&str>, &str)> = names.collect();
    let is_verb = names.iter().any(|(noun, name)| noun.is_some() && *name == typed);
    let near = nearest(&typed, names.iter().map(|(_, name)| *name));
    let Some(near) = near.first().filter(|_| is_verb || error.get(ContextKind::SuggestedSubcommand).is_none()) else {
        return error;
    };
    let meant = names.iter().filter(|(_, name)| name == near);
    let meant = meant.map(|(noun, name)| noun.map_or_else(|| (*name).to_owned(), |noun| format!("{noun} {name}")));
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant.collect()));
    error
}

/// The tree with one branch. There is a proxy for each agent, and the whole tree is many times what a proxy needs.
#[derive(Debug, Parser)]
#[command(name = "callboard", version, disable_help_subcommand = true)]
struct OnlyProxy {
    #[command(flatten)]
    globals: GlobalArgs,
    #[command(subcommand)]
    noun: OnlyNoun,
}

#[derive(Debug, Subcommand)]
enum OnlyNoun {
    Proxy(proxy::ProxyArgs),
}

#[cfg(test)]
mod tests;
