//! Arguments of a workflow as they are typed.

use std::collections::BTreeMap;

use clap::Args;

/// `--arg service=api`, as often as there are arguments.
#[derive(Debug, Args)]
pub(super) struct Given {
    /// An argument of the workflow; may be given several times
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    arguments: Vec<(String, String)>,
}

impl Given {
    /// By their names. Of one that was given twice the last counts.
    pub(super) fn by_name(&self) -> BTreeMap<String, String> {
        self.arguments.iter().cloned().collect()
    }
}

/// `service=api`.
fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("an argument is given as `NAME=VALUE`")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}
