//! What was used, and whether that is within a budget.

use crate::task::*;

fn cost(dollars: f64) -> Usage {
    Usage { cost_usd: Usd::of(dollars), input_tokens: Some(100), output_tokens: Some(20), ..Usage::default() }
}

fn dollars(all: f64) -> Allowance {
    Allowance::Usd(Usd::of(all).unwrap())
}

#[test]
fn what_is_unknown_makes_its_sum_unknown_and_nothing_else() {
    let (a, b) = (cost(0.1), Usage { cost_usd: None, turns: Some(3), ..cost(0.2) });
    let sum = Usage::sum([Some(&a), Some(&b)]).unwrap();
    assert_eq!((sum.input_tokens, sum.output_tokens), (Some(200), Some(40)));
    assert_eq!((sum.cost_usd, sum.turns, sum.cached_tokens), (None, None, None), "never 0");
    assert_eq!(Usage::sum([Some(&a), None]).unwrap(), Usage::default(), "a process that said nothing");
    assert_eq!(Usage::sum::<Usage>([]), None);
    let agent = Usage { source: UsageSource::Agent, ..cost(0.2) };
    assert_eq!(Usage::sum([Some(&a), Some(&agent)]).unwrap().source, UsageSource::Agent);
    assert_eq!(Usage::sum([Some(&a), Some(&agent)]).unwrap().cost_usd, Usd::of(0.3), "money adds up without a rest");
}

#[test]
fn unknown_is_written_as_null_and_read_from_nothing() {
    let text = serde_json::to_value(cost(0.25)).unwrap();
    assert_eq!((&text["costUsd"], &text["turns"]), (&serde_json::json!(0.25), &serde_json::Value::Null));
    assert_eq!(serde_json::from_str::<Usage>("{}").unwrap(), Usage::default());
}

#[test]
fn what_is_no_amount_of_money_is_refused() {
    for text in ["-0.01", "1e12", "\"5\""] {
        assert!(serde_json::from_str::<Usd>(text).is_err(), "{text}");
    }
    assert_eq!(Usd::of(f64::NAN), None);
    assert_eq!(serde_json::from_str::<Usd>("3").unwrap(), Usd(3_000_000));
}

#[test]
fn every_level_has_its_edge() {
    let levels = [(0.0, BudgetLevel::Within), (3.99, BudgetLevel::Within), (4.0, BudgetLevel::Near)];
    for (used, level) in levels.into_iter().chain([(4.99, BudgetLevel::Near), (5.0, BudgetLevel::Used)]) {
        assert_eq!(dollars(5.0).level(dollars(5.0).spent([Some(&cost(used))])), level, "{used}");
    }
    let tokens = Allowance::Tokens(120);
    assert_eq!(tokens.level(tokens.spent([Some(&cost(9.0))])), BudgetLevel::Used, "tokens, whatever they cost");
    assert_eq!(Allowance::Tokens(0).level(Spent::default()), BudgetLevel::Used, "nothing allowed, nothing starts");
    assert_eq!(Allowance::Tokens(u64::MAX).level(Spent { known: u64::MAX - 1, unknown: 0 }), BudgetLevel::Near);
}

#[test]
fn each_level_is_told_once_and_so_is_what_nobody_said() {
    let allowance = dollars(5.0);
    let mut all: Vec<Option<Usage>> = Vec::new();
    let mut told = Vec::new();
    for next in [Some(cost(1.0)), None, None, Some(cost(3.0)), Some(cost(0.5)), Some(cost(0.5)), Some(cost(2.0))] {
        let before = allowance.spent(all.iter().map(Option::as_ref));
        all.push(next);
        told.push(allowance.news(before, allowance.spent(all.iter().map(Option::as_ref))));
    }
    let (unknown, near, used) = (Some(BudgetNews::Unknown), Some(BudgetNews::Near), Some(BudgetNews::Used));
    assert_eq!(told, [None, unknown, None, near, None, used, None]);
    let spent = allowance.spent(all.iter().map(Option::as_ref));
    assert_eq!(allowance.told(spent), "7.00 USD of 5.00 USD are used, and 2 processes did not say what they used");
    let tokens = Allowance::Tokens(500);
    let one = tokens.told(tokens.spent([Some(&cost(1.0)), None]));
    assert_eq!(one, "120 of 500 tokens are used, and 1 process did not say what it used");
}

#[test]
fn an_allowance_is_read_with_its_unit() {
    for (text, all) in [("5 USD", Allowance::Usd(Usd(5_000_000))), (" 0.25 usd ", Allowance::Usd(Usd(250_000)))] {
        assert_eq!(text.parse::<Allowance>(), Ok(all), "{text}");
    }
    assert_eq!("200000 tokens".parse::<Allowance>(), Ok(Allowance::Tokens(200_000)));
    for text in
        ["", "5", "5 EUR", "5USD", "0 USD", "-1 USD", "nan USD", "inf USD", "1e12 USD", "0 tokens", "1.5 tokens"]
    {
        assert!(text.parse::<Allowance>().unwrap_err().contains("`5 USD`, or `200000 tokens`"), "{text}");
    }
    let read = serde_json::from_str::<Budget>(r#"{"perDay": "5 USD"}"#).unwrap();
    assert_eq!(read, Budget { per_task: None, per_day: Some(dollars(5.0)) });
}

#[test]
fn each_stop_for_the_budget_lets_a_task_that_goes_on_use_the_same_once_more() {
    use super::kit::say::{exit, run_id, start};
    use super::kit::*;
    let used = |number, spent| ProcessExit { usage: Some(cost(spent)), ..exit(number, RunEnd::Budget).process };
    let story = Story::begins().then(say::offer("ann")).then(start(1, "ann", 1)).then(say::ack("ann"));
    let at = |story: &Story, spent: f64| story.task.budget_after(dollars(5.0), Some(&used(1, spent)));
    assert_eq!((at(&story, 3.0).level, at(&story, 3.0).news), (BudgetLevel::Within, None));
    assert_eq!(at(&story, 4.0).news, Some(BudgetNews::Near));
    assert_eq!((at(&story, 6.0).level, at(&story, 6.0).news), (BudgetLevel::Used, Some(BudgetNews::Used)));
    let silent = story.task.budget_after(dollars(5.0), Some(&exit(1, RunEnd::Crashed).process));
    assert_eq!(silent.told, "0.00 USD of 5.00 USD are used, and 1 process did not say what it used");
    let stopped = RunExit { process: used(1, 6.0), ..exit(1, RunEnd::Budget) };
    let story = story.then(TaskCommand::EndRun { run: run_id(1), exit: Box::new(stopped) }).then(say::answer("go on"));
    assert_eq!(story.state(), TaskStateName::Queued);
    let next = at(&story, 1.0);
    assert_eq!((next.level, next.told.as_str()), (BudgetLevel::Within, "7.00 USD of 11.00 USD are used"));
}
