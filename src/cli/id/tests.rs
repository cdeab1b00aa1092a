//! What `id` does, tried.

use super::*;

#[test]
fn an_id_is_read_in_any_case_and_a_name_as_it_is() {
    for (kind, typed, meant) in [
        (NamedKind::Task, "01M8J8AR9K", "01m8j8ar9k"),
        (NamedKind::Review, "01M8J", "01m8j"),
        (NamedKind::Session, "S_01M8J", "s_01m8j"),
        (NamedKind::Session, "Monitor", "Monitor"),
        (NamedKind::Agent, "Ann", "Ann"),
    ] {
        assert_eq!(as_made(kind, typed), meant);
    }
}
