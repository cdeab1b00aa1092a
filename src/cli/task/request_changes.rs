//! `callboard task request-changes`: a reviewer sends the work back.

use clap::Args;
use serde_json::{Map, Value, json};

use super::order::order;
use crate::cli::client::HubClient;
use crate::cli::output::OutputArgs;
use crate::cli::problem::Problem;
use crate::cli::values::task_id;

/// Send work back that waits for review, with what is to change
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard task request-changes TASK --comment \"this leaks\" --file src/login.rs --line 41
  callboard task request-changes TASK --comment \"rename it\" --comment \"and test it\"
  callboard task request-changes TASK          when comments are open already")]
pub(super) struct RequestChangesArgs {
    /// The task's id
    #[arg(value_parser = task_id)]
    task: String,
    /// What is to change; may be given more than once
    #[arg(long, value_name = "TEXT")]
    comment: Vec<String>,
    /// The file that the comment is about, as the diff names it
    #[arg(long, requires = "comment")]
    file: Option<String>,
    /// The line in that file, from 1
    #[arg(long, requires = "file")]
    line: Option<u32>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Sends it back.
pub(super) async fn run(args: &RequestChangesArgs, hub: &HubClient) -> Result<(), Problem> {
    if args.file.is_some() && args.comment.len() > 1 {
        return Err(Problem::configuration("`--file` goes with one `--comment`, and several are given")
            .next("callboard reviews TASK shows where others stand; give each in a call of its own"));
    }
    let wish = |text: &String| -> Value {
        let mut wish = Map::from_iter([("text".to_owned(), json!(text))]);
        wish.extend(args.file.as_ref().map(|file| ("file".to_owned(), json!(file))));
        wish.extend(args.line.map(|line| ("line".to_owned(), json!(line))));
        wish.into()
    };
    let comments: Vec<Value> = args.comment.iter().map(wish).collect();
    let body = json!({ "comments": comments });
    order(hub, &args.task, "request-changes", &body, args.output, "goes back to its worker").await
}
