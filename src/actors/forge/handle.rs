//! The forge as the hub holds it: which adapter the settings ask for, and what is known of requests under way.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::sync::watch;

use super::carrier::{Carrier, HttpCarrier};
use super::clocks::ForgeClocks;
use super::error::{ForgeError, ForgeResult};
use super::forgejo::Forgejo;
use super::git::{Git, Mirrors};
use super::github::{GitHub, github_client};
use super::port::Port;
use crate::clock::Clock;
use crate::domain::ids::PullId;
use crate::settings::{ForgeKind, ForgeSettings, secret};

/// The variable that holds its token, where no file does.
const VARIABLE: &str = "CALLBOARD_FORGE_TOKEN";

/// The forge. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Forge {
    token: Option<SecretString>,
    carrier: Arc<dyn Carrier>,
    /// The hub's own copies of repositories on its disk.
    mirrors: Arc<Mirrors>,
    /// What went wrong lately with those that the forge is still being asked for. Every change wakes who waits.
    troubles: Arc<watch::Sender<BTreeMap<PullId, String>>>,
    clocks: ForgeClocks,
}

impl Default for Forge {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Forge {
    /// With this token, unless the settings name a file.
    pub fn new(token: Option<SecretString>) -> Self {
        Self::carried_by(token, Arc::new(HttpCarrier::default()))
    }

    /// The same over another carrier, as tests build it.
    pub fn carried_by(token: Option<SecretString>, carrier: Arc<dyn Carrier>) -> Self {
        let (mirrors, troubles) = (Arc::new(Mirrors::new(None)), Arc::new(watch::Sender::new(BTreeMap::new())));
        Self { token, carrier, mirrors, troubles, clocks: ForgeClocks::default() }
    }

    /// The same with a data directory, which plain git needs for more than a look at what there is.
    #[must_use]
    pub fn keeping(self, data_dir: &Path) -> Self {
        Self { mirrors: Arc::new(Mirrors::new(Some(data_dir.to_owned()))), ..self }
    }

    /// The adapter that the settings ask for, with the token of now; plain git needs none. Fails without one of them.
    pub fn adapter(&self, settings: &ForgeSettings, clock: Clock) -> ForgeResult<Box<dyn Port>> {
        let base = settings.base_url.as_deref();
        let (carrier, clocks) = (Arc::clone(&self.carrier), self.clocks.clone());
        Ok(match settings.kind {
            ForgeKind::Github => {
                Box::new(GitHub::new(github_client(base, &self.token(settings)?, carrier, clocks, clock)?))
            }
            ForgeKind::Forgejo => Box::new(Forgejo::new(base, &self.token(settings)?, carrier, clocks, clock)?),
            ForgeKind::Git => Box::new(Git::new(settings.repositories.clone(), Arc::clone(&self.mirrors), clock)),
        })
    }

    /// How far the clocks of forges are from the hub's; the tracker's answers tell it, too.
    pub const fn clocks(&self) -> &ForgeClocks {
        &self.clocks
    }

    fn token(&self, settings: &ForgeSettings) -> ForgeResult<SecretString> {
        let Some(path) = &settings.token_file else {
            return self.token.clone().ok_or_else(|| {
                ForgeError::Off(format!("the hub has no token for the forge: set forge.tokenFile or {VARIABLE}"))
            });
        };
        let named = BTreeMap::from([(format!("{VARIABLE}_FILE"), path.display().to_string())]);
        let read = secret(&named, VARIABLE).map_err(|fault| ForgeError::Off(fault.to_string()))?;
        read.ok_or_else(|| ForgeError::Off("forge.tokenFile names no file".to_owned()))
    }

    /// Wakes whenever something came of a request.
    pub fn news(&self) -> watch::Receiver<BTreeMap<PullId, String>> {
        self.troubles.subscribe()
    }

    /// What went wrong with the last attempt at this one; none when it came to its end.
    pub(super) fn tells(&self, id: &PullId, trouble: Option<String>) {
        self.troubles.send_modify(|troubles| match trouble {
            Some(trouble) => drop(troubles.insert(id.clone(), trouble)),
            None => drop(troubles.remove(id)),
        });
    }
}
