//! `callboard config …`: what is set, where, and what could be.

use super::config_check as check;
use super::output::Format;
use super::output::table::{Column, screen, table};
use super::prelude::*;
use crate::domain::text::nearest;
use crate::settings::{ShownSetting, schema, schemas};

#[derive(Debug, Subcommand)]
pub(super) enum ConfigVerb {
    /// Show every value
    #[command(after_help = "Example:\n  callboard config show --origin --config ./config")]
    Show(ShowArgs),
    Check(check::CheckArgs),
    /// Print the JSON Schema of the files
    #[command(after_help = "Examples:
  callboard config schema
  callboard config schema hub.yaml > hub.schema.json")]
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Where each value came from: defaults, file and line, variable, flag
    #[arg(long)]
    origin: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The file; all of them when none is named
    file: Option<String>,
}

pub(super) fn run(verb: &ConfigVerb, globals: &GlobalArgs) -> Result<(), Problem> {
    match verb {
        ConfigVerb::Show(args) => show(args, globals),
        ConfigVerb::Check(args) => check::run(args, globals),
        ConfigVerb::Schema(args) => print_schema(args),
    }
}

fn show(args: &ShowArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let loaded = globals.settings()?;
    match args.output.output {
        Format::Json => say_json(&loaded.shown),
        Format::Table | Format::Wide => {
            let mut columns = vec![
                Column::new("SETTING", |shown: &ShownSetting| shown.path.clone()),
                Column::new("VALUE", |shown: &ShownSetting| shown.value.clone()),
            ];
            if args.origin {
                columns.push(Column::new("FROM", |shown: &ShownSetting| shown.origin.clone()));
            }
            say(&table(&columns, &loaded.shown, false, screen()))
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
