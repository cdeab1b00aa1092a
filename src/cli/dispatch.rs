//! From the command that was typed to the verb that does it.

use std::path::Path;

use clap::CommandFactory as _;

use super::args::{Cli, Verb};
use super::client::HubClient;
use super::problem::Problem;
use super::{
    agents, answer, audit, check_config, completions, config, connect, doctor, events, inbox, journal, man, open,
    outbox, outside, prompt, proxy, questions, reviews, run as hosted, serve, sessions, tail, task, tasks, token,
    webhook, workflow,
};

/// Does what the command line says.
///
/// # Errors
/// When it comes to nothing: with the exit code, and what to say.
pub fn run(cli: &Cli) -> Result<(), Problem> {
    // The HTTP client asks for it even where nothing is encrypted. It fails when somebody was first, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let done = verb(cli);
    match done {
        Err(problem) if problem == Problem::unread() => Ok(()),
        done => done,
    }
}

fn verb(cli: &Cli) -> Result<(), Problem> {
    let data_dir = cli.data_dir.as_deref();
    match &cli.verb {
        Verb::Serve(args) => serve::run(args, data_dir),
        Verb::Run(args) => hosted::run(args, data_dir),
        Verb::Agents(args) => ask(data_dir, async |hub| agents::run(args, &hub).await),
        Verb::Sessions(args) => ask(data_dir, async |hub| sessions::run(args, &hub).await),
        Verb::Tail(args) => ask(data_dir, async |hub| tail::run(args, &hub).await),
        Verb::Tasks(args) => ask(data_dir, async |hub| tasks::run(args, &hub).await),
        Verb::Task(args) => ask(data_dir, async |hub| task::run(args, &hub).await),
        Verb::Inbox(args) => ask(data_dir, async |hub| inbox::run(args, &hub).await),
        Verb::Outbox(args) => ask(data_dir, async |hub| outbox::run(args, &hub).await),
        Verb::Questions(args) => ask(data_dir, async |hub| questions::run(args, &hub).await),
        Verb::Answer(args) => ask(data_dir, async |hub| answer::run(args, &hub).await),
        Verb::Reviews(args) => ask(data_dir, async |hub| reviews::run(args, &hub).await),
        Verb::Events(args) => ask(data_dir, async |hub| events::run(args, &hub).await),
        Verb::Open(args) => ask(data_dir, async |hub| open::run(args, &hub, data_dir).await),
        Verb::Token(args) => wait_for(token::run(args, data_dir)),
        Verb::Proxy(args) => proxy::run(args, data_dir),
        Verb::Prompt(args) => prompt::run(args),
        Verb::Workflow(args) if args.asks_a_hub() => ask(data_dir, async |hub| workflow::ask(args, &hub).await),
        Verb::Workflow(args) => workflow::run(args),
        Verb::CheckConfig(args) => check_config::run(args, data_dir),
        Verb::Config(args) => config::run(args, data_dir),
        Verb::Connect(args) => connect::run(args, data_dir),
        Verb::Doctor(args) => wait_for(doctor::run(args, data_dir)),
        Verb::Discord(args) => wait_for(outside::run(args)),
        Verb::Tracker(args) => wait_for(outside::run(args)),
        Verb::Forge(args) => wait_for(outside::run(args)),
        Verb::Webhook(args) => ask(data_dir, async |hub| webhook::run(args, &hub).await),
        Verb::Journal(args) => journal::run(args, data_dir),
        Verb::Audit(args) => audit::run(args, data_dir),
        Verb::Completions(args) => completions::run(args, Cli::command()),
        Verb::Man(args) => man::run(args, Cli::command()),
    }
}

/// Finds the hub and asks it.
fn ask<F>(data_dir: Option<&Path>, verb: impl FnOnce(HubClient) -> F) -> Result<(), Problem>
where
    F: Future<Output = Result<(), Problem>>,
{
    let hub = HubClient::find(data_dir)?;
    wait_for(verb(hub))
}

/// Runs to its end what asks a hub; one thread is enough for that.
fn wait_for(verb: impl Future<Output = Result<(), Problem>>) -> Result<(), Problem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(verb)
}
