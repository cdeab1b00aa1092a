//! The description and the router are the same table, and every code is in the description.

use std::collections::BTreeSet;

use axum::body::Body;
use http::Request;
use serde_json::Value;

use super::super::routes;
use super::desk;
use crate::domain::principal::Scope;
use crate::tools;
use crate::transport::web::tests::{Answered, person};

/// The lines `GET /api/v1/tasks` of a description.
fn operations(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().keys().map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    all.collect()
}

#[tokio::test(start_paused = true)]
async fn every_route_is_described_and_every_described_route_answers() {
    let desk = desk().await;
    let document = desk.get("/api/v1/openapi.json").await.body;
    assert_eq!(document["openapi"], "3.1.0");
    let described = operations(&document);
    let mut mounted: BTreeSet<String> =
        routes().rows().iter().map(|row| format!("{} {}", row.method.as_str(), row.path)).collect();
    mounted.remove("POST /api/v1/tools/{name}");
    mounted.extend(tools::table().iter().map(|tool| format!("POST /api/v1/tools/{}", tool.name)));
    mounted.insert("GET /api/v1/openapi.json".to_owned());
    assert_eq!(described, mounted);
    for line in described {
        let (method, path) = line.split_once(' ').unwrap();
        let request = Request::builder().method(method).uri(path.replace("{id}", "abcdefgh"));
        let response = desk.ask(&person(Scope::Admin), request.body(Body::empty()).unwrap()).await;
        if line == "GET /api/v1/events" {
            assert_eq!(response.status(), 200);
            continue;
        }
        let answer = Answered::of(response).await;
        let astray = answer.body["error"].as_str().is_some_and(|error| error.contains("openapi.json"));
        assert!(!astray, "{line}: {}", answer.text);
    }
}

#[tokio::test(start_paused = true)]
async fn references_lead_somewhere_and_codes_are_listed_once() {
    let document = desk().await.get("/api/v1/openapi.json").await.body;
    let mut left = vec![&document];
    let mut references = 0;
    while let Some(value) = left.pop() {
        match value {
            Value::Object(object) => {
                if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                    let found = document.pointer(reference.trim_start_matches('#'));
                    assert!(found.is_some(), "{reference}");
                    references += 1;
                }
                left.extend(object.values());
            }
            Value::Array(items) => left.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    assert!(references > 20, "{references}");
    let codes = document["x-codes"].as_array().unwrap();
    let names: BTreeSet<_> = codes.iter().map(|row| row["code"].as_str().unwrap()).collect();
    assert_eq!(names.len(), codes.len());
    assert!(names.contains("LEASE_LOST") && names.contains("METHOD_NOT_ALLOWED"));
}
