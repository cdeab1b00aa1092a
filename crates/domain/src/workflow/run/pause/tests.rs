//! What `pause` does, tried.

use rstest::rstest;

use super::*;

fn failed(error: &str, retryable: bool) -> PauseReason {
    let (step, tool, error) = ("a".to_owned(), "t".to_owned(), error.to_owned());
    PauseReason::ToolError { step, tool, error, retryable, interrupted: false }
}

/// Each reason has the contract's name, names its step, and is a sentence for a model.
#[rstest]
#[case(
        PauseReason::UnresolvableArgument {
            step: "a".to_owned(),
            argument: "to".to_owned(),
            needs: "<prompt arg to>".to_owned(),
        },
        "unresolvable_argument",
        "Step 'a' cannot run yet: its argument `to` needs <prompt arg to>."
    )]
#[case(
        PauseReason::SchemaMismatch {
            step: "a".to_owned(),
            tool: "t".to_owned(),
            missing: vec!["x".to_owned(), "y".to_owned()],
            error: None,
        },
        "schema_mismatch",
        "Step 'a' cannot run as the plan says: t also requires x, y."
    )]
#[case(
        PauseReason::SchemaMismatch {
            step: "a".to_owned(),
            tool: "t".to_owned(),
            missing: Vec::new(),
            error: Some("`x` must be a number.".to_owned()),
        },
        "schema_mismatch",
        "Step 'a' cannot run as the plan says: `x` must be a number."
    )]
#[case(failed("No.", true), "tool_error", "Step 'a' failed: No. It can be tried again.")]
#[case(failed("No", false), "tool_error", "Step 'a' failed: No. A repeat of the same call will not help.")]
#[case(
        PauseReason::ToolError {
            step: "a".to_owned(),
            tool: "t".to_owned(),
            error: "stopped".to_owned(),
            retryable: false,
            interrupted: true,
        },
        "tool_error",
        "Step 'a' was interrupted, and it may have done its work."
    )]
#[case(
        PauseReason::UnresolvedDependency {
            step: "a".to_owned(),
            argument: "to".to_owned(),
            needs: "<output from b>".to_owned(),
            producer: "b".to_owned(),
        },
        "unresolved_dependency",
        "Step 'a' cannot run yet: its argument `to` needs <output from b>, which step 'b' did not bring."
    )]
#[case(
        PauseReason::ClientTool { step: "a".to_owned(), tool: "t".to_owned(), why: "the hub has no `t`".to_owned() },
        "client_tool",
        "Step 'a' is yours to do: the hub has no `t`."
    )]
#[case(
        PauseReason::ResourceError { step: "a".to_owned(), uri: "callboard://x".to_owned(), error: "gone.".to_owned() },
        "resource_error",
        "Step 'a' could not read callboard://x: gone."
    )]
#[case(
        PauseReason::TimeBudget { step: "a".to_owned() },
        "time_budget",
        "The time of one request was over before step 'a' was done."
    )]
fn each_reason_to_stop_is_named_and_said(#[case] reason: PauseReason, #[case] name: &str, #[case] sentence: &str) {
    assert_eq!((reason.name(), reason.step(), reason.sentence().as_str()), (name, "a", sentence));
}
