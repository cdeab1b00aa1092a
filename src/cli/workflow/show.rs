//! `callboard workflow show`: what a workflow would have a model do, before anything of it has run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::exit::Exit;
use crate::cli::output::{OutputArgs, say, say_json};
use crate::cli::place::{CONFIG, config_dir};
use crate::cli::problem::Problem;
use crate::domain::text::nearest;
use crate::domain::workflow::{Known, calls_left, opening, read_parameters};
use crate::settings::Workflows;

/// Show what a workflow would have a model do; nothing runs
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard workflow show release
  callboard workflow show release --arg service=api --arg pr=17")]
pub(super) struct ShowArgs {
    /// Its name
    name: String,
    /// An argument of the workflow; may be given several times
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    arguments: Vec<(String, String)>,
    /// The folder that holds hub.yaml, workflows and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Shows it.
pub(super) fn run(args: &ShowArgs) -> Result<(), Problem> {
    let workflows = Workflows::load(config_dir(args.config.as_deref()).as_deref())?;
    let workflow = workflows.find(&args.name).ok_or_else(|| unknown(&args.name, &workflows))?;
    let plan = &workflow.plan;
    let given: BTreeMap<String, String> = args.arguments.iter().cloned().collect();
    let parameters = read_parameters(plan, &given).map_err(|faults| {
        let why: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Problem::configuration(format!("`{}` does not take these arguments", plan.name)).because(why.join("\n"))
    })?;
    let outputs = BTreeMap::new();
    let known = Known { plan, parameters: &parameters, outputs: &outputs };
    let (wanted, planned) = opening(plan, &parameters);
    let calls = calls_left(known, 0);
    if args.output.is_json() {
        return say_json(&json!({
            "name": plan.name,
            "from": workflow.place.to_string(),
            "instructions": plan.instructions,
            "wanted": wanted,
            "plan": planned,
            "calls": calls,
        }));
    }
    let instructions = plan.instructions.as_ref().map(|text| format!("{}\n\n", text.trim())).unwrap_or_default();
    say(&format!("{instructions}{wanted}\n\n{planned}\n\nTo carry it out, make these calls:\n{calls}"))
}

fn unknown(name: &str, workflows: &Workflows) -> Problem {
    let names = || workflows.iter().map(|workflow| workflow.plan.name.as_str());
    let next = nearest(name, names()).first().map(|near| format!("callboard workflow show {near}"));
    Problem::new(Exit::NotFound, format!("there is no workflow `{name}`"))
        .because(format!("the workflows are {}", names().collect::<Vec<_>>().join(", ")))
        .next(next.unwrap_or_else(|| "callboard workflow list".to_owned()))
}

/// `service=api`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("an argument is given as `NAME=VALUE`")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}
