//! From the command that was typed to what does it.

use super::args::{Cli, Noun, tree};
use super::client::HubClient;
use super::place::GlobalArgs;
use super::problem::Problem;
use super::{
    acp, actor, agent, audit, completions, config, connect, doctor, event, hook, inbox, journal, man, nodes, oncall,
    open, outbox, prompt, proxy, question, review, run as hosted, schedule, serve, session, task, token, usage,
    webhook, workflow,
};

/// Does what the command line says. Fails when it comes to nothing: with the exit code, and what to say.
pub fn run(cli: &Cli) -> Result<(), Problem> {
    // The HTTP client asks for it even where nothing is encrypted. It fails when somebody was first, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let done = noun(cli);
    match done {
        Err(problem) if problem == Problem::unread() => Ok(()),
        done => done,
    }
}

fn noun(Cli { globals, noun }: &Cli) -> Result<(), Problem> {
    match noun {
        Noun::Serve(args) => serve::run(args, globals),
        Noun::Connect(args) => connect::run(args, globals),
        Noun::Doctor(args) => wait_for(doctor::run(args, globals)),
        Noun::Nodes(args) => wait_for(nodes::run(args, globals)),
        #[cfg(feature = "postgres")]
        Noun::Cluster(verb) => wait_for(super::cluster::run(verb, globals)),
        Noun::Open(args) => ask(globals, async |hub| open::run(args, &hub, globals).await),
        Noun::Task(verb) => ask(globals, async |hub| task::run(verb, &hub).await),
        Noun::Question(verb) => ask(globals, async |hub| question::run(verb, &hub).await),
        Noun::Review(verb) => ask(globals, async |hub| review::run(verb, &hub).await),
        Noun::Inbox(verb) => ask(globals, async |hub| inbox::run(verb, &hub).await),
        Noun::Agent(verb) => ask(globals, async |hub| agent::run(verb, &hub).await),
        Noun::Session(verb) => ask(globals, async |hub| session::run(verb, &hub).await),
        Noun::Proxy(args) => proxy::run(args, globals),
        Noun::Run(args) => hosted::run(args, globals),
        Noun::Wake(args) => hook::run_wake(args, globals),
        Noun::Permission(args) => hook::run_permission(args, globals),
        Noun::Acp(args) => acp::run(args, globals),
        Noun::OnCall(args) => oncall::run(args, globals),
        Noun::Usage(args) => ask(globals, async |hub| usage::run(args, &hub).await),
        Noun::Workflow(verb) => wait_for(workflow::run(verb, globals)),
        Noun::Event(verb) => ask(globals, async |hub| event::run(verb, &hub).await),
        Noun::Actor(verb) => ask(globals, async |hub| actor::run(verb, &hub).await),
        Noun::Audit(audit::AuditVerb::List(args)) => ask(globals, async |hub| audit::list(args, &hub).await),
        Noun::Audit(audit::AuditVerb::Verify(args)) => audit::verify(args, globals),
        Noun::Token(verb) => wait_for(token::run(verb, globals)),
        Noun::Schedule(verb) => ask(globals, async |hub| schedule::run(verb, &hub).await),
        Noun::Webhook(verb) => ask(globals, async |hub| webhook::run(verb, &hub).await),
        Noun::Outbox(verb) => ask(globals, async |hub| outbox::run(verb, &hub).await),
        Noun::Config(verb) => config::run(verb, globals),
        Noun::Journal(verb) => journal::run(verb, globals),
        Noun::Prompt(verb) => prompt::run(verb, globals),
        Noun::Completions(args) => completions::run(args, tree()),
        Noun::Man(args) => man::run(args, tree()),
    }
}

fn ask<F>(globals: &GlobalArgs, verb: impl FnOnce(HubClient) -> F) -> Result<(), Problem>
where
    F: Future<Output = Result<(), Problem>>,
{
    let hub = HubClient::find(globals)?.telling();
    wait_for(verb(hub))
}

/// Runs to its end what asks a hub; one thread is enough for that.
fn wait_for(verb: impl Future<Output = Result<(), Problem>>) -> Result<(), Problem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(verb)
}
