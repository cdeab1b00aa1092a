//! Plans that are refused, arguments as far as they are known, and the words for a model.

use std::collections::{BTreeMap, BTreeSet};

use rstest::rstest;
use serde_json::{Map, Value, json};

use super::*;

fn parameter(name: &str, required: bool, kind: ParameterKind) -> Parameter {
    Parameter { name: name.to_owned(), description: None, required, kind }
}

fn step(name: &str, tool: &str, arguments: &[(&str, Source)], binding: Option<&str>) -> Step {
    let arguments = arguments.iter().map(|(key, source)| ((*key).to_owned(), source.clone())).collect();
    Step {
        name: name.to_owned(),
        action: Action::Tool { name: tool.to_owned(), arguments },
        binding: binding.map(ToOwned::to_owned),
        guidance: None,
        retryable: false,
        when: None,
    }
}

fn arg(name: &str) -> Source {
    Source::Argument(name.to_owned())
}

fn output(binding: &str, field: Option<&str>) -> Source {
    Source::Output { binding: binding.to_owned(), field: field.map(ToOwned::to_owned) }
}

fn when(binding: &str, values: Vec<Value>) -> When {
    When { binding: binding.to_owned(), field: None, test: Test::Is(values) }
}

/// Deploys a service, then reads what came of it.
fn plan() -> Plan {
    let mut deploy =
        step("deploy", "deployer", &[("service", arg("service")), ("region", arg("region"))], Some("deployment"));
    deploy.guidance = Some("Watch {service}; it speaks {\"json\": 1}.".to_owned());
    let notes = Step {
        name: "notes".to_owned(),
        action: Action::Resource {
            uri: "callboard://tasks/{id}/result".to_owned(),
            template: BTreeMap::from([("id".to_owned(), output("deployment", Some("taskId")))]),
        },
        binding: None,
        guidance: None,
        retryable: false,
        when: None,
    };
    Plan {
        name: "ship".to_owned(),
        description: "ship it.".to_owned(),
        parameters: vec![
            parameter("service", true, ParameterKind::String),
            parameter("region", false, ParameterKind::String),
            parameter("count", false, ParameterKind::Integer),
        ],
        instructions: None,
        steps: vec![deploy, notes],
    }
}

fn faults(change: impl FnOnce(&mut Plan)) -> Vec<String> {
    let mut plan = plan();
    change(&mut plan);
    check(&plan).into_iter().map(|fault| format!("{}: {}", fault.path.join("."), fault.message)).collect()
}

type Change = fn(&mut Plan);

#[rstest]
#[case::name(|plan: &mut Plan| plan.name = "a b".to_owned(), "name: `name` must be 1 to 64 letters")]
#[case::no_name(|plan: &mut Plan| plan.name.clear(), "name: `name` must be 1 to 64 letters")]
#[case::long_name(|plan: &mut Plan| plan.name = "n".repeat(65), "name: `name` must be 1 to 64 letters")]
#[case::description(|plan: &mut Plan| plan.description.clear(), "description: `description` must say what it does")]
#[case::no_steps(|plan: &mut Plan| plan.steps.clear(), "steps: `steps` must hold at least one step")]
#[case::two_arguments(
    |plan: &mut Plan| plan.parameters[2].name = "region".to_owned(),
    "arguments.2.name: two arguments are"
)]
#[case::two_steps(
    |plan: &mut Plan| plan.steps[1].name = "deploy".to_owned(),
    "steps.1.name: two steps are called `deploy`"
)]
#[case::undeclared(
    |plan: &mut Plan| plan.steps[0] = step("deploy", "deployer", &[("service", arg("servce"))], Some("deployment")),
    "steps.0.arguments.service: `servce` is not an argument of this workflow: did you mean `service`?"
)]
#[case::undeclared_in_a_constant(
    |plan: &mut Plan| {
        let nested = Source::Constant(json!({"a": ["{nobody}"]}));
        plan.steps[0] = step("deploy", "deployer", &[("x", nested)], Some("deployment"));
    },
    "steps.0.arguments.x: `nobody` is not an argument of this workflow"
)]
#[case::undeclared_in_guidance(
    |plan: &mut Plan| plan.steps[0].guidance = Some("see {nobody}".to_owned()),
    "steps.0.guidance: `nobody` is not"
)]
#[case::later(
    |plan: &mut Plan| plan.steps.reverse(),
    "steps.0.template.id: `deployment` is no binding of an earlier step: a step can only use what was done before it"
)]
#[case::itself(
    |plan: &mut Plan| {
        plan.steps[0] = step("deploy", "deployer", &[("x", output("deployment", None))], Some("deployment"));
    },
    "steps.0.arguments.x: `deployment` is no binding of an earlier step"
)]
#[case::two_bindings(
    |plan: &mut Plan| plan.steps[1].binding = Some("deployment".to_owned()),
    "steps.1.binding: an earlier step has the binding `deployment` already"
)]
#[case::unfilled(
    |plan: &mut Plan| plan.steps[1].action = Action::Resource { uri: "a://{id}".to_owned(), template: BTreeMap::new() },
    "steps.1.resource: nothing in `template` fills `{id}`"
)]
#[case::unnamed(
    |plan: &mut Plan| plan.steps[1].action = Action::Resource {
        uri: "a://b".to_owned(),
        template: BTreeMap::from([("id".to_owned(), output("deployment", None))]),
    },
    "steps.1.template.id: `resource` does not name `{id}`"
)]
#[case::undeclared_in_the_description(
    |plan: &mut Plan| plan.description = "ship {nobody}".to_owned(),
    "description: `nobody` is not an argument of this workflow"
)]
#[case::undeclared_in_the_instructions(
    |plan: &mut Plan| plan.instructions = Some("see {nobody}".to_owned()),
    "instructions: `nobody` is not"
)]
#[case::braces_in_what_an_argument_means(
    |plan: &mut Plan| plan.parameters[1].description = Some("Where {service} goes.".to_owned()),
    "arguments.1.description: `{service}` is not filled in here"
)]
#[case::a_phrase_of_nothing(
    |plan: &mut Plan| plan.steps[0].guidance = Some("go{nobody? there}".to_owned()),
    "steps.0.guidance: `nobody` is not"
)]
#[case::a_condition_on_what_comes_later(
    |plan: &mut Plan| plan.steps[0].when = Some(when("deployment", vec![json!(1)])),
    "steps.0.when: `deployment` is no binding of an earlier step"
)]
#[case::a_condition_without_a_value(
    |plan: &mut Plan| plan.steps[1].when = Some(when("deployment", Vec::new())),
    "steps.1.when: the list of values must not be empty"
)]
#[case::a_thousand_steps(
    |plan: &mut Plan| plan.steps = (0..1_000).map(|n| step(&format!("s{n}"), "t", &[], None)).collect(),
    "steps: `steps` holds 1000 steps; 100 are the most"
)]
fn a_plan_that_refers_to_nothing_is_refused(#[case] change: Change, #[case] expected: &str) {
    let faults = faults(change);
    let [fault] = &faults[..] else { panic!("{faults:#?}") };
    assert!(fault.starts_with(expected), "{fault}");
}

#[test]
fn all_faults_of_a_plan_are_told_at_once() {
    assert_eq!(faults(|_| {}), [""; 0]);
    let found = faults(|plan: &mut Plan| {
        plan.steps.reverse();
        plan.description.clear();
        plan.parameters.clear();
    });
    // The description, the later binding, two undeclared arguments, and one in the guidance.
    assert_eq!(found.len(), 5, "{found:#?}");
}

fn given(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn parameters_are_read_as_their_types_say() {
    let read = read_parameters(&plan(), &given(&[("service", "api"), ("count", " 3 "), ("region", "")])).unwrap();
    assert_eq!(Value::Object(read), json!({"service": "api", "count": 3}));
    let faults = read_parameters(&plan(), &given(&[("servce", "api"), ("count", "three"), ("x", "")])).unwrap_err();
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "`count` wants a whole number, got `three`",
            "`servce` is not an argument of this workflow: did you mean `service`?",
            "`x` is not an argument of this workflow: it takes service, region, count",
        ]
    );
}

#[rstest]
#[case::begins("\"Repair", true)]
#[case::begins_and_goes_on("\"Repair the log-in", true)]
#[case::ends("page\"", true)]
#[case::a_quote_alone("\"", true)]
#[case::typographic("“Repair", true)]
#[case::single("'Repair", true)]
#[case::single_end("page'", true)]
#[case::named("service=\"Repair", true)]
#[case::named_and_ended("service=\"Repair\"", true)]
#[case::an_option("--service=\"Repair", true)]
#[case::another_name("lang=\"en", true)]
#[case::of_two_sides("\"Repair\"", false)]
#[case::whole("\"Repair the log-in page\"", false)]
#[case::a_quote_inside("Repair \"log-in\"", false)]
#[case::an_attribute("lang=\"en\" is missing", false)]
#[case::an_apostrophe("'tis the season", false)]
#[case::a_plural("mind the agents'", false)]
#[case::inches("Use a screen of 27\"", false)]
#[case::plain("Repair", false)]
#[case::a_setting("a=b", false)]
fn a_text_that_looks_cut_is_refused_by_name(#[case] text: &str, #[case] cut: bool) {
    let read = read_parameters(&plan(), &given(&[("service", text)]));
    let said = read.map(drop).map_err(|faults| faults.iter().map(ToString::to_string).collect::<String>());
    match said {
        Ok(()) => assert!(!cut, "{text}"),
        Err(said) => assert!(cut && said.starts_with("`service` is `") && said.contains("it looks cut"), "{said}"),
    }
}

#[test]
fn of_a_client_that_cuts_words_are_doubted_and_of_any_placeholders() {
    let parameters: Map<String, Value> =
        [("a", json!("Repair")), ("b", json!("two words")), ("c", json!("$2")), ("d", json!(7))]
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect();
    assert_eq!(unsure(&parameters, true).into_iter().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(unsure(&parameters, false).into_iter().collect::<Vec<_>>(), ["c"]);
    for (text, placeholder) in [("$ARGUMENTS", true), ("$12", true), ("$1 more", false), ("$", false), ("$100", false)]
    {
        let one = Map::from_iter([("a".to_owned(), json!(text))]);
        assert_eq!(unsure(&one, false).len() == 1, placeholder, "{text}");
    }
}

#[rstest]
#[case("go{region? to {region}}!", &["region", "region"], &[])]
#[case("{a?{b}}{c}", &["a", "b", "c"], &["b", "c"])]
#[case("{a? never ends", &[], &[])]
#[case("{\"a\": {\"b\": 1}}", &[], &[])]
#[case("{a? {b? {a}}}", &["a", "b", "a"], &[])]
fn phrases_are_found_by_their_names(#[case] text: &str, #[case] names: &[&str], #[case] unguarded: &[&str]) {
    assert_eq!(names_in(text), names);
    assert_eq!(unguarded_in(text), unguarded);
}

#[test]
fn a_description_is_filled() {
    let (mut plan, outputs, unsure) = (plan(), BTreeMap::new(), BTreeSet::new());
    plan.description = "ship {service}{region? to {region}}.".to_owned();
    let mut parameters = Map::from_iter([("service".to_owned(), json!("api"))]);
    let wanted = |parameters: &Map<String, Value>| {
        opening(PlanValues { plan: &plan, parameters, outputs: &outputs, unsure: &unsure }).0
    };
    assert!(wanted(&parameters).starts_with("I want to ship api.\n"), "{}", wanted(&parameters));
    parameters.insert("region".to_owned(), json!("eu"));
    assert!(wanted(&parameters).starts_with("I want to ship api to eu.\n"), "{}", wanted(&parameters));
}

#[rstest]
#[case(ParameterKind::Number, "1.5", Some(json!(1.5)))]
#[case(ParameterKind::Number, "NaN", None)]
#[case(ParameterKind::Boolean, "true", Some(json!(true)))]
#[case(ParameterKind::Boolean, "yes", None)]
#[case(ParameterKind::Integer, "1.0", None)]
#[case(ParameterKind::String, " kept ", Some(json!(" kept ")))]
fn a_text_is_one_value_of_its_type_or_none(
    #[case] kind: ParameterKind,
    #[case] text: &str,
    #[case] expected: Option<Value>,
) {
    let mut plan = plan();
    plan.parameters = vec![parameter("it", true, kind)];
    let read = read_parameters(&plan, &given(&[("it", text)])).ok();
    assert_eq!(read.map(|read| read["it"].clone()), expected);
}

#[rstest]
#[case(arg("service"), Resolved::Value(json!("api")))]
#[case(arg("region"), Resolved::LeftOut)]
#[case(
    Source::Constant(json!(["{service}/{region}", 7, null])),
    Resolved::Placeholder(json!(["api/<prompt arg region>", 7, null]))
)]
#[case(Source::Constant(json!("{service}{region? in {region}}")), Resolved::Value(json!("api")))]
#[case(
    Source::Constant(json!("{service}{ticket? for {ticket}}")),
    Resolved::Placeholder(json!("api for <prompt arg ticket>"))
)]
#[case(Source::Constant(json!({"a": "{ticket} {"})), Resolved::Placeholder(json!({"a": "<prompt arg ticket> {"})))]
#[case(arg("ticket"), Resolved::Placeholder(json!("<prompt arg ticket>")))]
#[case(output("deployment", None), Resolved::Value(json!({"checks": [{"name": "ci"}], "0": "key"})))]
#[case(output("deployment", Some("checks.0.name")), Resolved::Value(json!("ci")))]
#[case(output("deployment", Some("0")), Resolved::Value(json!("key")))]
#[case(
    output("deployment", Some("checks.1")),
    Resolved::Placeholder(json!("<field 'checks.1' from deploy>"))
)]
fn a_source_comes_to_its_value_or_says_what_stands_for_it(#[case] source: Source, #[case] expected: Resolved) {
    let (mut plan, parameters) = (plan(), Map::from_iter([("service".to_owned(), json!("api"))]));
    plan.parameters.push(parameter("ticket", true, ParameterKind::String));
    let outputs = BTreeMap::from([("deployment".to_owned(), json!({"checks": [{"name": "ci"}], "0": "key"}))]);
    let unsure = BTreeSet::new();
    let known = PlanValues { plan: &plan, parameters: &parameters, outputs: &outputs, unsure: &unsure };
    assert_eq!(resolve(&source, known), expected);
}

#[test]
fn what_a_tool_requires_and_an_optional_parameter_would_fill_is_missing() {
    let (plan, nothing, outputs, unsure) = (plan(), Map::new(), BTreeMap::new(), BTreeSet::new());
    let schema = json!({"required": ["service", "region", "notes"]});
    let known = PlanValues { plan: &plan, parameters: &nothing, outputs: &outputs, unsure: &unsure };
    assert_eq!(missing_in(&schema, &plan.steps[0], known), ["region", "notes"]);
    assert_eq!(missing_in(&json!({}), &plan.steps[0], known), [""; 0]);
}

#[test]
fn the_words_say_what_is_wanted_and_what_is_left_to_call() {
    let (plan, outputs, unsure) = (plan(), BTreeMap::new(), BTreeSet::new());
    let parameters = Map::from_iter([("service".to_owned(), json!("api"))]);
    let known = PlanValues { plan: &plan, parameters: &parameters, outputs: &outputs, unsure: &unsure };
    let (wanted, planned) = opening(known);
    assert_eq!(wanted, "I want to ship it.\n\nParameters:\n- service: api");
    assert_eq!(planned, "Here's my plan:\n1. deploy - call deployer\n2. notes - read a resource");
    assert_eq!(
        calls_left(known, 0),
        "1. Call deployer with {\"service\":\"api\"}\n   Note: Watch api; it speaks {\"json\": 1}.\n\
         2. Read the resource callboard://tasks/<field 'taskId' from deploy>/result"
    );
    let outputs = BTreeMap::from([("deployment".to_owned(), json!({"taskId": "t1"}))]);
    let nothing = Map::new();
    let known = PlanValues { outputs: &outputs, parameters: &nothing, ..known };
    assert_eq!(calls_left(known, 1), "2. Read the resource callboard://tasks/t1/result");
    assert!(calls_left(known, 0).contains("\"service\":\"<prompt arg service>\""));
}
