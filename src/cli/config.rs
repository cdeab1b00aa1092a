//! `callboard config …`: what is set, where, and what could be.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::Value;

use super::output::table::{Column, table};
use super::output::{Format, OutputArgs, say, say_json};
use super::place::{CONFIG, config_dir, flags, settings};
use super::problem::Problem;
use crate::domain::text::{nearest, shorten};
use crate::settings::{Shown, schema, schemas};

/// How much of a value is shown in a column, in characters; `-o wide` shows all of it.
const LONGEST: usize = 72;

/// Show what is set, and what can be set
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard config show --origin
  callboard config schema hub.yaml > hub.schema.json"
)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    verb: ConfigVerb,
}

#[derive(Debug, Subcommand)]
enum ConfigVerb {
    /// Show every value
    #[command(after_help = "Example:
  callboard config show --origin --config ./config")]
    Show(ShowArgs),
    /// Print the JSON Schema of the files
    #[command(after_help = "Examples:
  callboard config schema
  callboard config schema hub.yaml > hub.schema.json")]
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Where each value came from: defaults, file and line, variable, flag
    #[arg(long)]
    origin: bool,
    /// The folder that holds hub.yaml, agents.yaml and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct SchemaArgs {
    /// The file; all of them when none is named
    file: Option<String>,
}

/// Shows it.
pub(super) fn run(args: &ConfigArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    match &args.verb {
        ConfigVerb::Show(args) => show(args, data_dir),
        ConfigVerb::Schema(args) => print_schema(args),
    }
}

fn show(args: &ShowArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    let data_dir = data_dir.map(|dir| dir.display().to_string());
    let loaded = settings(config_dir(args.config.as_deref()).as_deref(), flags([("--data-dir", "dataDir", data_dir)]))?;
    match args.output.output {
        Format::Json => say_json(&loaded.shown),
        form @ (Format::Table | Format::Wide) => {
            let longest = if form == Format::Wide { usize::MAX } else { LONGEST };
            let mut columns = vec![
                Column::new("KEY", |shown: &Shown| shown.path.clone()),
                Column::new("VALUE", move |shown: &Shown| shorten(&shown.value, longest)),
            ];
            if args.origin {
                columns.push(Column::new("FROM", |shown: &Shown| shown.origin.clone()));
            }
            say(&table(&columns, &loaded.shown, false, std::io::stdout().is_terminal()))
        }
    }
}

fn print_schema(args: &SchemaArgs) -> Result<(), Problem> {
    let Some(file) = &args.file else { return say_json(&Value::Object(schemas())) };
    let schema = schema(file).ok_or_else(|| {
        let all = schemas();
        let near = nearest(file, all.keys().map(String::as_str));
        let near = near
            .first()
            .map_or_else(|| "callboard config schema".to_owned(), |near| format!("callboard config schema {near}"));
        Problem::new(super::exit::Exit::NotFound, format!("`{file}` is not a file of settings")).next(near)
    })?;
    say_json(&schema)
}
