//! Any plan, and any order of calls of its client: no call is refused or altered, the last result wins, and nothing
//! that came is lost.

use super::*;

const TOOLS: [&str; 5] = ["validator", "deployer", "notifier", "list_agents", "wait_for_answer"];

/// A plan of up to eight steps, whose tools may come several times; some read a resource.
fn any_plan() -> impl Strategy<Value = Plan> {
    let one = (0..TOOLS.len() + 1, any::<bool>(), any::<bool>());
    prop::collection::vec(one, 1..8).prop_map(|steps| {
        let step = |(index, (tool, retryable, uses)): (usize, (usize, bool, bool))| {
            let (name, binding) = (format!("s{index}"), format!("b{index}"));
            let before = index
                .checked_sub(1)
                .filter(|_| uses)
                .map(|before| Source::Output { binding: format!("b{before}"), field: None });
            let given: Vec<(&str, Source)> = before.map(|source| ("from", source)).into_iter().collect();
            match TOOLS.get(tool) {
                Some(tool) => step(&name, tool, &given, Some(&binding), retryable),
                None => Step {
                    action: Action::Resource { uri: "notes://all".to_owned(), template: BTreeMap::new() },
                    ..super::step(&name, "", &[], Some(&binding), retryable)
                },
            }
        };
        Plan { steps: steps.into_iter().enumerate().map(step).collect(), ..plan() }
    })
}

/// Calls of the client: which tool, what it came to, and whether that is an error.
fn any_calls() -> impl Strategy<Value = Vec<(&'static str, u32, bool)>> {
    prop::collection::vec((prop::sample::select(&TOOLS[..]), any::<u32>(), prop::bool::weighted(0.3)), 0..24)
}

fn run_of(plan: Plan, begins: bool) -> WorkflowRun {
    let record = WorkflowRecord::Started {
        owner: owner(),
        plan: Box::new(plan),
        parameters: Map::new(),
        unsure: BTreeSet::new(),
    };
    let id = WorkflowId::parse("w_00000001").expect("an id");
    let mut run = WorkflowRun::from_started(id, at(0), &record).expect("a beginning");
    // The hub may have stopped anywhere.
    if begins {
        order(&mut run, &WorkflowCommand::Begin { step: 0, asked: json!({}) }).expect("begun");
    }
    run
}

/// Where a call belongs, told apart from how the run finds it: the first open step of the tool, the last one, or none.
fn belongs(plan: &Plan, done: &[bool], tool: &str) -> Option<usize> {
    let of: Vec<usize> = (0..done.len()).filter(|index| plan.steps[*index].tool() == Some(tool)).collect();
    of.iter().find(|index| !done[**index]).or(of.last()).copied()
}

proptest! {
    #[test]
    fn no_call_is_refused_or_altered_and_the_last_result_wins(
        plan in any_plan(),
        begins in any::<bool>(),
        given in any_calls(),
    ) {
        let mut run = run_of(plan.clone(), begins);
        let mut replayed = run.clone();
        let mut done = vec![false; plan.steps.len()];
        let mut steps: BTreeMap<usize, Outcome> = BTreeMap::new();
        let mut extra: BTreeMap<&str, Outcome> = BTreeMap::new();
        for (tool, value, is_error) in given {
            let came = outcome(json!(value), is_error, MatchedBy::Id);
            let command = WorkflowCommand::Record { tool: tool.to_owned(), outcome: came.clone() };
            for record in run.decide(at(1), &command).expect("no call is refused").records {
                let text = serde_json::to_string(&record).expect("JSON");
                replayed.apply(at(1), &serde_json::from_str(&text).expect("read back"));
            }
            let recorded = order(&mut run, &command).expect("no call is refused");
            match belongs(&plan, &done, tool) {
                Some(index) => {
                    prop_assert_eq!(recorded, Some(Recorded::Step(plan.steps[index].name.clone())));
                    done[index] = !is_error;
                    steps.insert(index, came);
                }
                None => {
                    prop_assert_eq!(recorded, Some(Recorded::Extra));
                    extra.insert(tool, came);
                }
            }
            prop_assert!(run.is_working(), "only the client says when it is done");
            prop_assert_eq!(run.next(), Next::Rest, "the hub runs nothing more");
        }
        for (index, state) in run.steps.iter().enumerate() {
            prop_assert_eq!(state.outcome.as_ref(), steps.get(&index));
        }
        prop_assert_eq!(run.extra.len(), extra.len());
        for (tool, came) in extra {
            prop_assert_eq!(run.extra.get(tool), Some(&came));
        }
        let conversation = told(&run);
        prop_assert!(!conversation.contains("w_0000"), "no id is in the words");
        prop_assert_eq!(run, replayed);
    }

    /// Whichever of several calls at once is recorded first: each is there afterwards.
    #[test]
    fn calls_of_different_tools_come_to_the_same_in_any_order(
        plan in any_plan(),
        values in prop::collection::vec((any::<u32>(), any::<bool>()), TOOLS.len()),
        shuffled in Just(TOOLS.to_vec()).prop_shuffle(),
    ) {
        let after = |tools: &[&'static str]| {
            let mut run = run_of(plan.clone(), false);
            for tool in tools {
                let place = TOOLS.iter().position(|known| known == tool).expect("a tool");
                let (value, is_error) = values[place];
                calls(&mut run, tool, json!(value), is_error);
            }
            run
        };
        prop_assert_eq!(after(&TOOLS), after(&shuffled));
    }
}
