//! `callboard workflow show`: what a workflow would have a model do; or how far a run of it came.

use std::collections::BTreeMap;

use super::given::Given;
use super::printed_run::messages;
use crate::cli::output::cell::line;
use crate::cli::prelude::*;
use crate::domain::text::nearest;
use crate::domain::workflow::{PlanValues, calls_left, opening, read_parameters, unsure};
use crate::settings::Workflows;

/// Show what a workflow would have a model do, or how far a run came; nothing runs
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard workflow show release
  callboard workflow show release --arg service=api --arg pr=17
  callboard workflow show RUN          what a run said and did, and what is left of it")]
pub(in crate::cli) struct ShowArgs {
    /// Its name, or the id of a run or how that begins
    name: String,
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    output: OutputArgs,
}

impl ShowArgs {
    /// Whether a run is meant: that is asked of the hub.
    pub(super) fn means_a_run(&self) -> bool {
        self.name.starts_with("w_")
    }
}

pub(super) async fn show_run(args: &ShowArgs, hub: &HubClient) -> Result<(), Problem> {
    let id = to_look(hub, NamedKind::Workflow, &args.name).await?;
    let run = hub.get(&["api", "v1", "workflows", &id], &[]).await?;
    args.output.show(&run, || describe(&run, Clock::system().now()))
}

fn describe(run: &Value, now: Timestamp) -> String {
    let mut words = String::new();
    let mut row = |name: &str, value: String| words.push_str(&format!("{name:<10} {value}\n"));
    row("run", format!("{}  {}", text(run, "workflowId"), text(run, "status")));
    row("workflow", text(run, "name"));
    row("owner", text(run, "owner"));
    row("steps", text(run, "statusMessage"));
    row("began", format!("{} ago", ago(run, "startedAt", now)));
    if let Some(at) = str_at(run, "expiresAt") {
        row("expires", until(at, now));
    }
    for step in run.get("steps").and_then(Value::as_array).into_iter().flatten() {
        let what = str_at(step, "tool").or_else(|| str_at(step, "resource")).unwrap_or_default();
        let error = str_at(step, "error").map(|error| format!(": {}", line(error, 80))).unwrap_or_default();
        words.push_str(&format!(
            "  {:<10} {}  {}{error}\n",
            text(step, "status"),
            text(step, "name"),
            for_terminal(what)
        ));
    }
    messages(run).for_each(|message| words.push_str(&format!("\n{message}\n")));
    words
}

pub(super) fn run(args: &ShowArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let workflows = Workflows::load(globals.config_dir().as_deref())?;
    let workflow = workflows.find(&args.name).ok_or_else(|| unknown(&args.name, &workflows))?;
    let plan = &workflow.plan;
    let given = args.given.by_name();
    let parameters = read_parameters(plan, &given).map_err(|faults| {
        let why: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Problem::configuration(format!("`{}` does not take these arguments", plan.name)).because(why.join("\n"))
    })?;
    let outputs = BTreeMap::new();
    let unsure = unsure(&parameters, false);
    let known = PlanValues { plan, parameters: &parameters, outputs: &outputs, unsure: &unsure };
    let (wanted, planned) = opening(known);
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
