//! What `view` does, tried.

use super::{Danger, Risk};

#[test]
fn doubt_is_told_apart_from_what_destroys() {
    for (danger, risk) in [
        (Danger::Declared, "destructive"),
        (Danger::Found { words: "drop the table".to_owned() }, "destructive"),
        (Danger::Approval, "unsure"),
        (Danger::Acts, "unsure"),
    ] {
        assert_eq!(serde_json::to_value::<Risk>(danger.risk()).unwrap(), risk, "{danger:?}");
    }
}
