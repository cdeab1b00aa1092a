//! `callboard-bench measure`: the hub, measured beside its floor.

use std::io;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use callboard::cli::problem::Problem;

use crate::measure::{self, BenchError, BenchOptions, Measure, ServerKind};

/// Measure load and latency against the floor of this machine, in the same run
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard-bench measure                                  everything, some ten minutes
  callboard-bench measure --only called --agents 1,100     one measurement, with so many agents
  callboard-bench measure --only history --closed 20000    how cost grows with history
  callboard-bench measure --store postgres://me@db/bench   a hub on PostgreSQL, beside that server and beside SQLite
  callboard-bench measure --quick                          whether it runs; says nothing about speed

It starts hubs of its own on this machine and leaves yours alone. Each figure is measured beside \
what no hub can do without, in turns: compare the ratios, not the numbers of two machines.")]
pub struct BenchArgs {
    /// Only these measurements
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    only: Vec<Measure>,
    /// So many agents, instead of each measurement's own numbers
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=10_000))]
    agents: Vec<u32>,
    /// So many closed tasks behind the hub of `history`, instead of 1,000,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    closed: Option<u32>,
    /// Small numbers: whether everything runs
    #[arg(long)]
    quick: bool,
    /// Write the figures to this file as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure a hub on this PostgreSQL server, in databases that stay there: `postgres://USER@HOST/DATABASE`
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Where databases go: a folder on the disk that is to be measured
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Serve as one of the bare servers of a measurement
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard-bench server axum --dir /var/tmp")]
pub struct BenchServerArgs {
    /// Which of them to serve
    #[arg(value_parser = PossibleValuesParser::new([ServerKind::Axum.name(), ServerKind::Rmcp.name()]))]
    kind: String,
    /// Where its database goes
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// How many bytes each of its calls keeps
    #[arg(long, value_name = "N", default_value_t = 1)]
    append_bytes: usize,
}

pub fn run(args: &BenchArgs) -> Result<(), Problem> {
    let options = BenchOptions {
        only: args.only.clone(),
        agents: args.agents.iter().filter_map(|count| usize::try_from(*count).ok()).collect(),
        closed: args.closed.and_then(|count| usize::try_from(count).ok()),
        quick: args.quick,
        store: args.store.clone(),
        dir: args.dir.clone().unwrap_or_else(std::env::temp_dir),
    };
    let report = measure::run(&options, &mut io::stdout()).map_err(problem)?;
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Problem::failed("failed to write JSON").because(error.to_string()))?;
        let failed = format!("failed to write `{}`", file.display());
        std::fs::write(file, text + "\n").map_err(|error| Problem::failed(failed).because(error.to_string()))?;
    }
    report.holds().map_err(problem)
}

/// Serves until it is killed.
pub fn serve(args: &BenchServerArgs) -> Result<(), Problem> {
    let Some(kind) = ServerKind::parse(&args.kind) else {
        return Err(Problem::configuration(format!("there is no bare server `{}`", args.kind)));
    };
    measure::serve(kind, &args.dir, args.append_bytes, &mut io::stdout()).map_err(problem)
}

impl clap::ValueEnum for Measure {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

fn problem(error: BenchError) -> Problem {
    Problem::failed("failed to measure").because(error.to_string())
}
