//! What `ledger` does, tried.

use super::*;

#[test]
fn what_was_not_observed_is_missing_by_name() {
    let ledger = Ledger::default();
    let now = Instant::now();
    assert_eq!(ledger.missing().len(), Step::ALL.len());
    for (step, ..) in Step::ALL.into_iter().filter(|(step, ..)| *step != Step::Heard) {
        ledger.observed(step, now, "it").unwrap();
    }
    assert_eq!(ledger.missing(), ["outcome of the part heard by the first agent"]);
    assert!(ledger.observed(Step::Called, now, "again").is_err());
}

#[test]
fn every_step_is_in_the_list_once_and_in_order() {
    assert!(Step::ALL.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
