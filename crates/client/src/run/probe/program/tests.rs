//! What `program` does, tried.

use rstest::rstest;

use super::*;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[rstest]
#[case::a_shell("bash", "bash")]
#[case::a_login_shell("-zsh", "zsh")]
#[case::a_shell_with_a_script("/bin/sh agent.sh", "sh")]
#[case::a_shell_of_some_version("/usr/bin/bash5", "bash")]
#[case::a_way_elsewhere("ssh build.example", "ssh")]
#[case::a_multiplexer("tmux attach", "tmux")]
#[case::who_starts_another("sudo claude", "sudo")]
#[case::a_console("psql -h db", "psql")]
#[case::an_interpreter_alone("python3", "python")]
#[case::with_options_alone("/usr/bin/python3.11 -u -B", "python")]
#[case::with_an_option_that_has_a_value("python3 -W ignore", "python")]
#[case::that_goes_on_after_its_script("python3 -i agent.py", "python")]
#[case::of_one_line("node -e console.log(1)", "node")]
#[case::in_a_debugger("node inspect agent.js", "node")]
#[case::whose_script_is_a_console("/usr/bin/python3 /usr/bin/ipython3", "python")]
#[case::whose_module_is_a_console("python3 -m pdb agent.py", "python")]
#[case::whose_module_is_the_interpreter("python3 -m code", "python")]
fn who_takes_commands_is_known(#[case] line: &str, #[case] name: &str) {
    assert_eq!(takes_commands(&words(line)).as_deref(), Some(name));
}

#[rstest]
#[case::an_agent("claude --continue")]
#[case::by_its_path("/home/ada/.local/bin/codex")]
#[case::a_script("python3 -u agent.py")]
#[case::a_script_with_words_of_its_own("python3 agent.py -i -c")]
#[case::behind_what_becomes_it("env TERM=xterm claude")]
#[case::a_module("python3 -m aider --model x")]
#[case::with_a_value_before("node --require ./hook.js cli.js")]
#[case::a_package("node /usr/lib/node_modules/gemini/cli.js")]
fn who_may_be_talked_to_is_not(#[case] line: &str) {
    assert_eq!(takes_commands(&words(line)), None);
}

#[test]
fn a_process_is_known_by_the_file_that_runs() {
    let pid = i32::try_from(std::process::id()).unwrap();
    let words = of_process(pid).unwrap();
    let own = std::env::current_exe().unwrap();
    assert_eq!(words.first().map(String::as_str), own.file_name().and_then(|name| name.to_str()));
}
