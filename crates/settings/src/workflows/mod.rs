//! The workflows of `workflows/*.yaml`: read strictly, checked, each fault with file, line and column.
//!
//! Those of `config/workflows/` are compiled in. A file of the same name in the operator's folder goes before one of
//! them, and a new name is a new workflow. A workflow's name is unique over all files.

mod definition;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use definition::Definition;

use super::folder::missing;
use super::source::node::Node;
use super::source::parse::parse;
use super::source::read::read;
use super::source::secret;
use super::source_location::{ConfigFault, ConfigFaults, Layer, SourceLocation};
use super::text_file::read_each;
use crate::domain::workflow::{Plan, check};

pub(super) use definition::Definition as WorkflowFile;

const FOLDER: &str = Workflows::FOLDER;

const COMPILED_IN: [(&str, &str); 3] = [
    ("delegate-and-review.yaml", include_str!("../../../../config/workflows/delegate-and-review.yaml")),
    ("release.yaml", include_str!("../../../../config/workflows/release.yaml")),
    ("triage.yaml", include_str!("../../../../config/workflows/triage.yaml")),
];

#[derive(Debug, Clone, Default)]
pub struct Workflows {
    by_name: BTreeMap<String, Workflow>,
}

#[derive(Debug, Clone)]
pub struct Workflow {
    pub plan: Plan,
    /// Where its name stands: the file, with its layer.
    pub place: SourceLocation,
    tree: Node,
}

struct Source {
    layer: Layer,
    text: String,
}

impl Workflows {
    /// The folder of the operator's own, below the folder of the settings.
    pub const FOLDER: &str = "workflows";

    /// Reads the workflows that are compiled in and lays those of `config_dir` over them. Fails with every fault of
    /// every definition, or when there is no such folder.
    pub fn load(config_dir: Option<&Path>) -> Result<Self, ConfigFaults> {
        let (workflows, faults) = Self::right(config_dir);
        ConfigFaults::unless_empty(faults)?;
        Ok(workflows)
    }

    /// Those that are right, and every fault of the others.
    pub fn right(config_dir: Option<&Path>) -> (Self, Vec<ConfigFault>) {
        let mut faults: Vec<_> = config_dir.and_then(missing).into_iter().collect();
        let workflows = Self::read(config_dir, &mut faults);
        (workflows, faults)
    }

    /// As `load`: the faults are added to `faults`, and what is right is in the result.
    pub(super) fn read(config_dir: Option<&Path>, faults: &mut Vec<ConfigFault>) -> Self {
        let compiled_in = COMPILED_IN.iter().map(|(name, text)| ((*name).to_owned(), Source::compiled_in(text)));
        let mut sources: BTreeMap<String, Source> = compiled_in.collect();
        if let Some(dir) = config_dir {
            read_folder(&dir.join(FOLDER), &mut sources, faults);
        }
        let mut workflows = Self::default();
        // The shipped ones first: where two have one name, the operator's file is the one to be changed.
        let mut sources: Vec<_> = sources.into_iter().collect();
        sources.sort_by_key(|(_, source)| source.layer);
        for (file, source) in &sources {
            let Some((plan, tree)) = plan(file, source, faults) else { continue };
            let place = tree.place_of(&["name"]);
            match workflows.by_name.get(&plan.name) {
                Some(first) => {
                    let at = &first.place.name;
                    faults.push(place.fault(format!("`{at}` has a workflow called `{}` already", plan.name)));
                }
                None => drop(workflows.by_name.insert(plan.name.clone(), Workflow { plan, place, tree })),
            }
        }
        workflows
    }

    /// These plans, as if a file had each.
    #[cfg(any(test, feature = "samples"))]
    pub fn of(plans: impl IntoIterator<Item = Plan>) -> Self {
        let workflow = |plan: Plan| {
            let text = format!("name: {}\n", plan.name);
            let tree = parse(Layer::File, &plan.name, &text, &mut Vec::new()).ok()?;
            Some((plan.name.clone(), Workflow { plan, place: tree.place_of(&["name"]), tree }))
        };
        Self { by_name: plans.into_iter().filter_map(workflow).collect() }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Workflow> {
        self.by_name.values()
    }

    pub fn find(&self, name: &str) -> Option<&Workflow> {
        self.by_name.get(name)
    }
}

impl Workflow {
    /// Where a value of the definition stands, by its keys and list indexes; the deepest of its parents that exists.
    pub fn place_of(&self, path: &[&str]) -> SourceLocation {
        self.tree.place_of(path)
    }
}

impl Source {
    fn compiled_in(text: &str) -> Self {
        Self { layer: Layer::Defaults, text: text.to_owned() }
    }
}

/// A definition as a plan; `None` when something is wrong with it.
fn plan(file: &str, source: &Source, faults: &mut Vec<ConfigFault>) -> Option<(Plan, Node)> {
    let before = faults.len();
    let tree = parse(source.layer, &format!("{FOLDER}/{file}"), &source.text, faults);
    let mut tree = tree.map_err(|fault| faults.push(fault)).ok()?;
    secret::refuse(&mut tree, faults);
    // Reading mends by taking away, which moves what follows: places are looked up in what was written.
    let definition: Option<Definition> = read(&mut tree.clone(), None, faults);
    if faults.len() > before {
        return None;
    }
    let found = match definition?.plan() {
        Ok(plan) => match check(&plan) {
            found if found.is_empty() => return Some((plan, tree)),
            found => found,
        },
        Err(found) => found,
    };
    faults.extend(found.into_iter().map(|fault| tree.place_of(&fault.path).fault(said(&fault.path, &fault.message))));
    None
}

/// The message, with the path where the message alone does not say which step is meant.
fn said(path: &[String], message: &str) -> String {
    if path.len() > 1 { format!("`{}`: {message}", path.join(".")) } else { message.to_owned() }
}

/// Adds the `.yaml` files of a folder; a folder that is not there adds nothing.
fn read_folder(folder: &Path, sources: &mut BTreeMap<String, Source>, faults: &mut Vec<ConfigFault>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => {
            let place = SourceLocation::whole(Layer::File, FOLDER);
            return faults.push(place.fault(format!("must be a folder of `.yaml` files that can be read: {error}")));
        }
    };
    read_each((folder, FOLDER), entries, &[".yaml", ".yml"], faults, |name, text| {
        sources.insert(name, Source { layer: Layer::File, text });
    });
}
