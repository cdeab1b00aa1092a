//! Two doors at once: so many agents parked over WebSockets and as many over HTTP, on one hub. What each of them costs,
//! what all of them cost while nothing happens, and how soon one of them is woken among all the others.

use std::path::Path;
use std::time::Duration;

use tokio::time::sleep;

use super::appended;
use super::called::{Asker, Stage};
use super::client::Door;
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes};
use super::hub::Hub;
use super::proxied;
use super::spread::Times;

/// After the last agent was parked, until the process is weighed: every wait streams by then.
const SETTLE: Duration = Duration::from_secs(3);

/// Agents at each door that come before the process is weighed for the first time.
const WARM: usize = 16;

/// Calls to each door that are not counted.
const WARM_CALLS: usize = 10;

/// Weighs and wakes so many at each of the two doors.
pub(super) async fn measure(
    dir: &Path,
    agents: &[usize],
    calls: usize,
    idle: Duration,
) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for &count in agents {
        figures.extend(at_both(dir, count, calls, idle).await?);
    }
    figures.push(proxied::measure(dir).await?);
    Ok(figures)
}

async fn at_both(dir: &Path, count: usize, calls: usize, idle: Duration) -> Result<Vec<Figure>, BenchError> {
    let hub = Hub::start(dir, 2 * (WARM + count)).await?;
    let doors = [Door::Socket, Door::Stateless];
    let mut warm = Vec::new();
    for (place, door) in doors.into_iter().enumerate() {
        warm.extend(hub.agents(door, place * WARM, WARM, false).await?);
    }
    let warm = Stage::over(warm).await;
    sleep(SETTLE).await;
    let before = hub.child.resident()?;
    let mut stages = Vec::new();
    for (place, door) in doors.into_iter().enumerate() {
        stages.push(Stage::over(hub.agents(door, 2 * WARM + place * count, count, false).await?).await);
    }
    sleep(SETTLE).await;
    #[expect(clippy::cast_precision_loss, reason = "a count of connections is far below 2^52")]
    let each = (hub.child.resident()? - before) / (2 * count) as f64 / 1000.0;
    let busy = hub.child.busy()?;
    sleep(idle).await;
    let busy = hub.child.busy()?.saturating_sub(busy).as_secs_f64() / idle.as_secs_f64() * 100.0;
    let row = |what: String, value, unit| Figure::new(Measure::Doors, what, value, unit);
    let both = format!("{count} over WebSockets and {count} over HTTP");
    let mut figures =
        vec![row(format!("{both}, kB each"), each, "kB"), row(format!("{both}, idle, of one core"), busy, "%")];
    let mut floor = Floor::start(dir).await?;
    let mut asker = hub.operator(Door::Plain).await?;
    let mut times = [(Times::default(), Times::default()), (Times::default(), Times::default())];
    let mut sizes = [Sizes::default(); 2];
    for round in 0..WARM_CALLS + calls {
        for (place, stage) in stages.iter_mut().enumerate() {
            let called = stage.call(Asker::Route, &mut asker, round).await?;
            if round < WARM_CALLS {
                let first = appended::of_task(&hub, &called.task)?.first().copied();
                sizes[place] = Sizes { append: first.unwrap_or_default(), ..called.sizes };
                continue;
            }
            let paid = floor.pay(sizes[place]).await?;
            if !called.queued {
                times[place].0.push(called.took);
                times[place].1.push(paid);
            }
        }
    }
    drop(warm);
    for (door, (called, paid)) in doors.into_iter().zip(&times) {
        for (percent, goal) in [(50, 2.0), (99, 4.0)] {
            let what = format!("POST /tasks → {door} wait, {both}, p{percent}");
            let figure = row(what, called.micros_at(percent), "µs").floor(paid.micros_at(percent));
            figures.push(figure.goal(Goal::RatioAtMost(goal)));
        }
    }
    Ok(figures)
}
