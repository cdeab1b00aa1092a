//! `callboard task comment`: a remark that the worker and the asker hear.

use clap::Args;
use serde_json::{Map, json};

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Remark on a task; its worker and its asker hear it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task comment TASK \"mind the time zones\"
  callboard task comment TASK \"this leaks\" --file src/login.rs --line 41")]
pub(super) struct CommentArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    /// The remark
    text: String,
    /// The file it is about
    #[arg(long)]
    file: Option<String>,
    /// The line in that file, from 1
    #[arg(long, requires = "file")]
    line: Option<u32>,
    /// The comment that it answers
    #[arg(long, value_name = "COMMENT")]
    reply_to: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Remarks on it.
pub(super) async fn run(args: &CommentArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut body = Map::from_iter([("text".to_owned(), json!(args.text))]);
    body.extend(args.file.as_ref().map(|file| ("file".to_owned(), json!(file))));
    body.extend(args.line.map(|line| ("line".to_owned(), json!(line))));
    body.extend(args.reply_to.as_ref().map(|comment| ("replyTo".to_owned(), json!(comment))));
    order(hub, &args.task, "comments", &body.into(), args.output, "has your remark").await
}
