//! What `add` does, tried.

use clap::Parser as _;

use super::*;

#[derive(clap::Parser)]
struct Typed {
    #[command(flatten)]
    add: AddArgs,
}

fn typed(words: &[&str]) -> Value {
    let all = ["add"].iter().chain(words);
    body(&Typed::try_parse_from(all).unwrap().add).unwrap()
}

#[test]
fn what_is_not_typed_is_not_sent() {
    assert_eq!(typed(&["fullstack-1", "do it"]), json!({ "targetAgentId": "fullstack-1", "prompt": "do it" }));
}

#[test]
fn what_is_typed_is_sent_as_assign_task_takes_it() {
    let words = [
        "any", "do it", "--priority", "critical", "--title", "It", "--capability", "review", "--after", "0196abcd",
        "--context", "{\"a\":1}", "--ttl", "1h30m", "--worktree",
    ];
    let expected = json!({
        "targetAgentId": "any", "prompt": "do it", "priority": "critical", "title": "It",
        "capabilities": ["review"], "dependencies": ["0196abcd"], "context": { "a": 1 },
        "ttlSeconds": 5400, "worktree": true,
    });
    assert_eq!(typed(&words), expected);
}

#[test]
fn a_text_that_is_none_is_a_mistake_in_what_was_given() {
    let problem = prompt("-", &b"\xff\xfe"[..]).unwrap_err();
    assert_eq!(problem.exit(), Exit::Configuration);
    assert_eq!(prompt("-", "café".as_bytes()), Ok("café".to_owned()));
}

#[test]
fn what_may_have_been_done_is_asked_again_under_its_key_by_a_whole_command() {
    let short = "the same command, with --idempotency-key k1";
    for (typed, again_by) in [
        ("task add any|it's late", r"callboard 'task add any' 'it'\''s late' --idempotency-key k1"),
        ("task add|--|any|-x", "callboard 'task add' --idempotency-key k1 -- any -x"),
        ("task add any x|--idempotency-key=k1", "callboard 'task add any x' '--idempotency-key=k1'"),
        ("task|add|any|-", short),
        ("task|add|any|two\nlines", short),
        ("x".repeat(SHOWN).as_str(), short),
    ] {
        let words: Vec<_> = typed.split('|').map(str::to_owned).collect();
        let said = again(&words, "k1");
        assert_eq!(said.lines().next(), Some(again_by), "{typed}");
    }
}
