//! `callboard schedule …`: work that is handed out at its time, or when other work ends.

use serde_json::Map;

use super::cells::count;
use super::columns;
use super::prelude::*;

const SCHEDULES: [&str; 3] = ["api", "v1", "schedules"];

#[derive(Debug, Subcommand)]
pub(super) enum ScheduleVerb {
    /// Have a task made at a moment, after each span, by a pattern, or when another task ends
    Add(Box<AddArgs>),
    /// List schedules, and when each makes its next task
    List(ListArgs),
    /// Show one, with its text
    #[command(after_help = "Example:\n  callboard schedule show nightly")]
    Show(NameArgs),
    /// Let its moments pass until it is resumed
    #[command(after_help = "Example:\n  callboard schedule pause nightly")]
    Pause(NameArgs),
    /// Let it go on from now
    #[command(after_help = "Example:\n  callboard schedule resume nightly")]
    Resume(NameArgs),
    /// Make a task of one now, beside its moments
    #[command(after_help = "Example:\n  callboard schedule run nightly")]
    Run(NameArgs),
    /// Remove one; tasks that it made stay
    #[command(after_help = "Example:\n  callboard schedule remove nightly")]
    Remove(NameArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard schedule list")]
pub(super) struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct NameArgs {
    /// The schedule's name
    name: String,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard schedule add nightly any \"run all tests\" --cron \"30 2 * * *\" --timezone Europe/Berlin
  callboard schedule add triage role:product-manager \"sort new issues\" --every 6h --overlap queue
  callboard schedule add launch any \"announce it\" --at 2027-01-31T09:00:00+01:00
  callboard schedule add review any \"Review {task}: {result}\" --after role:test-engineer")]
pub(super) struct AddArgs {
    /// Its name: a to z, 0 to 9 and `-`
    name: String,
    /// For whom: an agent, role:ROLE, or any
    target: String,
    /// What is to be done; {date}, {time} and, with --after, {task}, {title}, {state}, {result} are filled in
    prompt: String,
    /// Once, at this moment
    #[arg(long, value_name = "MOMENT", group = "when")]
    at: Option<String>,
    /// Again after each span, as 6h
    #[arg(long, value_name = "SPAN", group = "when")]
    every: Option<String>,
    /// At the times of a pattern: minute, hour, day, month, weekday
    #[arg(long, value_name = "PATTERN", group = "when")]
    cron: Option<String>,
    /// When a task of this role ends, as role:ROLE; any for every role
    #[arg(long, value_name = "ROLE", group = "when")]
    after: Option<String>,
    /// The time zone of --cron or --at, as Europe/Berlin
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// The state in which that task ends: completed, failed, cancelled, dead-letter
    #[arg(long, value_name = "STATE", default_value = "completed", requires = "after")]
    state: String,
    /// A line for lists
    #[arg(long)]
    title: Option<String>,
    /// How urgent: normal, high, critical
    #[arg(long, default_value = "normal")]
    priority: String,
    /// While the task before is open: skip, or queue
    #[arg(long, default_value = "skip")]
    overlap: String,
    /// Of what passed while the hub was down: none, one, all
    #[arg(long, value_name = "HOW", default_value = "one")]
    catch_up: String,
    /// The last moment
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// Let it wait until it is resumed
    #[arg(long)]
    paused: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &ScheduleVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        ScheduleVerb::Add(args) => add(args, hub).await,
        ScheduleVerb::List(args) => list(hub, args.output).await,
        ScheduleVerb::Show(args) => show(args, hub).await,
        ScheduleVerb::Pause(args) => change(args, hub, true).await,
        ScheduleVerb::Resume(args) => change(args, hub, false).await,
        ScheduleVerb::Run(args) => run_now(args, hub).await,
        ScheduleVerb::Remove(args) => remove(args, hub).await,
    }
}

fn path<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SCHEDULES.iter().chain(more).copied().collect()
}

async fn add(args: &AddArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Option<&String>| body.extend(value.map(|value| (key.to_owned(), json!(value))));
    put("name", Some(&args.name));
    put("target", Some(&args.target));
    put("prompt", Some(&args.prompt));
    put("at", args.at.as_ref());
    put("every", args.every.as_ref());
    put("cron", args.cron.as_ref());
    put("timezone", args.timezone.as_ref());
    put("title", args.title.as_ref());
    put("priority", Some(&args.priority));
    put("overlap", Some(&args.overlap));
    put("catchUp", Some(&args.catch_up));
    put("until", args.until.as_ref());
    if let Some(role) = &args.after {
        let role = Some(role).filter(|role| *role != "any");
        let state = args.state.to_uppercase().replace('-', "_");
        body.insert("after".to_owned(), json!({ "role": role, "state": state }));
    }
    body.insert("paused".to_owned(), json!(args.paused));
    let answer = hub.post(&SCHEDULES, &Value::Object(body)).await?;
    args.output.show(&answer, || format!("The schedule `{}` is there. {}", args.name, next(&answer["schedule"])))
}

/// When it makes its next task, in words.
fn next(schedule: &Value) -> String {
    let now = Clock::system().now();
    match (str_at(schedule, "state"), str_at(schedule, "next")) {
        (_, Some(moment)) => {
            format!("Its next task comes {}, at {}.", until(moment, now), text(schedule, "nextLocal"))
        }
        (Some("paused"), None) => "It is paused.".to_owned(),
        (Some("over"), None) => "Nothing comes of it any more.".to_owned(),
        (_, None) => format!("It makes a task {}.", text(schedule, "when")),
    }
}

async fn list(hub: &HubClient, output: OutputArgs) -> Result<(), Problem> {
    let items = hub.list(&SCHEDULES, &[], 0).await?;
    let empty = "No schedules. Add one with `callboard schedule add NAME TARGET TEXT --every 6h`.";
    output.table(&items, (columns::SCHEDULES, Clock::system().now()), empty)
}

async fn show(args: &NameArgs, hub: &HubClient) -> Result<(), Problem> {
    let item = hub.get(&path(&[&args.name]), &[]).await?;
    let now = Clock::system().now();
    args.output.show(&item, || {
        let mut said = format!(
            "`{}` {} for {}. {}",
            args.name,
            text(&item, "when"),
            text(&item["definition"], "target"),
            next(&item)
        );
        said.push_str(&format!(
            "\nMade by {}, {} ago; {} made, {} moments skipped, {} missed.",
            text(&item, "madeBy"),
            ago(&item, "createdAt", now),
            count(&text(&item, "fired"), "task"),
            text(&item, "skipped"),
            text(&item, "missed"),
        ));
        if let Some(unused) = str_at(&item, "lastUnused") {
            said.push_str(&format!("\nThe last moment without a task: {unused}."));
        }
        format!("{said}\n\n{}", text(&item["definition"], "prompt"))
    })
}

async fn change(args: &NameArgs, hub: &HubClient, paused: bool) -> Result<(), Problem> {
    let answer = hub.patch(&path(&[&args.name]), &json!({ "paused": paused })).await?;
    let (is, next) = if paused { ("is paused.", String::new()) } else { ("goes on. ", next(&answer["schedule"])) };
    args.output.show(&answer, || format!("The schedule `{}` {is}{next}", args.name))
}

async fn run_now(args: &NameArgs, hub: &HubClient) -> Result<(), Problem> {
    let answer = hub.post(&path(&[&args.name, "run"]), &json!({})).await?;
    args.output.show(&answer, || format!("The task `{}` of `{}` is made.", text(&answer, "taskId"), args.name))
}

async fn remove(args: &NameArgs, hub: &HubClient) -> Result<(), Problem> {
    let answer = hub.delete(&path(&[&args.name])).await?;
    if args.output.is_json() {
        return args.output.show(&answer, String::new);
    }
    say(&format!("The schedule `{}` is removed; the tasks that it made stay.", args.name))
}
