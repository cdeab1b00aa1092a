//! Which measurements, with how many agents, and in which order.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use super::error::BenchError;
use super::figure::{Measure, Report};
use super::{
    called, child, database, deadlines, discord, doors, history, memory, prompted, prompts, questions, redelivery,
    restart, resting, server, start, tasks, throughput, workflows,
};
use callboard::clock::Clock;

/// What to measure.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    /// Only these; all when empty.
    pub only: Vec<Measure>,
    /// So many agents, instead of each measurement's own numbers.
    pub agents: Vec<usize>,
    /// So many closed tasks behind the hub of `history`, instead of a million.
    pub closed: Option<usize>,
    /// Small numbers: proves that everything runs, and says nothing about speed.
    pub quick: bool,
    /// A PostgreSQL server for the hub of `database`, which is left out without.
    pub store: Option<String>,
    /// Where databases and data directories go: on the disk that is to be measured.
    pub dir: PathBuf,
}

/// Numbers of a run.
struct Plan {
    called: (Vec<usize>, usize),
    questions: (usize, usize),
    throughput: (Vec<usize>, usize, Duration),
    /// Agents, tasks of a round, rounds.
    tasks: (usize, usize, usize),
    memory: (Vec<usize>, Duration),
    /// Agents at each door, calls to each, and how long nothing happens.
    doors: (Vec<usize>, usize, Duration),
    start: (usize, usize, usize),
    redelivery: usize,
    /// Open tasks, agents, times.
    restart: (usize, usize, usize),
    /// Deadlines of each kind, agents that work meanwhile.
    deadlines: (usize, usize),
    prompts: prompts::Size,
    /// Prompts below a host, and as many in a file.
    prompted: usize,
    /// Terminals that are left alone.
    resting: usize,
    /// Prompts in turn, runs at once.
    workflows: (usize, usize),
    /// Mentions, starts, calls to each hub.
    discord: (usize, usize, usize),
    history: history::Size,
    database: database::Size,
}

impl Plan {
    fn of(options: &BenchOptions) -> Self {
        let agents = |own: &[usize]| if options.agents.is_empty() { own.to_vec() } else { options.agents.clone() };
        let closed = |own: usize| options.closed.unwrap_or(own);
        if options.quick {
            Self {
                called: (agents(&[2]), 5),
                questions: (3, 5),
                throughput: (agents(&[2]), 1, Duration::from_millis(500)),
                tasks: (3, 30, 1),
                memory: (agents(&[20]), Duration::from_secs(1)),
                doors: (agents(&[5]), 5, Duration::from_secs(1)),
                start: (50, 200, 1),
                redelivery: 3,
                restart: (50, 10, 1),
                deadlines: (3, 2),
                prompts: prompts::Size { lines: 20_000, rounds: 5, sessions: 4, seconds: 1 },
                prompted: 6,
                resting: 4,
                workflows: (3, 20),
                discord: (5, 1, 10),
                history: history::Size { closed: closed(200), agents: 2, calls: 5, rounds: (1, 30), looks: 3 },
                database: database::Size { tasks: (2, 20, 1), called: (2, 5), batches: 2, imported: 200 },
            }
        } else {
            Self {
                called: (agents(&[1, 100, 1_000]), 400),
                questions: (options.agents.first().copied().unwrap_or(200), 400),
                throughput: (agents(&[1, 10, 100]), 5, Duration::from_secs(3)),
                tasks: (options.agents.first().copied().unwrap_or(100), 3_000, 5),
                memory: (agents(&[1_000, 10_000]), Duration::from_secs(10)),
                doors: (agents(&[1_000]), 400, Duration::from_secs(10)),
                start: (10_000, 100_000, 5),
                redelivery: 100,
                restart: (10_000, 500, 5),
                deadlines: (100, 20),
                prompts: prompts::Size { lines: 200_000, rounds: 7, sessions: 1_000, seconds: 5 },
                prompted: 200,
                resting: 100,
                workflows: (200, 1_000),
                discord: (200, 5, 400),
                history: history::Size {
                    closed: closed(1_000_000),
                    agents: 20,
                    calls: 400,
                    rounds: (5, 3_000),
                    looks: 20,
                },
                database: database::Size {
                    tasks: (100, 2_000, 5),
                    called: (100, 400),
                    batches: 20,
                    imported: closed(250_000),
                },
            }
        }
    }
}

impl Plan {
    /// How many files a process of these measurements has open at once: the connections of its agents, beside
    /// each of which a throughput has an asker and a client of the bare library, and room for what every process
    /// has open anyway.
    fn files(&self, only: &[Measure]) -> u64 {
        let most = |agents: &[usize]| agents.iter().max().copied().unwrap_or_default();
        let needed = Measure::ALL.into_iter().filter(|measure| only.is_empty() || only.contains(measure));
        let needed = needed.map(|measure| match measure {
            Measure::Called => most(&self.called.0),
            Measure::Questions => self.questions.0,
            Measure::Throughput => 3 * most(&self.throughput.0),
            Measure::Tasks => 3 * self.tasks.0,
            Measure::Memory => most(&self.memory.0),
            Measure::Doors => 2 * (most(&self.doors.0) + 32),
            Measure::Redelivery => 4,
            Measure::Restart => 2 * self.restart.1,
            Measure::Deadlines => 2 * (self.deadlines.0 + self.deadlines.1),
            Measure::Prompts => 2 * self.resting,
            Measure::Workflows => 2 * 50,
            Measure::Discord => 200,
            Measure::History => 8 * self.history.agents,
            Measure::Database => 6 * self.database.tasks.0,
            Measure::Start => 0,
        });
        u64::try_from(needed.max().unwrap_or_default() + 200).unwrap_or(u64::MAX)
    }
}

/// Measures, and writes each table as soon as it is there.
///
/// # Errors
/// When a hub or a floor does not start, does not answer as it must, or this process may not open enough files.
pub fn run(options: &BenchOptions, out: &mut dyn Write) -> Result<Report, BenchError> {
    let plan = Plan::of(options);
    child::check_files(plan.files(&options.only))?;
    let mut report = Report {
        at: Clock::system().now().to_string(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        figures: Vec::new(),
    };
    let runtime = server::runtime()?;
    for measure in Measure::ALL {
        let only = if measure == Measure::Database {
            options.store.is_some()
        } else {
            options.only.is_empty() && options.store.is_none()
        };
        if !only && !options.only.contains(&measure) {
            continue;
        }
        let dir = &options.dir;
        let measured = runtime.block_on(async {
            match measure {
                Measure::Called => called::measure(dir, &plan.called.0, plan.called.1).await,
                Measure::Questions => questions::measure(dir, plan.questions.0, plan.questions.1).await,
                Measure::Throughput => {
                    let (agents, rounds, each) = &plan.throughput;
                    throughput::measure(dir, agents, *rounds, *each).await
                }
                Measure::Tasks => tasks::measure(dir, plan.tasks.0, plan.tasks.1, plan.tasks.2).await,
                Measure::Memory => memory::measure(dir, &plan.memory.0, plan.memory.1).await,
                Measure::Doors => doors::measure(dir, &plan.doors.0, plan.doors.1, plan.doors.2).await,
                Measure::Start => start::measure(dir, plan.start.0, plan.start.1, plan.start.2).await,
                Measure::Redelivery => redelivery::measure(dir, plan.redelivery).await,
                Measure::Restart => {
                    let (open, agents, times) = plan.restart;
                    restart::measure(dir, open, agents, times).await
                }
                Measure::Deadlines => deadlines::measure(dir, plan.deadlines.0, plan.deadlines.1).await,
                Measure::Workflows => workflows::measure(dir, plan.workflows.0, plan.workflows.1).await,
                Measure::Discord => {
                    let (mentions, starts, calls) = plan.discord;
                    discord::measure(dir, mentions, starts, calls).await
                }
                Measure::History => history::measure(dir, plan.history).await,
                Measure::Database => match &options.store {
                    Some(url) => database::measure(dir, url, plan.database).await,
                    None => {
                        Err(BenchError::Database("name a server: --store postgres://USER@HOST/DATABASE".to_owned()))
                    }
                },
                Measure::Prompts => {
                    let mut figures = prompts::measure(&plan.prompts)?;
                    figures.extend(prompted::measure(dir, plan.prompted).await?);
                    figures.extend(resting::measure(dir, plan.resting, &prompts::log(12_000)).await?);
                    Ok(figures)
                }
            }
        });
        report.figures.extend(measured?);
        report.show(measure, out).map_err(BenchError::io("show the figures"))?;
    }
    Ok(report)
}
