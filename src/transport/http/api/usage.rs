//! `/api/v1/usage`: what clients on call used, summed up. What a client did not say is unknown in every sum with it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::prelude::*;
use crate::domain::task::{Budget, BudgetNews, Run, Task, Usage};
use crate::domain::time::Timestamp;
use crate::journal::{Page, ReadError, Reader, TaskFilter};

/// How far back is looked when nothing is said.
const SINCE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// By what to sum up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum UsageBy {
    #[default]
    Role,
    Agent,
    Client,
    Task,
    /// The day on which a run began, in UTC.
    Day,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct UsageParams {
    /// How far back, as `7d`, which it is when nothing is said: by when runs began.
    since: Option<String>,
    /// By what to sum up; by role when nothing is said.
    by: UsageBy,
}

/// The sum of one role, agent, client, task or day.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UsageSum {
    /// What it is the sum of: the role's id, the task's, and so on.
    key: String,
    runs: usize,
    /// `null` while no process of these runs ended; each part of it where a client did not say.
    usage: Option<Usage>,
    /// What a role may use; none of what is no role, or has no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Budget>,
    /// How the question stands whether a role goes on that used up its budget of today; none where nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    today: Option<BudgetNews>,
}

pub(super) fn routes() -> Routes {
    let list =
        Route::get::<List<UsageSum>>("/api/v1/usage", "what runs on call used, by role, agent, client, task or day");
    Routes::new().add(list.query::<UsageParams>(), read_list)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<UsageParams>) -> Listed<UsageSum> {
    let span = params.since.as_deref().map_or(Ok(SINCE), humantime::parse_duration);
    let span = span.map_err(|error| ApiError::query("since", error))?;
    let now = hub.clock.now();
    let since = Timestamp(now.0.saturating_sub(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)));
    let mut sums = hub.journal.read(move |reader| sums(reader, since, params.by)).await?;
    let settings = hub.settings();
    for sum in sums.iter_mut().filter(|_| params.by == UsageBy::Role) {
        let Some((role, config)) = settings.roles.find(&sum.key) else { continue };
        sum.budget = Some(config.budget).filter(|budget| *budget != Budget::default());
        sum.today = hub.on_call.asked_of_day(role, now).map(|asked| asked.level);
    }
    Ok(Json(List::whole(sums)))
}

fn sums(reader: &dyn Reader, since: Timestamp, by: UsageBy) -> Result<Vec<UsageSum>, ReadError> {
    // A run that began since then changed its task since then.
    let filter = TaskFilter { changed_since: Some(since), ..TaskFilter::default() };
    let tasks = Page::all(|page| reader.tasks(&filter, page))?;
    let key = |task: &Task, run: &Run| match by {
        UsageBy::Role => task.role_of(run).map_or_else(|| "unknown".to_owned(), ToString::to_string),
        UsageBy::Agent => run.agent.to_string(),
        UsageBy::Client => run.client.clone(),
        UsageBy::Task => task.id().to_string(),
        UsageBy::Day => run.started_at.to_string().chars().take(10).collect(),
    };
    let mut sums: BTreeMap<String, (usize, Vec<Option<Usage>>)> = BTreeMap::new();
    for task in &tasks {
        for run in task.runs.iter().filter(|run| run.started_at >= since && run.day.is_none()) {
            let (runs, used) = sums.entry(key(task, run)).or_default();
            *runs += 1;
            used.extend(run.exits.iter().map(|exit| exit.usage));
        }
    }
    let sum = |(key, (runs, used))| UsageSum { key, runs, usage: Usage::sum(used), budget: None, today: None };
    Ok(sums.into_iter().map(sum).collect())
}
