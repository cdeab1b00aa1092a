//! What happens in a story of a workflow.

use std::collections::BTreeMap;

use callboard::domain::workflow::{Action, Plan, Source, Step};
use serde_json::{Value, json};

use crate::rng::Rng;

/// A kill: after so many writes of a life, the last of them kept or lost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) writes: usize,
    pub(crate) kept: bool,
}

/// What a step does, or a client that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Hands out work: a task more, once.
    Assign,
    /// Tells another agent something: a notice more, once.
    Tell,
    Look,
    /// Nothing that the hub can do.
    Shout,
    /// A call that is refused.
    Fail,
}

pub(crate) struct Plot {
    pub(crate) seed: u64,
    pub(crate) steps: Vec<Deed>,
    /// One for each life that does not end by itself.
    pub(crate) cuts: Vec<Cut>,
    /// Two ask for the prompt at once, under one key.
    pub(crate) doubled: bool,
    /// What the agent calls once the rest is its own, the calls of one group at once; and whether it names the run.
    pub(crate) calls: Vec<Vec<(Deed, bool)>>,
    /// Calls the run off instead of completing it.
    pub(crate) cancels: bool,
}

impl Plot {
    /// A plan of every sort of step, killed once.
    pub(crate) fn fixed(cut: Cut) -> Self {
        Self {
            seed: 0,
            steps: vec![Deed::Assign, Deed::Look, Deed::Tell, Deed::Assign, Deed::Shout, Deed::Assign],
            cuts: vec![cut],
            doubled: false,
            calls: vec![vec![(Deed::Assign, true), (Deed::Look, true)], vec![(Deed::Tell, false)]],
            cancels: false,
        }
    }

    pub(crate) fn of(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let whole = rng.percent(35);
        let sorts: &[Deed] = if whole {
            &[Deed::Assign, Deed::Tell, Deed::Look]
        } else {
            &[Deed::Assign, Deed::Assign, Deed::Tell, Deed::Look, Deed::Shout, Deed::Fail]
        };
        let steps = (0..1 + rng.below(6)).map(|_| rng.one_of(sorts)).collect();
        let cuts = (0..rng.below(5)).map(|_| Cut { writes: rng.below(14), kept: rng.percent(50) }).collect();
        let deed = |rng: &mut Rng| (rng.one_of(&[Deed::Assign, Deed::Tell, Deed::Look, Deed::Fail]), rng.percent(60));
        let groups = rng.below(4);
        let calls = (0..groups).map(|_| (0..1 + rng.below(4)).map(|_| deed(&mut rng)).collect()).collect();
        Self { seed, steps, cuts, doubled: rng.percent(40), calls, cancels: rng.percent(20) }
    }

    pub(crate) fn plan(&self) -> Plan {
        let steps = self.steps.iter().enumerate().map(|(number, deed)| {
            let (tool, arguments) = deed.call(&format!("step {number}"));
            let arguments: BTreeMap<String, Source> =
                arguments.into_iter().map(|(name, value)| (name, Source::Constant(value))).collect();
            Step {
                name: format!("step-{number}"),
                action: Action::Tool { name: tool.to_owned(), arguments },
                binding: None,
                guidance: None,
                retryable: number % 2 == 0,
                when: None,
            }
        });
        Plan {
            name: "story".to_owned(),
            description: "play a story".to_owned(),
            parameters: Vec::new(),
            instructions: None,
            steps: steps.collect(),
        }
    }
}

impl Deed {
    /// The tool and its arguments; `words` tell this call's effect from every other's.
    pub(crate) fn call(self, words: &str) -> (&'static str, Vec<(String, Value)>) {
        let given =
            |pairs: &[(&str, Value)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        match self {
            Self::Assign => ("assign_task", given(&[("targetAgentId", json!("any")), ("prompt", json!(words))])),
            Self::Tell => ("send_message", given(&[("to", json!("manager-1")), ("text", json!(words))])),
            Self::Look => ("list_agents", given(&[])),
            Self::Shout => ("shout", given(&[("text", json!(words))])),
            Self::Fail => ("get_agent_status", given(&[("agentId", json!("nobody-at-all"))])),
        }
    }

    /// Whether a second time would do something a second time.
    pub(crate) const fn has_an_effect(self) -> bool {
        matches!(self, Self::Assign | Self::Tell)
    }

    pub(crate) const fn takes_a_key(self) -> bool {
        self.has_an_effect()
    }
}
