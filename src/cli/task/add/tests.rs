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
        "any",
        "do it",
        "--priority",
        "critical",
        "--title",
        "It",
        "--capability",
        "review",
        "--after",
        "0196abcd",
        "--context",
        "{\"a\":1}",
        "--ttl",
        "1h30m",
        "--worktree",
    ];
    let expected = json!({
        "targetAgentId": "any", "prompt": "do it", "priority": "critical", "title": "It",
        "capabilities": ["review"], "dependencies": ["0196abcd"], "context": { "a": 1 },
        "ttlSeconds": 5400, "worktree": true,
    });
    assert_eq!(typed(&words), expected);
}
