//! The one table of routes: each row is mounted with its handler and held to its scope, and described as it is mounted.

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, on};
use axum::{Json, Router};
use http::header;
use serde_json::Value;

use super::error::{ApiError, ApiResult};
use super::extract::{JsonBody, Segment};
use super::fallback::{no_such_method, no_such_route};
use super::openapi;
use super::routes::Route;
use super::told::told;
use crate::actors::HubRef;
use crate::domain::principal::{Principal, Scope};
use crate::tools::people::{PersonCall, PersonVerb};

/// Where the API describes itself.
pub(super) const DESCRIPTION: Route = Route::get::<Value>("/api/v1/openapi.json", "this description, as OpenAPI 3.1");

#[derive(Debug, Default)]
pub struct Routes {
    rows: Vec<Route>,
    router: Router<HubRef>,
}

impl Routes {
    pub fn new() -> Self {
        Self::default()
    }

    /// With this one, which only who has the row's scope passes.
    #[must_use]
    pub fn add<T: 'static>(mut self, route: Route, handler: impl Handler<T, HubRef>) -> Self {
        let mut mounted = on(route.method.filter(), handler);
        if let Some(scope) = route.scope {
            mounted = mounted.route_layer(from_fn_with_state(scope, held_to));
        }
        self.router = self.router.route(route.path, mounted);
        self.rows.push(route);
        self
    }

    /// With a verb of people: the path's `{id}` is its subject, and the body its request.
    #[must_use]
    pub fn verb<V: PersonVerb>(self, path: &'static str, summary: &'static str) -> Self {
        self.add(Route::post::<V, V::Reply>(path, summary).needs(V::SCOPE), run::<V>)
    }

    /// The same with a route of another method than `POST`, whose body is the verb's request.
    #[must_use]
    pub fn verb_at<V: PersonVerb>(self, route: Route) -> Self {
        self.add(route.needs(V::SCOPE), run::<V>)
    }

    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.rows.extend(others.rows);
        self.router = self.router.merge(others.router);
        self
    }

    pub fn rows(&self) -> &[Route] {
        &self.rows
    }

    /// The whole: the routes, their description, and JSON for everything else below `/api` and `/admin`.
    pub fn finish(mut self, hub: HubRef) -> Router {
        self.rows.push(DESCRIPTION);
        let description = openapi::document(&self.rows).to_string();
        let describe = get(move || {
            let text = description.clone();
            async move { ([(header::CONTENT_TYPE, "application/json")], text) }
        });
        let describe = describe.route_layer(from_fn_with_state(Scope::View, held_to));
        let mut router = self.router.route(DESCRIPTION.path, describe).method_not_allowed_fallback(no_such_method);
        for prefix in ["/api", "/admin"] {
            router = router.route(prefix, any(no_such_route));
            router = router.route(&format!("{prefix}/"), any(no_such_route));
            router = router.route(&format!("{prefix}/{{*rest}}"), any(no_such_route));
        }
        router.fallback(no_such_route).layer(from_fn(told)).with_state(hub)
    }
}

async fn run<V: PersonVerb>(
    call: PersonCall,
    Segment(subject): Segment,
    JsonBody(request): JsonBody<V>,
) -> ApiResult<Json<V::Reply>> {
    Ok(Json(call.run(&subject, &request).await?))
}

/// Passes only who has the scope. A tool authorizes by itself: [`Scope::Agent`] there means any credential.
async fn held_to(State(needs): State<Scope>, request: Request, next: Next) -> Response {
    match request.extensions().get::<Principal>() {
        Some(principal) if needs == Scope::Agent || principal.may(needs) => next.run(request).await,
        Some(_) => ApiError::scope(needs).into_response(),
        None => ApiError::new("UNAUTHENTICATED", "a credential is needed").into_response(),
    }
}
