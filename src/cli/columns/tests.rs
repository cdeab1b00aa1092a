//! What `columns` does, tried.

use super::*;

/// Heads are words: none is the name of a field alone.
#[test]
fn every_table_names_its_columns_once_and_begins_with_what_it_lists() {
    let all = [
        TASKS, AGENTS, SESSIONS, QUESTIONS, INBOX, OUTBOX, REVIEWS, SCHEDULES, WEBHOOKS, TOKENS, AUDIT, ACTORS, RUNS,
        WORKFLOWS,
    ];
    for plan in all {
        let heads: Vec<_> = plan.iter().map(|(head, ..)| *head).collect();
        let mut once = heads.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), heads.len(), "{heads:?}");
        assert!(heads.iter().all(|head| head.chars().all(|c| c.is_ascii_uppercase() || c == ' ')), "{heads:?}");
        assert!(!plan[0].2 && !plan.last().unwrap().2, "{heads:?}");
    }
}
