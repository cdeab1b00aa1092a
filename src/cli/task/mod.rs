//! `callboard task …`: one task, one file for each thing that can be done with it.

mod add;
mod answer;
mod approve;
mod cancel;
mod comment;
mod order;
mod reassign;
mod request_changes;
mod requeue;
mod retry;
mod show;
mod tail;
mod why;

use clap::{Args, Subcommand};

use super::client::HubClient;
use super::problem::Problem;

/// Add a task, look at it, follow it, act on it
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard task add role:full-stack-engineer \"implement login\" --priority high
  callboard task why TASK
  callboard task tail TASK"
)]
pub(super) struct TaskArgs {
    #[command(subcommand)]
    verb: TaskVerb,
}

#[derive(Debug, Subcommand)]
enum TaskVerb {
    Add(add::AddArgs),
    Show(show::ShowArgs),
    Why(why::WhyArgs),
    Tail(tail::TailArgs),
    Cancel(cancel::CancelArgs),
    Retry(retry::RetryArgs),
    Requeue(requeue::RequeueArgs),
    Reassign(reassign::ReassignArgs),
    Answer(answer::AnswerArgs),
    Approve(approve::ApproveArgs),
    RequestChanges(request_changes::RequestChangesArgs),
    Comment(comment::CommentArgs),
}

/// Does it.
pub(super) async fn run(args: &TaskArgs, hub: &HubClient) -> Result<(), Problem> {
    match &args.verb {
        TaskVerb::Add(args) => add::run(args, hub).await,
        TaskVerb::Show(args) => show::run(args, hub).await,
        TaskVerb::Why(args) => why::run(args, hub).await,
        TaskVerb::Tail(args) => tail::run(args, hub).await,
        TaskVerb::Cancel(args) => cancel::run(args, hub).await,
        TaskVerb::Retry(args) => retry::run(args, hub).await,
        TaskVerb::Requeue(args) => requeue::run(args, hub).await,
        TaskVerb::Reassign(args) => reassign::run(args, hub).await,
        TaskVerb::Answer(args) => answer::run(args, hub).await,
        TaskVerb::Approve(args) => approve::run(args, hub).await,
        TaskVerb::RequestChanges(args) => request_changes::run(args, hub).await,
        TaskVerb::Comment(args) => comment::run(args, hub).await,
    }
}
