//! `/api/v1/ids`: the whole id of what a person names by how its id begins.

use super::prelude::*;
use crate::tools::people::{IdUse, NamedKind, whole_id};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct IdParams {
    kind: NamedKind,
    /// The id, or how it begins.
    begins: String,
    /// What it is wanted for: to look at it when left out, or to change it, for which at least four characters have to
    /// be given beyond the mark of the kind, as `s_`.
    #[serde(default, rename = "for")]
    wanted_for: IdUse,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct WholeId {
    id: String,
}

pub(super) fn routes() -> Routes {
    let one = Route::get::<WholeId>(
        "/api/v1/ids",
        "the one id that begins so; 409 ID_AMBIGUOUS with up to five `candidates` in `details` where several do",
    );
    Routes::new().add(one.query::<IdParams>(), find)
}

async fn find(State(hub): State<HubRef>, Params(params): Params<IdParams>) -> ApiResult<Json<WholeId>> {
    let id = whole_id(&hub, params.kind, &params.begins, params.wanted_for).await?;
    Ok(Json(WholeId { id }))
}
