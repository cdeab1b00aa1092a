//! The API description, `OpenAPI` 3.1: generated from the table of routes, the types and the codes.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::error::ErrorBody;
use super::routes::{Answer, Body, MakeSchema, Method, Route};
use crate::domain::principal::Scope;
use crate::domain::refusal::{self, Audience};
use crate::tools::{ToolEntry, find, table};

const TOOL: &str = "/api/v1/tools/{name}";

pub(super) fn document(rows: &[Route]) -> Value {
    let mut schemas = Schemas::new();
    let error = schemas.of(|generator| generator.subschema_for::<ErrorBody>());
    let mut paths: Map<String, Value> = Map::new();
    for row in rows {
        if row.path == TOOL {
            for tool in table() {
                let operation = operation_of_tool(tool);
                put(&mut paths, &TOOL.replace("{name}", tool.name), row.method, operation);
            }
        } else {
            let operation = operation(row, &mut schemas);
            put(&mut paths, row.path, row.method, operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "callboard", "version": env!("CARGO_PKG_VERSION")},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Error": {
                "description": "why not",
                "content": {"application/json": {"schema": error}},
            }},
            "schemas": schemas.made(),
        },
        "x-codes": codes(),
    })
}

fn codes() -> Value {
    let rows = refusal::codes().iter().map(|row| {
        let advice = row.advice(Audience::Model).or(row.advice(Audience::Http));
        json!({"code": row.code, "status": row.status, "meaning": row.meaning, "advice": advice})
    });
    Value::Array(rows.collect())
}

fn put(paths: &mut Map<String, Value>, path: &str, method: Method, operation: Value) {
    let item = paths.entry(path.replace("{*", "{")).or_insert_with(|| json!({}));
    item[method.as_str().to_lowercase()] = operation;
}

fn operation(row: &Route, schemas: &mut Schemas) -> Value {
    let mut operation =
        json!({"summary": row.summary, "responses": {"default": {"$ref": "#/components/responses/Error"}}});
    match row.scope {
        Some(scope) => operation["x-scope"] = Value::String(scope.to_string()),
        None => operation["security"] = json!([]),
    }
    let parameters = parameters(row, schemas);
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    match row.body {
        Body::None => {}
        Body::Bytes => {
            operation["requestBody"] = json!({"content": {"application/octet-stream": {}}});
        }
        Body::Json(make) => {
            operation["requestBody"] = json!({"content": {"application/json": {"schema": schemas.of(make)}}});
        }
    }
    let (status, answer) = match row.answer {
        Answer::Json(status, make) => {
            let content = json!({"application/json": {"schema": schemas.of(make)}});
            (status, json!({"description": "done", "content": content}))
        }
        Answer::Text(kind) => (200, json!({"description": "done", "content": {kind: {"schema": {"type": "string"}}}})),
        Answer::Nothing => (204, json!({"description": "done"})),
    };
    operation["responses"][status.to_string()] = answer;
    if let Some(tool) = row.tool.and_then(find) {
        operation["requestBody"] = of_schema(&tool.input_schema);
        operation["responses"][status.to_string()]["content"] = of_schema(&tool.output_schema)["content"].clone();
    }
    operation
}

fn of_schema(schema: &Value) -> Value {
    json!({"content": {"application/json": {"schema": schema}}})
}

fn operation_of_tool(tool: &ToolEntry) -> Value {
    json!({
        "summary": tool.title,
        "description": tool.description,
        "x-scope": Scope::Agent.to_string(),
        "requestBody": {"content": {"application/json": {"schema": tool.input_schema}}},
        "responses": {
            "200": {"description": "done", "content": {"application/json": {"schema": tool.output_schema}}},
            "default": {"$ref": "#/components/responses/Error"},
        },
    })
}

/// The variable segments of the path, the fields of the query, and the key of a mutation.
fn parameters(row: &Route, schemas: &mut Schemas) -> Vec<Value> {
    let segments = row.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut all: Vec<Value> = segments
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    if let Some(make) = row.query {
        let query = schemas.inline(make);
        for (name, schema) in query.get("properties").and_then(Value::as_object).into_iter().flatten() {
            all.push(json!({"name": name, "in": "query", "required": false, "schema": schema}));
        }
    }
    if row.method.changes() && !row.has_its_own_id {
        all.push(json!({"name": "Idempotency-Key", "in": "header", "required": false, "schema": {"type": "string"}}));
    }
    all
}

struct Schemas(SchemaGenerator);

impl Schemas {
    fn new() -> Self {
        let settings = SchemaSettings::draft2020_12();
        Self(settings.with(|settings| settings.definitions_path = "/components/schemas".into()).into_generator())
    }

    fn of(&mut self, make: MakeSchema) -> Value {
        make(&mut self.0).to_value()
    }

    /// The schema itself instead of a reference to it.
    fn inline(&self, make: MakeSchema) -> Value {
        let settings = self.0.settings().clone();
        make(&mut settings.with(|settings| settings.inline_subschemas = true).into_generator()).to_value()
    }

    fn made(mut self) -> Value {
        Value::Object(self.0.take_definitions(true))
    }
}
