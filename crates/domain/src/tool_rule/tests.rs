//! What `tool_rule` does, tried.

use rstest::rstest;
use serde_json::json;

use super::*;

const HOME: Option<&str> = Some("/work/shop");

fn rule(tool: &str, pattern: Option<&str>, then: ToolLeave) -> ToolRule {
    ToolRule { tool: tool.to_owned(), pattern: pattern.map(str::to_owned), then }
}

#[rstest]
#[case::as_it_is("cargo test", "cargo test", true)]
#[case::the_rest("cargo *", "cargo test --all", true)]
#[case::nothing_behind("cargo *", "cargo", false)]
#[case::in_the_middle("git * --stat", "git diff --stat", true)]
#[case::order_counts("*a*b", "ba", false)]
#[case::no_overlap("ab*b", "ab", false)]
#[case::all("*", "", true)]
#[case::other("cargo *", "rm -rf /", false)]
fn a_star_is_any_text(#[case] pattern: &str, #[case] text: &str, #[case] is: bool) {
    assert_eq!(fits(pattern, text), is);
}

#[rstest]
#[case::plain("cargo test", true)]
#[case::a_second("cargo test; rm -rf /", false)]
#[case::a_pipe("cargo test | sh", false)]
#[case::in_the_background("cargo test & rm x", false)]
#[case::substituted("cargo test $(rm x)", false)]
#[case::in_backticks("cargo test `rm x`", false)]
#[case::a_variable("cargo $EVIL", false)]
#[case::written_to("cargo test > /etc/passwd", false)]
#[case::a_second_line("cargo test\nrm x", false)]
fn leave_for_a_command_is_for_one_plain_command(#[case] command: &str, #[case] allowed: bool) {
    let input = json!({ "command": command });
    let rules = [rule("Bash", Some("cargo *"), ToolLeave::Allow)];
    assert_eq!(ToolCall::new("Bash", &input).judged(&rules, HOME).is_some(), allowed, "{command}");
}

#[rstest]
#[case("rm -rf /")]
#[case("cd /tmp && rm -rf x")]
#[case("true; rm x")]
#[case("echo $(rm x)")]
fn what_is_denied_is_denied_in_every_part(#[case] command: &str) {
    let input = json!({ "command": command });
    let rules = [rule("*", Some("rm *"), ToolLeave::Deny), rule("Bash", None, ToolLeave::Allow)];
    let call = ToolCall::new("Bash", &input);
    assert_eq!(call.judged(&rules, HOME).map(|(at, rule)| (at, rule.then)), Some((1, ToolLeave::Deny)));
}

#[rstest]
#[case::below("src/a.rs", "src/*", true)]
#[case::by_its_whole_name("/work/shop/src/a.rs", "src/*", true)]
#[case::out_of_it("src/../../etc/passwd", "src/*", false)]
#[case::elsewhere("/etc/passwd", "*", false)]
#[case::beside_it("/work/shopping/a", "*", false)]
#[case::meant_so("/tmp/a", "/tmp/*", true)]
fn leave_for_a_path_stays_in_the_folder(#[case] path: &str, #[case] pattern: &str, #[case] allowed: bool) {
    let input = json!({ "file_path": path });
    let rules = [rule("Edit", Some(pattern), ToolLeave::Allow)];
    assert_eq!(ToolCall::new("Edit", &input).judged(&rules, HOME).is_some(), allowed);
}

#[rstest]
#[case(json!({"file_path": "src/a.rs", "path": "/etc/passwd"}))]
#[case(json!({"file_path": "src/a.rs", "edits": [{"file_path": "/etc/passwd"}]}))]
#[case(json!({"path": "src/a.rs", "cmd": "rm -rf /"}))]
fn leave_is_for_every_path_and_command_among_the_arguments(#[case] input: Value) {
    let rules = [rule("Edit", Some("src/*"), ToolLeave::Allow)];
    assert!(ToolCall::new("Edit", &input).judged(&rules, HOME).is_none());
    let plain = json!({"file_path": "src/a.rs", "edits": [{"file_path": "/work/shop/src/b.rs"}], "url": "x"});
    assert!(ToolCall::new("Edit", &plain).judged(&rules, HOME).is_some());
}

#[rstest]
#[case::below("src/a.rs", HOME, true)]
#[case::by_its_whole_name("/work/shop/src/a.rs", HOME, true)]
#[case::of_no_folder("/work/shop/src/a.rs", None, false)]
#[case::of_everything("/src/a.rs", Some("/"), false)]
#[case::another("docs/a.md", HOME, false)]
fn what_is_denied_of_a_path_is_denied_however_it_is_written(
    #[case] path: &str,
    #[case] folder: Option<&str>,
    #[case] denied: bool,
) {
    let input = json!({ "file_path": path });
    let rules = [rule("Read", None, ToolLeave::Deny), rule("Edit", Some("src/*"), ToolLeave::Deny)];
    assert_eq!(ToolCall::new("Edit", &input).judged(&rules, folder).is_some(), denied);
}

#[test]
fn the_first_rule_decides_and_other_tools_are_not_meant() {
    let rules = [
        rule("Edit", None, ToolLeave::Allow),
        rule("Bash", Some("git push*"), ToolLeave::Ask),
        rule("Bash", Some("git *"), ToolLeave::Allow),
    ];
    let say = |command: &str| {
        let input = json!({ "command": command });
        ToolCall::new("Bash", &input).judged(&rules, HOME).map(|(at, rule)| (at, rule.then))
    };
    assert_eq!(say("git push origin"), Some((2, ToolLeave::Ask)));
    assert_eq!(say("git status"), Some((3, ToolLeave::Allow)));
    assert_eq!(say("make"), None);
    let odd = json!({"question": "x"});
    assert_eq!(ToolCall::new("Ask", &odd).about(), r#"{"question":"x"}"#);
}
