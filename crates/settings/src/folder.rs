//! The operator's folder: its files laid over the defaults.

use std::fs;
use std::path::Path;

use super::files::{ALL, OTHERS, Trees};
use super::source::parse::parse;
use super::source::secret;
use super::source_location::{ConfigFault, Layer, SourceLocation};
use super::text_file::read_text;
use super::unused_files;
use crate::domain::text::nearest;

/// Lays every settings file of the folder over `trees`. A file that is not there changes nothing.
pub(super) fn lay(folder: &Path, trees: &mut Trees, faults: &mut Vec<ConfigFault>, warnings: &mut Vec<ConfigFault>) {
    if let Some(fault) = missing(folder) {
        faults.push(fault);
        return;
    }
    warnings.extend(strangers(folder));
    unused_files::check(folder, faults, warnings);
    for (file, tree) in trees.each() {
        let whole = SourceLocation::whole(Layer::File, file.name);
        let text = match read_text(&folder.join(file.name)) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                faults.push(whole.fault(format!("failed to read it: {error}")));
                continue;
            }
        };
        match parse(Layer::File, file.name, &text, faults) {
            Ok(mut over) => {
                secret::refuse(&mut over, faults);
                tree.lay(over);
            }
            Err(fault) => faults.push(fault),
        }
    }
}

pub(super) fn missing(folder: &Path) -> Option<ConfigFault> {
    let place = SourceLocation::whole(Layer::File, &folder.display().to_string());
    let fault = || place.fault("no such folder; give `--config` a folder that holds `hub.yaml` and the like");
    (!folder.is_dir()).then(fault)
}

/// Files that nothing reads, most of them misspelt.
fn strangers(folder: &Path) -> Vec<ConfigFault> {
    let known = || ALL.iter().map(|file| file.name).chain(OTHERS);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| name.ends_with(".yaml") || name.ends_with(".yml"))
        .filter(|name| !known().any(|known| known == name))
        .map(|name| {
            let hint = match nearest(&name, known()).first() {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            SourceLocation::whole(Layer::File, &name).fault(format!("nothing reads this file{hint}"))
        })
        .collect()
}
