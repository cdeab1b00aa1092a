//! The layers laid over each other and read: settings that are right as a whole, or every fault.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use serde::de::DeserializeOwned;

use super::check;
use super::clients::Clients;
use super::discord::Permissions;
use super::environment::{FlagValue, lay_environment, lay_flags};
use super::files::{HUB, SettingsFile, Trees};
use super::folder;
use super::hub::HubSettings;
use super::in_force::Settings;
use super::logins::gather_logins;
use super::patterns::PatternsFile;
use super::people::People;
use super::roles::Roles;
use super::schedules::SchedulesFile;
use super::shown::ShownSetting;
use super::source::node::{Kind, Node};
use super::source::read::read;
use super::source_location::{ConfigFault, ConfigFaults, Layer, Origins, SourceLocation};
use super::workflows::Workflows;
use crate::domain::webhook::shown_url;

#[derive(Debug, Clone, Default)]
pub struct LoadRequest {
    pub config_dir: Option<PathBuf>,
    /// The environment; of it `CALLBOARD_*`, `XDG_STATE_HOME` and `HOME` are looked at.
    pub environment: BTreeMap<String, String>,
    /// Flags of the command line that set keys of `hub.yaml`.
    pub flags: Vec<FlagValue>,
}

#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    /// Where each value came from, by its dotted path.
    pub origins: Origins,
    /// Each value with its origin, ordered by path.
    pub shown: Vec<ShownSetting>,
    /// What is not wrong and still worth saying.
    pub warnings: Vec<ConfigFault>,
}

/// Lays the layers over each other and reads the result. Fails with every fault of every layer.
pub fn load(request: &LoadRequest) -> Result<Loaded, ConfigFaults> {
    let (mut faults, mut warnings) = (Vec::new(), Vec::new());
    let defaults = Trees::defaults()?;
    let mut trees = defaults.clone();
    if let Some(dir) = &request.config_dir {
        folder::lay(dir, &mut trees, &mut faults, &mut warnings);
    }
    lay_environment(&request.environment, &mut trees.hub, &mut warnings);
    lay_flags(&request.flags, &mut trees.hub, &mut faults);
    trees.drop_nulls();
    settle_data_dir(&mut trees.hub, &request.environment);

    // Read from a copy: reading mends, and what is shown and named is what was written.
    let mut mended = trees.clone();
    let hub = read_file::<HubSettings>(&mut mended.hub, &defaults.hub, &mut faults);
    let roles = read_file::<Roles>(&mut mended.agents, &defaults.agents, &mut faults);
    let permissions = read_file::<Permissions>(&mut mended.permissions, &defaults.permissions, &mut faults);
    if let Some(hub) = &hub {
        gather_logins(&mut mended.people, |name| hub.webhooks.inbound.contains_key(name));
    }
    let people = read_file::<People>(&mut mended.people, &defaults.people, &mut faults);
    let clients = read_file::<Clients>(&mut mended.clients, &defaults.clients, &mut faults);
    let patterns = read_file::<PatternsFile>(&mut mended.patterns, &defaults.patterns, &mut faults);
    let schedules = read_file::<SchedulesFile>(&mut mended.schedules, &defaults.schedules, &mut faults);
    let schedules = schedules.map(|file| Arc::new(file.checked(&mut faults)));
    let workflows = Arc::new(Workflows::read(request.config_dir.as_deref(), &mut faults));
    let (Some(hub), Some(roles), Some(permissions), Some(people)) = (hub, roles, permissions, people) else {
        return Err(unreadable(faults));
    };
    let (Some(Clients { clients }), Some(patterns), Some(schedules)) = (clients, patterns, schedules) else {
        return Err(unreadable(faults));
    };
    check::check_patterns(&patterns, &trees.patterns, &mut faults);
    let patterns = Arc::new(patterns.patterns());
    let (shown, fault) = (Arc::default(), None);
    let mut settings =
        Settings { hub, roles, clients, permissions, people, patterns, schedules, workflows, shown, fault };
    check::check(&settings, &trees, &mut faults, &mut warnings);
    ConfigFaults::unless_empty(faults)?;

    settings.roles.settle();
    let roster = settings.roster([]);
    settings.people.settle(&roster);
    settings.permissions.settle(&roster);
    warnings.sort();
    let (origins, shown) = show(&mut trees);
    settings.shown = shown.as_slice().into();
    Ok(Loaded { settings, origins, shown, warnings })
}

fn unreadable(faults: Vec<ConfigFault>) -> ConfigFaults {
    let whole = || SourceLocation::whole(Layer::Defaults, HUB.name).fault("cannot be read").into();
    ConfigFaults::unless_empty(faults).err().unwrap_or_else(whole)
}

impl Settings {
    /// The settings that are compiled in, as with no folder, no variable and no flag.
    ///
    /// # Panics
    /// When the files of `config/` are wrong, which a test rules out.
    #[expect(clippy::expect_used, reason = "the defaults are compiled in, and a test reads them")]
    pub fn defaults() -> Self {
        static DEFAULTS: LazyLock<Settings> =
            LazyLock::new(|| load(&LoadRequest::default()).expect("the compiled-in settings are right").settings);
        DEFAULTS.clone()
    }
}

fn read_file<T: DeserializeOwned>(tree: &mut Node, defaults: &Node, faults: &mut Vec<ConfigFault>) -> Option<T> {
    read(tree, Some(defaults), faults)
}

/// Names the data folder when nobody did: `callboard` in the XDG state folder. Where there is no home it stays empty,
/// and whoever needs one refuses: a folder of tokens belongs nowhere by chance.
fn settle_data_dir(hub: &mut Node, environment: &BTreeMap<String, String>) {
    let Some(node) = hub.at_mut(&["dataDir"]) else { return };
    if node.kind != Kind::Null {
        return;
    }
    let absolute = |name: &str| environment.get(name).filter(|path| path.starts_with('/'));
    let folder = match (absolute("XDG_STATE_HOME"), absolute("HOME")) {
        (Some(state), _) => format!("{}/callboard", state.trim_end_matches('/')),
        (None, Some(home)) => format!("{}/.local/state/callboard", home.trim_end_matches('/')),
        (None, None) => String::new(),
    };
    node.kind = Kind::Text(folder);
}

fn show(trees: &mut Trees) -> (Origins, Vec<ShownSetting>) {
    let mut leaves = Vec::new();
    for (file, tree) in trees.each() {
        let SettingsFile { prefix, .. } = file;
        tree.leaves(prefix, &mut leaves);
    }
    leaves.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    let shown = leaves
        .iter()
        .map(|(path, value, place)| {
            // A subscriber's address may hold a secret of theirs.
            let is_address = path.starts_with("webhooks.out.") && path.ends_with(".url");
            let value = if is_address { shown_url(value) } else { value.clone() };
            ShownSetting { path: path.clone(), value, origin: place.to_string() }
        })
        .collect();
    (leaves.into_iter().map(|(path, _, place)| (path, place)).collect(), shown)
}
