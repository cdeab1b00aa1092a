//! `callboard man`: the manual page, of all commands.

use clap::{Args, Command};

use super::output::say;
use super::problem::Problem;

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard man | man -l -
  callboard man > /usr/local/share/man/man1/callboard.1")]
pub(super) struct ManArgs {}

pub(super) fn run(_: &ManArgs, mut command: Command) -> Result<(), Problem> {
    command.build();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    // Not its list of commands: that names a page for each, and there is this one alone.
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    render_below(&command, &mut page)?;
    say(&String::from_utf8_lossy(&page))
}

fn render_below(command: &Command, page: &mut Vec<u8>) -> Result<(), Problem> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        let name = below.get_bin_name().unwrap_or_else(|| below.get_name()).to_uppercase();
        page.extend_from_slice(format!(".SH \"{name}\"\n").as_bytes());
        let man = clap_mangen::Man::new(below.clone());
        man.render_description_section(page)?;
        man.render_synopsis_section(page)?;
        man.render_options_section(page)?;
        man.render_extra_section(page)?;
        render_below(below, page)?;
    }
    Ok(())
}
