//! Hooks are written beside those of the user, told from them, renewed and taken away alone.

use rstest::rstest;

use super::super::client::Client;

fn command(agent: &'static str) -> impl Fn(&str) -> Vec<String> {
    move |verb| ["/opt/it's/callboard", verb, "--agent", agent].map(str::to_owned).to_vec()
}

const BOTH: [Option<&str>; 2] = [Some("wake"), Some("permission")];

#[rstest]
#[case::claude(
    Client::Claude,
    "{\n    \"model\": \"x\",\n    \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \
                                \"command\", \"command\": \"mine\"}]}]}\n}\n",
    2
)]
#[case::claude_without_hooks(Client::Claude, "{\"a\": [1,2,  3]}", 2)]
#[case::gemini(Client::Gemini, "// mine\n{\n  \"hooks\": {\n    // quiet\n    \"BeforeTool\": []\n  }\n}\n", 1)]
#[case::qwen(Client::Qwen, "{\"ui\": {\"theme\": \"x\"}}\n", 1)]
#[case::codex(Client::Codex, "{\"hooks\": {\"PermissionRequest\": []}}\n", 1)]
fn hooks_go_without_a_trace(#[case] client: Client, #[case] theirs: &str, #[case] many: usize) {
    let put = client.put_commands(theirs, BOTH, command("a")).expect("it fits");
    assert_eq!(client.hook_commands(&put).len(), many, "{put}");
    assert!(put.contains(r"exec '/opt/it'\\''s/callboard' "), "{put}");
    assert!(!client.has_hooks(theirs) && client.has_hooks(&put));
    assert_eq!(client.put_commands(&put, BOTH, command("a")).as_ref(), Ok(&put), "twice is once");
    let renewed = client.put_commands(&put, BOTH, command("b")).expect("it fits");
    assert_eq!(client.hook_commands(&renewed).len(), many, "an older one of ours gives way: {renewed}");
    assert!(renewed.contains("'b'") && !renewed.contains("'a'"), "{renewed}");
    assert_eq!(client.take_hooks(&renewed, theirs).as_deref(), Ok(theirs));
    let later = renewed.replacen('{', "{\"later\": true,", 1);
    let left = client.take_hooks(&later, theirs).expect("it fits");
    assert!(left.contains("\"later\": true") && !left.contains("callboard"), "{left}");
}

#[test]
fn only_what_is_asked_for_is_written() {
    let put = Client::Claude.put_commands("{}", [None, Some("permission")], command("a")).expect("it fits");
    assert!(put.contains("PermissionRequest") && !put.contains("Stop"), "{put}");
    assert_eq!(Client::Cursor.put_commands("{}", BOTH, command("a")).as_deref(), Ok("{}"));
}

#[test]
fn a_plugin_of_somebody_elses_is_not_written_over() {
    let plugin = Client::Opencode.put_commands("", BOTH, command("a")).expect("it fits");
    for verb in ["wake", "permission"] {
        let line = format!("const {verb} = [\"/opt/it's/callboard\",\"{verb}\",\"--agent\",\"a\"];\n");
        assert!(plugin.contains(&line), "{plugin}");
    }
    assert_eq!(Client::Opencode.hook_commands(&plugin).len(), 2, "{plugin}");
    let one = Client::Opencode.put_commands("", [Some("wake"), None], command("a")).expect("it fits");
    assert!(one.contains("const permission = null;"), "{one}");
    let both = Client::Opencode.put_commands(&one, [None, Some("permission")], command("a"));
    assert_eq!(both.as_ref(), Ok(&plugin), "the other one stays");
    assert_eq!(Client::Opencode.take_hooks(&plugin, "").as_deref(), Ok(""));
    let theirs = "export const Mine = async () => ({});\n";
    assert!(Client::Opencode.put_commands(theirs, BOTH, command("a")).is_err());
    assert_eq!(Client::Opencode.take_hooks(theirs, "").as_deref(), Ok(theirs));
}

#[rstest]
#[case::nothing("{\"ui\": {\"theme\": \"x\"}}\n")]
#[case::its_events("// mine\n{\n  \"dualOutput\": {\"jsonFile\": \"/tmp/events\"}\n}\n")]
fn the_file_of_turns_goes_without_a_trace(#[case] theirs: &str) {
    let put = Client::Qwen.put_turns(theirs, "/data/wake/a.callboard-turns").expect("it fits");
    assert!(put.contains(r#""inputFile": "/data/wake/a.callboard-turns""#), "{put}");
    assert!(!Client::Qwen.has_hooks(theirs) && Client::Qwen.has_hooks(&put));
    let renewed = Client::Qwen.put_turns(&put, "/data/wake/b.callboard-turns").expect("it fits");
    assert!(renewed.contains("/b.") && !renewed.contains("/a."), "{renewed}");
    assert_eq!(Client::Qwen.take_hooks(&renewed, theirs).as_deref(), Ok(theirs));
}

#[test]
fn a_file_of_turns_of_somebody_elses_stays() {
    let theirs = "{\"dualOutput\": {\"inputFile\": \"/tmp/mine\"}}";
    let why = Client::Qwen.put_turns(theirs, "/data/wake/a.callboard-turns").unwrap_err();
    assert!(why.contains("`/tmp/mine`"), "{why}");
    assert_eq!(Client::Qwen.take_hooks(theirs, "").as_deref(), Ok(theirs));
}
