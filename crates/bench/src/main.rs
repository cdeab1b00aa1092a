//! What developers run beside the hub: measurements, and the demo with a stand-in of Discord.

use std::process::ExitCode;

use callboard_bench::args::{self, BenchArgs, BenchServerArgs};
use callboard_bench::discord_demo::{self, DiscordDemoArgs};
use clap::Parser;

/// Measurements of callboard, and its demo with Discord
#[derive(Debug, Parser)]
#[command(name = "callboard-bench", version)]
enum Verb {
    Measure(BenchArgs),
    #[command(hide = true)]
    Server(BenchServerArgs),
    Discord(DiscordDemoArgs),
}

fn main() -> ExitCode {
    let end = match Verb::parse() {
        Verb::Measure(args) => args::run(&args),
        Verb::Server(args) => args::serve(&args),
        Verb::Discord(args) => discord_demo::run(&args),
    };
    let Err(problem) = end else { return ExitCode::SUCCESS };
    problem.report();
    problem.exit().into()
}
