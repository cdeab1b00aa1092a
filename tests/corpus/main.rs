//! The tool for the recordings in this folder: `just corpus show|add|extract`.

#![expect(clippy::print_stdout, reason = "a tool of the command line")]

mod recordings;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use clap::Parser;

use recordings::{Group, Recording, all_groups, as_text, read_folders, write_folder};

/// Shows, adds and extracts recordings of programs.
#[derive(Parser)]
enum Command {
    /// Prints the screens of recordings as text, with their labels; without a name, how many each group has
    Show {
        /// A part of GROUP/PROGRAM/NAME, in whole words: `agents`, `vim`, `vim/normal`
        name: Option<String>,
    },
    /// Packs the recordings in and below folders into a group; one of the same program and name is replaced
    Add {
        /// The group, which is made if there is none of that name
        group: String,
        /// Folders as the recorder writes them: PROGRAM/NAME/case.json with output.raw
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Writes the recordings of a group as folders again
    Extract {
        /// The group of recordings
        group: String,
        /// Where the folders PROGRAM/NAME go
        folder: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    let groups = all_groups()?;
    match Command::parse() {
        Command::Show { name: None } => counts(&groups),
        Command::Show { name: Some(name) } => show(&groups, &name)?,
        Command::Add { group, folders } => add(groups, group, &folders)?,
        Command::Extract { group, folder } => {
            let Some(group) = groups.iter().find(|it| it.name == group) else { bail!("there is no group `{group}`") };
            group.recordings.iter().try_for_each(|recording| write_folder(recording, &folder))?;
            println!("{} recordings in {}", group.recordings.len(), folder.display());
        }
    }
    Ok(())
}

fn counts(groups: &[Group]) {
    for Group { name, recordings } in groups {
        let moments: usize = recordings.iter().map(|it| it.moments.len()).sum();
        println!("{name:<12} {:>4} recordings, {moments:>5} moments", recordings.len());
    }
}

fn show(groups: &[Group], name: &str) -> anyhow::Result<()> {
    let wanted = format!("/{name}/");
    let all = groups.iter().flat_map(|group| group.recordings.iter().map(|it| (group.name.as_str(), it)));
    let found = all.filter(|(group, it)| format!("/{group}/{}/", it.path()).contains(&wanted));
    let texts: Vec<String> = found.map(|(group, it)| as_text(group, it)).collect();
    ensure!(!texts.is_empty(), "no recording is called `{name}`");
    print!("{}", texts.join("\n"));
    Ok(())
}

fn add(groups: Vec<Group>, name: String, folders: &[PathBuf]) -> anyhow::Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    ensure!(name.chars().all(plain), "the name of a group is of a-z, 0-9 and `-`");
    let mut new = Vec::new();
    for folder in folders {
        new.extend(read_folders(folder)?);
    }
    let (own, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.name == name);
    for group in &others {
        let program = new.iter().find(|it| group.recordings.iter().any(|other| other.program == it.program));
        if let Some(Recording { program, .. }) = program {
            bail!("`{program}` is in the group `{}`: a program is in one group", group.name);
        }
    }
    let mut group = own.into_iter().next().unwrap_or(Group { name, recordings: Vec::new() });
    let many = new.len();
    let replaced = group.take(new);
    for (file, content) in Group::files(&group.name).iter().zip(group.contents()?) {
        fs::write(file, content).with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    println!("{} recordings in `{}`: {} new, {replaced} replaced", group.recordings.len(), group.name, many - replaced);
    Ok(())
}
