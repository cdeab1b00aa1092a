//! The settings that are in force, all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clients::ClientConfig;
use super::discord::Permissions;
use super::hub::HubSettings;
use super::people::People;
use super::roles::Roles;
use super::schedules::Schedules;
use super::shown::ShownSetting;
use super::workflows::Workflows;
use crate::domain::prompt::Patterns;

/// Everything that can be set. Shared as `Arc<Settings>` through a watch channel; a reload replaces it whole.
#[derive(Debug, Clone)]
pub struct Settings {
    pub hub: HubSettings,
    pub roles: Roles,
    /// `clients.yaml`: by the beginning of the client's declared name, lower case.
    pub clients: BTreeMap<String, ClientConfig>,
    pub permissions: Permissions,
    pub people: People,
    pub patterns: Arc<Patterns>,
    /// `schedules.yaml`: by name, and whether each is paused.
    pub schedules: Arc<Schedules>,
    pub workflows: Arc<Workflows>,
    /// Each value of these files with its origin, ordered by path.
    pub shown: Arc<[ShownSetting]>,
    /// Why newer files could not be read; none while these settings are the newest.
    pub fault: Option<String>,
}
