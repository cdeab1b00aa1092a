//! The tree of commands. Each verb describes its own arguments, with an example, in its own file.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::{
    agents, answer, audit, check_config, completions, config, connect, doctor, events, inbox, journal, man, open,
    outbox, outside, prompt, proxy, questions, reviews, run, serve, sessions, tail, task, tasks, token, webhook,
    workflow,
};

/// The hub where coding agents wait, are called, report, delegate and ask.
#[derive(Debug, Parser)]
#[command(
    name = "callboard",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard serve --demo                             see it work
  callboard task add fullstack-1 \"implement login\"   give an agent work

CALLBOARD_URL says which hub, else the data directory; CALLBOARD_TOKEN_FILE says who you are.
Exit codes: 0 done, 1 failed, 2 configuration, 3 refused, 4 not found, 5 unreachable."
)]
pub struct Cli {
    /// Where the hub keeps its data, and its command line finds it.
    #[arg(long, global = true, value_name = "DIR", help = DATA_DIR)]
    pub(super) data_dir: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) verb: Verb,
}

/// Said of `--data-dir`.
const DATA_DIR: &str = "Where the hub keeps its data, and is found [env: CALLBOARD_DATA_DIR]";

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    Serve(serve::ServeArgs),
    Run(run::RunArgs),
    Agents(agents::AgentsArgs),
    Sessions(sessions::SessionsArgs),
    Tail(tail::TailArgs),
    Tasks(tasks::TasksArgs),
    Task(task::TaskArgs),
    Inbox(inbox::InboxArgs),
    Outbox(outbox::OutboxArgs),
    Webhook(webhook::WebhookArgs),
    Questions(questions::QuestionsArgs),
    Answer(answer::AnswerArgs),
    Reviews(reviews::ReviewsArgs),
    Events(events::EventsArgs),
    Open(open::OpenArgs),
    Token(token::TokenArgs),
    Proxy(proxy::ProxyArgs),
    Prompt(prompt::PromptArgs),
    Workflow(workflow::WorkflowArgs),
    CheckConfig(check_config::CheckConfigArgs),
    Config(config::ConfigArgs),
    Connect(connect::ConnectArgs),
    Doctor(doctor::DoctorArgs),
    Discord(outside::OutsideArgs<outside::Discord>),
    Forge(outside::OutsideArgs<outside::Forge>),
    Tracker(outside::OutsideArgs<outside::Tracker>),
    Journal(journal::JournalArgs),
    Audit(audit::AuditArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Reads the command line; shows help or says what is wrong with it, and ends, where that is called for.
#[must_use]
pub fn parse() -> Cli {
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "proxy") {
        let OnlyProxy { data_dir, verb: OnlyVerb::Proxy(args) } = OnlyProxy::parse();
        return Cli { data_dir, verb: Verb::Proxy(args) };
    }
    Cli::parse()
}

/// The tree with one branch. There is a proxy for each agent, and the whole tree is many times what a proxy needs.
#[derive(Debug, Parser)]
#[command(name = "callboard", version, disable_help_subcommand = true)]
struct OnlyProxy {
    #[arg(long, global = true, value_name = "DIR", help = DATA_DIR)]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    verb: OnlyVerb,
}

#[derive(Debug, Subcommand)]
enum OnlyVerb {
    Proxy(proxy::ProxyArgs),
}
