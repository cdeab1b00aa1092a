//! What `wait` does, tried.

use rmcp::model::NumberOrString;

use super::*;

#[test]
fn progress_grows_with_each_note_and_says_how_long_it_has_been() {
    let token = || ProgressToken(NumberOrString::Number(1));
    let first = progress(token(), 1, waiting(Duration::ZERO));
    let second = progress(token(), 2, waiting(Duration::from_secs(10)));
    assert!(first.progress < second.progress);
    assert_eq!(second.message.as_deref(), Some("Waiting for 10 s."));
}
