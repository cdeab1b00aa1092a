//! Samples of what happens to runs of workflows.

#![expect(clippy::expect_used, reason = "built for tests alone, and the texts are fixed")]

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::sample_ids::at;
use crate::domain::ids::{PrincipalId, WorkflowId};
use crate::domain::workflow::run::{Content, FollowUp, MatchedBy, Outcome, PauseReason, WorkflowRecord, WorkflowRun};
use crate::domain::workflow::{Action, Parameter, ParameterKind, Plan, Source, Step};

fn owner() -> PrincipalId {
    PrincipalId::parse("agent:fullstack-1").expect("a principal")
}

fn plan() -> Plan {
    let arguments = BTreeMap::from([
        ("prompt".to_owned(), Source::Argument("work".to_owned())),
        ("targetAgentId".to_owned(), Source::Constant(json!("any"))),
    ]);
    let template = BTreeMap::from([(
        "id".to_owned(),
        Source::Output { binding: "task".to_owned(), field: Some("taskId".to_owned()) },
    )]);
    Plan {
        name: "delegate".to_owned(),
        description: "have it done".to_owned(),
        parameters: vec![Parameter {
            name: "work".to_owned(),
            description: None,
            required: true,
            kind: ParameterKind::String,
        }],
        instructions: None,
        steps: vec![
            Step {
                name: "assign".to_owned(),
                action: Action::Tool { name: "assign_task".to_owned(), arguments },
                binding: Some("task".to_owned()),
                guidance: None,
                retryable: true,
                when: None,
            },
            Step {
                name: "look".to_owned(),
                action: Action::Resource { uri: "callboard://tasks/{id}/result".to_owned(), template },
                binding: None,
                guidance: Some("Look at {work}.".to_owned()),
                retryable: false,
                when: None,
            },
        ],
    }
}

/// A run that began one second after dawn.
pub fn workflow() -> WorkflowRun {
    let id = WorkflowId::parse("w_00000001").expect("a workflow's id");
    WorkflowRun::from_started(id, at(1), &workflow_records()[0]).expect("a beginning")
}

/// One of each record of a run, in the order of their kinds.
pub fn workflow_records() -> Vec<WorkflowRecord> {
    let outcome =
        |content, is_error, matched_by| Box::new(Outcome { content, is_error, at: at(2), by: owner(), matched_by });
    let parameters = Map::from_iter([("work".to_owned(), json!("the login"))]);
    let arguments = Map::from_iter([("taskId".to_owned(), json!("task0001"))]);
    vec![
        WorkflowRecord::Started {
            owner: owner(),
            plan: Box::new(plan()),
            parameters,
            unsure: ["region".to_owned()].into(),
        },
        WorkflowRecord::StepBegan { step: 0, asked: json!({"prompt": "the login", "targetAgentId": "any"}) },
        WorkflowRecord::StepWaits { step: 0, follow_up: FollowUp { tool: "wait_for_task".to_owned(), arguments } },
        WorkflowRecord::StepCompleted {
            step: 0,
            outcome: outcome(Content::Structured(json!({"taskId": "task0001"})), false, MatchedBy::Plan),
        },
        WorkflowRecord::StepFailed {
            step: 1,
            outcome: outcome(Content::Text("there is no result yet".to_owned()), true, MatchedBy::Id),
        },
        WorkflowRecord::ExtraRecorded {
            tool: "list_agents".to_owned(),
            outcome: outcome(Content::Cut { head: "{".to_owned(), bytes: 99_999 }, false, MatchedBy::Implicit),
        },
        WorkflowRecord::Paused { reason: PauseReason::TimeBudget { step: "look".to_owned() } },
        WorkflowRecord::Completed { result: json!({"done": true}) },
        WorkflowRecord::Cancelled,
        WorkflowRecord::Expired,
    ]
}
