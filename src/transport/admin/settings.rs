//! `GET /admin/settings`: each setting that is in force, and where it came from; what `callboard config show --origin`
//! prints, of the hub that runs.
//!
//! No file of settings may hold a secret (`settings::source::secret`); what looks like one all the same, in a variable
//! or a flag, is replaced.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::HubRef;
use crate::domain::principal::Scope;
use crate::domain::text::redact;
use crate::settings::ShownSetting;
use crate::transport::web::{List, Route, Routes};

/// One setting that is in force.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Setting {
    /// Its dotted path, as `leases.ttl`.
    key: String,
    /// Its value, as it is written in YAML.
    value: String,
    /// Where it came from: `defaults`, `hub.yaml:12:9`, a variable, a flag.
    origin: String,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let row = Route::get::<List<Setting>>("/admin/settings", "each setting in force, and where it came from");
    Routes::new().add(row.needs(Scope::Admin), show)
}

async fn show(State(hub): State<HubRef>) -> Json<List<Setting>> {
    let items = hub.settings().shown.iter().map(setting).collect();
    Json(List::whole(items))
}

fn setting(shown: &ShownSetting) -> Setting {
    let ShownSetting { path, value, origin } = shown;
    Setting { key: path.clone(), value: redact(value).into_owned(), origin: origin.clone() }
}
