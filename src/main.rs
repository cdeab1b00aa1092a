//! The one binary: read the command line, do what it says, and say by the exit code how it went.

use std::process::ExitCode;

use callboard::cli;

fn main() -> ExitCode {
    let Err(problem) = cli::run(&cli::parse()) else { return ExitCode::SUCCESS };
    problem.report();
    problem.exit().into()
}
