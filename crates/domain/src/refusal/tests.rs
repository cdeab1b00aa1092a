//! What `refusal` does, tried.

use super::*;

#[test]
fn every_line_of_the_table_is_read() {
    let rows = codes().len();
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (heads, others): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with('['));
    assert_eq!(heads.len(), rows);
    for line in others {
        let known = ["    ", "means: ", "model: ", "http: ", "typed: ", "discord: "]
            .iter()
            .any(|start| line.starts_with(start));
        assert!(known && line.len() <= 120, "{line}");
    }
    let texts = |row: &Code| {
        [Some(row.meaning.clone()), row.model.clone(), row.http.clone(), row.typed.clone(), row.discord.clone()]
    };
    let read: usize = codes().iter().flat_map(texts).flatten().map(|text| text.len()).sum();
    assert!(read > TABLE.len() * 3 / 4, "{read} of {}", TABLE.len());
}

#[test]
fn codes_are_sorted_and_unique_so_that_they_are_found() {
    assert!(codes().windows(2).all(|pair| pair[0].code < pair[1].code));
    assert!(codes().iter().all(|row| row.code.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')));
}

#[test]
fn every_row_says_what_it_means_how_it_is_answered_and_what_to_do() {
    for row in codes() {
        assert!(!row.meaning.is_empty() && (400..=599).contains(&row.status), "{row:?}");
        assert!(row.exit.is_none_or(|exit| (1..=5).contains(&exit)), "{row:?}");
        assert!(row.model.is_some() || row.http.is_some(), "{}: nobody reads what to do", row.code);
        for advice in [&row.model, &row.http].into_iter().flatten() {
            assert!(advice.ends_with('.') && advice.starts_with(char::is_uppercase), "{}", row.code);
        }
    }
}

#[test]
fn a_code_that_is_not_listed_is_our_fault_and_not_the_callers() {
    assert_eq!(status_of("TASK_NOT_FOUND"), 404);
    assert_eq!(status_of("NO_SUCH_CODE"), 500);
    assert_eq!(advice("NO_SUCH_CODE", Audience::Model), None);
}

#[test]
fn what_to_type_follows_from_the_code_and_else_from_the_status() {
    assert_eq!(next_step(404, "TASK_NOT_FOUND"), Some("callboard task list"));
    assert_eq!(next_step(403, "DELEGATION_DENIED"), None, "no token helps");
    assert_eq!(next_step(503, "UNAVAILABLE"), Some("the same command again in a moment"));
    assert_eq!(next_step(403, ""), next_step(403, "INSUFFICIENT_SCOPE"));
    assert!(next_step(401, "SIGNATURE_INVALID").is_some_and(|next| next.starts_with("set CALLBOARD_TOKEN_FILE")));
}
