//! Which files of the operator's folder are read, so that all is read again when one of them changes.

use std::fs;
use std::path::Path;

use super::files::ALL;
use super::on_call::ON_CALL;
use super::system_prompts::SystemPrompts;
use super::unused_files::UPSTREAMS;
use super::workflows::Workflows;

/// The folders below the operator's of which every file may be read.
const FOLDERS: [&str; 2] = [Workflows::FOLDER, SystemPrompts::FOLDER];

/// The files that may be read of the operator's folder, by their paths below it; some may not be there.
pub fn watched(folder: &Path) -> Vec<String> {
    let below = |name: &'static str| {
        let entries = fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.map(move |file| format!("{name}/{file}"))
    };
    let files = ALL.iter().map(|file| file.name).chain([UPSTREAMS, ON_CALL]).map(str::to_owned);
    files.chain(FOLDERS.into_iter().flat_map(below)).collect()
}

#[cfg(test)]
mod tests;
