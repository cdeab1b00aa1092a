//! A form for the arguments that a workflow needs and that were not given: for clients of 2026-07-28 that show forms.
//!
//! The client sends the same request once more, with what its user filled in: nothing is kept between the two (no
//! `requestState`). Whoever fills nothing in gets the conversation, in which words stand for what is missing.

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ErrorData,
    InputRequest, InputRequiredResult, InputResponses, IntegerSchema, JsonObject, NumberSchema,
    PrimitiveSchemaDefinition, StringSchema,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::result;
use crate::domain::workflow::{Parameter, ParameterKind, Plan};

/// The name of the form among what a client is asked for.
const ARGUMENTS: &str = "arguments";

/// The form for what is missing; none where nothing is, or where the client shows no forms.
pub(super) fn for_missing(
    plan: &Plan,
    given: &BTreeMap<String, String>,
    context: &RequestContext<RoleServer>,
) -> Option<InputRequiredResult> {
    let is_given = |name: &str| given.get(name).is_some_and(|text| !text.is_empty());
    let missing: Vec<&Parameter> =
        plan.parameters.iter().filter(|parameter| parameter.required && !is_given(&parameter.name)).collect();
    if missing.is_empty() || result::is_legacy(context) || !shows_forms(context) {
        return None;
    }
    let names: Vec<String> = missing.iter().map(|parameter| parameter.name.clone()).collect();
    let message = format!("The workflow `{}` needs {} before it begins.", plan.name, names.join(", "));
    let fields = missing.into_iter().map(|parameter| (parameter.name.clone(), field(parameter)));
    let mut requested_schema = ElicitationSchema::new(fields.collect()).with_required(names.clone());
    requested_schema.property_order = Some(names);
    let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let asked = InputRequest::Elicitation(ElicitRequest::new(form));
    let required = InputRequiredResult::from_input_requests([(ARGUMENTS.to_owned(), asked)].into());
    Some(match result::meta(context) {
        Some(meta) => required.with_meta(meta),
        None => required,
    })
}

/// What the user filled in; none where this client was not asked. Fails when the answer is no answer to a form.
pub(super) fn filled_in(answers: Option<&InputResponses>) -> Result<Option<JsonObject>, ErrorData> {
    let Some(answer) = answers.and_then(|answers| answers.get(ARGUMENTS)) else { return Ok(None) };
    let answer: ElicitResult = serde_json::from_value(answer.clone()).map_err(|error| {
        let data = json!({"code": "INVALID_ARGUMENTS", "prompt": "Answer the form, or ask for the prompt again."});
        ErrorData::invalid_params(format!("`inputResponses.{ARGUMENTS}` is no answer to a form: {error}"), Some(data))
    })?;
    Ok(Some(match (answer.action, answer.content) {
        (ElicitationAction::Accept, Some(Value::Object(fields))) => fields,
        (ElicitationAction::Accept | ElicitationAction::Decline | ElicitationAction::Cancel | _, _) => {
            JsonObject::new()
        }
    }))
}

/// Before there were other kinds, forms were all that a client could declare.
fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    let able = context.meta.client_capabilities().and_then(|able| able.elicitation);
    able.is_some_and(|able| able.form.is_some() || able.url.is_none())
}

fn field(parameter: &Parameter) -> PrimitiveSchemaDefinition {
    let (title, told) = (parameter.name.clone(), parameter.description.clone().unwrap_or_default());
    match parameter.kind {
        ParameterKind::String => {
            let mut schema = StringSchema::new().title(title).description(told);
            schema.min_length = Some(1);
            PrimitiveSchemaDefinition::String(schema)
        }
        ParameterKind::Number => PrimitiveSchemaDefinition::Number(NumberSchema::new().title(title).description(told)),
        ParameterKind::Integer => {
            PrimitiveSchemaDefinition::Integer(IntegerSchema::new().title(title).description(told))
        }
        ParameterKind::Boolean => {
            PrimitiveSchemaDefinition::Boolean(BooleanSchema::new().title(title).description(told))
        }
    }
}
