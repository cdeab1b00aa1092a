//! What `typed` does, tried.

use super::*;

#[test]
fn a_sentence_names_commands_and_no_tools() {
    for (said, typed) in [
        ("ann needs an answer: use answer_task", "ann needs an answer: use `callboard task answer`"),
        ("by `answer_task`.", "by `callboard task answer`."),
        (
            "waits for an agent that fits any to call wait_for_prompt",
            "waits for an agent that fits any to ask for work",
        ),
        ("get_session_history stays, as do Übung and `t_0001`", "get_session_history stays, as do Übung and `t_0001`"),
        ("", ""),
    ] {
        assert_eq!(as_typed(said), typed);
    }
}

#[test]
fn a_refusal_names_flags_and_no_fields_of_a_request() {
    for (said, typed) in [
        (
            "the body: `url`: must be `https://`; `http://` only with `allowPrivate: true`",
            "`url`: must be `https://`; `http://` only with `--allow-private`",
        ),
        ("the query: `since`: expected number at 0", "`--since`: expected number at 0"),
        ("the body: give exactly one of `at` and `catchUp`", "give exactly one of `--at` and `--catch-up`"),
        ("comment at 3 `attempts`", "comment at 3 `attempts`"),
    ] {
        assert_eq!(with_flags(said), typed);
    }
}
