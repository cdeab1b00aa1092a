//! Workflows: plans that are offered as prompts. A plan is guidance: nothing here can refuse or change a call.
//!
//! ```text
//!   parameters ──► read (typed) ──┐
//!                                 ├──► resolve ──► arguments of a step, or placeholders for what is not known yet
//!   outputs of earlier steps ─────┘                     │
//!                                                       └──► trace: the plan in words, and the calls left to make
//! ```
//!
//! What a plan may refer to is checked once, when it is loaded (`check`), so resolving an argument fails only for want
//! of a value. What becomes of a plan once somebody asks for it is a run (`run`).

mod check;
mod cut;
mod parameters;
mod plan;
mod resolve;
pub mod run;
pub(crate) mod template;
#[cfg(test)]
mod tests;
mod trace;

pub use check::{MOST_STEPS, PlanFault, check};
pub use cut::unsure;
pub use parameters::{ParameterFault, read_parameters};
pub use plan::{Action, Parameter, ParameterKind, Plan, Source, Step, Test, When};
pub use resolve::{PlanValues, Resolved, missing_in, resolve, substitute};
pub use template::{names_in, unguarded_in};
pub use trace::{calls_left, opening};
