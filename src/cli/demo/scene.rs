//! What is said in the round. The scripts compare with these words, so they stand in one place.

pub const FIRST: Part = Part { id: "fullstack-1", role: "full-stack-engineer", name: "FullStack" };
pub const SECOND: Part = Part { id: "tester-1", role: "test-engineer", name: "TestEngineer" };

/// The agent that has its work done by others.
pub const ARCHITECT: Part = Part { id: "architect-1", role: "orchestrator", name: "Architect" };
/// The agent that asks which colour.
pub const SECOND_FULLSTACK: Part = Part { id: "fullstack-2", role: "full-stack-engineer", name: "FullStack2" };
/// The agent with the terminal.
pub const OPS: Part = Part { id: "ops-1", role: "ops-engineer", name: "Ops" };
/// The agent that waits for work.
pub const DESIGNER: Part = Part { id: "designer-1", role: "designer", name: "Designer" };
/// The agent that follows a workflow.
pub const PLANNER: Part = Part { id: "planner-1", role: "project-manager", name: "Planner" };

pub const ASKED: &str = "implement login";
pub const PROGRESS: &str = "the form is there, now the tests";
/// What the first agent asks a person, who answers.
pub const QUESTION: &str = "Which page is to have the login, the old one or the new one?";
/// What the person answers: not the default.
pub const ANSWER: &str = "the new one";
/// What would have happened without an answer.
pub const OTHERWISE: &str = "the old one";
/// What the first agent asks, and nobody answers.
pub const UNANSWERED: &str = "Which colour is the button to have, blue or green?";
/// What applies then.
pub const DEFAULT: &str = "blue";
/// How long people have for it, in minutes: the least there is.
pub const MOMENT: f64 = 0.05;
/// What the first agent wants of the second.
pub const DELEGATED: &str = "test login";
pub const TESTED: &str = "12 tests pass";
pub const DONE: &str = "login is implemented and tested";

#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub id: &'static str,
    pub role: &'static str,
    pub name: &'static str,
}
