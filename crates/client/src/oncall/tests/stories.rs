//! What a host does with what its hub says, with real programs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use tokio::task::LocalSet;

use super::hub::{offer, resume, run};
use super::stage::{Stage, is_gone};
use crate::domain::ids::TaskId;
use crate::domain::on_call::{FromHost, Offer, ToHost};
use crate::domain::task::{RunEnd, StopReason, Usd};
use crate::oncall::folder;
use crate::oncall::spec::HostSpec;

/// Plays a story on one thread, as a host runs.
async fn play(story: impl AsyncFnOnce(Stage)) {
    LocalSet::new().run_until(async { story(Stage::new().await).await }).await;
}

#[tokio::test]
async fn a_task_is_run_with_its_ids_and_its_end_is_told() {
    play(async |stage: Stage| {
        let script = "cat; echo; env | sort | grep ^CALLBOARD; stat -c '%a %n' \"$(dirname $CALLBOARD_TASK_FILE)\"/*; \
                      stat -c %a \"$(dirname $CALLBOARD_TASK_FILE)\"; cat $CALLBOARD_TASK_FILE";
        let host = stage.starts(stage.script(script));
        let mut hub = stage.hub.welcomes(&["fs-1", "fs-2"], &[]).await;
        let hello = &hub.hello;
        assert_eq!((hello.prefix.as_str(), hello.client.as_str(), hello.max), ("fs", "command", 2));
        assert_eq!((hub.parked().await.as_str(), hub.parked().await.as_str()), ("fs-1", "fs-2"));
        let offered = Offer { system: "You are Ada.".to_owned(), ..offer("fs-1", "1", "paint; rm -rf $HOME") };
        hub.says(ToHost::Offer(Box::new(offered))).await;
        hub.started().await;
        let ended = hub.ended(false).await;
        assert_eq!((ended.process, ended.reason, ended.exit), (1, RunEnd::NoReport, Some(0)));
        assert_eq!(ended.usage, None, "this program says nothing of it");
        let tail = ended.tail.unwrap();
        for line in [
            "You are Ada.",
            "paint; rm -rf $HOME",
            "CALLBOARD_AGENT_ID=fs-1",
            "CALLBOARD_TASK_ID=00000001",
            "CALLBOARD_SESSION_ID=s_01abcdef",
            "CALLBOARD_URL=http://127.0.0.1:7420",
            "CALLBOARD_MCP_URL=http://127.0.0.1:7420/mcp",
            "CALLBOARD_TOKEN=[secret]",
            "700",
        ] {
            assert!(tail.lines().any(|told| told == line), "`{line}` is not in:\n{tail}");
        }
        assert_eq!(
            tail.lines().filter(|line| line.starts_with("600 ")).count(),
            3,
            "token, task.md, run.json:\n{tail}"
        );
        assert_eq!(hub.parked().await.as_str(), "fs-1", "and is free again");
        assert!(stage.runs().is_empty(), "its folder is gone");
        host.is_to_end();
        assert!(hub.said_bye().await);
        host.ended().await.unwrap();
    })
    .await;
}

const CLAUDE: &str = r#"
{ printf '%s\n' "$@"; cat; echo; } >> args
echo '{"type":"system","session_id":"c-1"}'
printf '%s' '{"type":"result","is_error":false,"session_id":"c-1","result":"done","num_turns":2,"total_cost_usd":0.5,'
echo '"usage":{"input_tokens":7,"output_tokens":3}}'
"#;

#[tokio::test]
async fn an_answer_goes_on_with_the_same_conversation() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.client("claude", CLAUDE));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let told =
            |message: &FromHost| if let FromHost::Conversation { id, .. } = message { Some(id.clone()) } else { None };
        assert_eq!(hub.hears(told).await, "c-1");
        let ended = hub.ended(true).await;
        let usage = ended.usage.unwrap();
        assert_eq!((usage.tokens(), usage.cost_usd), (Some(10), Usd::of(0.5)));
        // No process, and the slot is not free: another task is not taken.
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "2", "another")))).await;
        assert_eq!(hub.ended(false).await.reason, RunEnd::Killed);
        let own = |id: &str| folder::has_run_of(stage.data.path(), &TaskId::parse(id).unwrap());
        assert!(own("00000001") && !own("00000002"), "its worktree is not to be thrown away");
        let folder = stage.runs().pop().unwrap();
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["run.json"], "no token lies there while nothing runs");
        hub.says(ToHost::Resume(Box::new(resume("fs-1", "1", Some("c-1"))))).await;
        let ended = hub.ended(false).await;
        assert_eq!((ended.run, ended.process), (run("1"), 2));
        let arguments = stage.file("args").await;
        assert!(arguments.contains("\n--resume\nc-1\n") && arguments.ends_with("\nblue\n"), "{arguments}");
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_task_longer_than_an_argument_reaches_each_client_whole() {
    let long = "a line of a task\n".repeat(18_000);
    assert!(long.len() > 300_000, "a single argument has 131,072 bytes at most");
    for client in ["claude", "codex", "gemini", "qwen", "opencode", "copilot", "command"] {
        play(async |stage: Stage| {
            let reads = "cat > told; echo >> told; cat $CALLBOARD_TASK_FILE > kept; echo >> kept; echo \"$@\" > args";
            let spec = if client == "command" { stage.script(reads) } else { stage.client(client, reads) };
            let host = stage.starts(spec);
            let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
            hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", &long)))).await;
            let ended = hub.ended(false).await;
            assert_eq!((ended.reason, ended.exit), (RunEnd::NoReport, Some(0)), "{client}: {:?}", ended.tail);
            for file in ["told", "kept"] {
                assert!(stage.file(file).await == format!("{long}\n"), "{client}: {file} is not the task");
            }
            assert!(!stage.file("args").await.contains("a line of a task"), "{client}");
            host.is_to_end();
            assert!(hub.said_bye().await);
        })
        .await;
    }
}

#[tokio::test]
async fn a_host_that_is_started_anew_takes_the_answer_of_a_run_that_waits() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("cat > told; echo >> told"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        let offered = Offer { system: "You are Ada.".to_owned(), ..offer("fs-1", "1", "paint") };
        hub.says(ToHost::Offer(Box::new(offered))).await;
        hub.ended(true).await;
        host.is_to_end();
        assert!(hub.said_bye().await);
        host.ended().await.unwrap();

        let host = stage.starts(stage.script("cat > again; echo >> again; echo $CALLBOARD_TASK_ID >> again"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &["1"]).await;
        assert!(hub.hello.runs.is_empty(), "its process is not there");
        hub.says(ToHost::Resume(Box::new(resume("fs-1", "1", None)))).await;
        let ended = hub.ended(false).await;
        assert_eq!((ended.process, ended.exit), (2, Some(0)));
        let told = stage.file("again").await;
        let whole = "You are Ada.\n\nThe task, the question, and the answer: blue\n00000001\n";
        assert_eq!(told, whole, "it cannot go on with a conversation, and hears all of it");
        // Of one that began elsewhere nothing is known here: it is given back.
        hub.says(ToHost::Resume(Box::new(resume("fs-1", "9", None)))).await;
        let ended = hub.ended(false).await;
        assert_eq!((ended.run, ended.process, ended.reason), (run("9"), 2, RunEnd::Killed));
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn what_is_told_to_stop_ends_with_all_that_it_started() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("sleep 600 & echo $! > child; wait"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let pid = hub.started().await;
        let child: u32 = stage.file("child").await.trim().parse().unwrap();
        hub.says(ToHost::Stop { run: run("1"), why: StopReason::Cancelled }).await;
        assert_eq!(hub.ended(false).await.reason, RunEnd::Killed);
        is_gone(pid).await;
        is_gone(child).await;
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn who_is_silent_for_too_long_is_ended_and_it_is_said() {
    play(async |stage: Stage| {
        // A client that asks at its start waits for ever: nobody is there to answer.
        let host = stage.starts(stage.script("echo 'Trust this folder? [y/n]'; exec sleep 600"));
        let mut hub = stage.hub.connected().await;
        hub.welcomes(&["fs-1"], &[], Duration::from_millis(300)).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let ended = hub.ended(false).await;
        assert_eq!(ended.reason, RunEnd::NoReport);
        let tail = ended.tail.unwrap();
        assert!(tail.starts_with("it printed nothing and called no tool for 300ms, and was ended\nTrust"), "{tail}");
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_prints_only_at_its_end_lives_by_its_calls_and_no_longer() {
    play(async |stage: Stage| {
        // Each step is within its silence of 3 s, and the third is not without a call.
        let host = stage.starts(stage.client("gemini", "for n in 1 2 3; do sleep 2; echo > $n; done; exec sleep 600"));
        let mut hub = stage.hub.connected().await;
        hub.welcomes(&["fs-1"], &[], Duration::from_millis(1_500)).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        for step in ["1", "2", "3"] {
            stage.file(step).await;
            hub.says(ToHost::Called { run: run("1") }).await;
        }
        let ended = hub.ended(false).await;
        let tail = ended.tail.unwrap();
        let told = "it printed nothing and called no tool for 3s, and was ended";
        assert_eq!((ended.reason, tail.as_str()), (RunEnd::NoReport, told));
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn while_the_hub_is_away_nobody_tells_of_calls_and_silence_does_not_count() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.client("qwen", "sleep 5; echo > there; exec sleep 600"));
        let mut hub = stage.hub.connected().await;
        hub.welcomes(&["fs-1"], &[], Duration::from_secs(1)).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        hub.started().await;
        hub.breaks();
        drop(hub);
        let mut hub = stage.hub.connected().await;
        stage.file("there").await;
        hub.welcomes(&["fs-1"], &["1"], Duration::from_secs(1)).await;
        assert_eq!(hub.ended(false).await.reason, RunEnd::NoReport);
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_host_that_ends_takes_its_processes_along_and_says_so() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("exec sleep 600"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let pid = hub.started().await;
        host.is_to_end();
        assert_eq!(hub.ended(false).await.reason, RunEnd::Killed, "the task is given back");
        assert!(hub.said_bye().await);
        host.ended().await.unwrap();
        is_gone(pid).await;
    })
    .await;
}

#[tokio::test]
async fn a_client_that_fails_three_times_in_a_row_is_given_a_pause() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("echo 'no such model' >&2; exit 1"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        for id in ["1", "2", "3"] {
            hub.parked().await;
            hub.says(ToHost::Offer(Box::new(offer("fs-1", id, "paint")))).await;
            let ended = hub.ended(false).await;
            assert_eq!((ended.reason, ended.tail.as_deref()), (RunEnd::Crashed, Some("no such model")));
        }
        let told = |message: &FromHost| {
            if let FromHost::Paused { pause, reason, .. } = message { Some((*pause, *reason)) } else { None }
        };
        let (pause, reason) = hub.hears(told).await;
        assert!(pause > Duration::from_secs(30) && pause <= Duration::from_secs(60), "{pause:?}");
        assert_eq!(reason, RunEnd::Crashed);
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_conversation_that_a_client_does_not_know_is_begun_anew() {
    play(async |stage: Stage| {
        let script = "case \"$*\" in *resume*) echo 'no rollout found' >&2; exit 1;; esac; echo anew";
        let host = stage.starts(stage.client("codex", script));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        for (id, reason) in [("1", RunEnd::Crashed), ("2", RunEnd::NoReport)] {
            let offered = Offer { conversation: Some("c-9".to_owned()), ..offer("fs-1", id, "paint") };
            hub.says(ToHost::Offer(Box::new(offered))).await;
            assert_eq!(hub.ended(false).await.reason, reason);
        }
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_limit_is_told_with_its_end_and_account() {
    play(async |stage: Stage| {
        let script = r#"echo '{"type":"thread.started","thread_id":"t-1"}'
            echo '{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Try again at 4:24 PM."}}'
            exit 1"#;
        let host = stage.starts(stage.client("codex", script));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let ended = hub.ended(false).await;
        let limited = ended.limited.unwrap();
        assert_eq!((ended.reason, limited.account.as_deref()), (RunEnd::Limited, Some("team")));
        assert!(limited.until.is_some());
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn all_that_is_printed_is_taken_and_only_its_end_is_held() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.client("claude", "yes 'a line of words' | head -c 100000000; echo the end"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let tail = hub.ended(false).await.tail.unwrap();
        assert!(tail.len() <= 4096 && tail.ends_with("the end"), "{} bytes", tail.len());
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

fn git(stage: &Stage, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(stage.workspace.path()).args(arguments);
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.com");
    }
    assert!(command.output().unwrap().status.success(), "git {arguments:?}");
}

#[tokio::test]
async fn a_run_works_in_a_worktree_and_what_stands_in_its_way_is_said() {
    play(async |stage: Stage| {
        git(&stage, &["init", "--quiet"]);
        git(&stage, &["commit", "--quiet", "--allow-empty", "-m", "begin"]);
        let host = stage.starts(stage.script("git branch --show-current; touch work; git status --short"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        let at_work = |id| ToHost::Offer(Box::new(Offer { worktree: true, ..offer("fs-1", id, "paint") }));
        hub.says(at_work("1")).await;
        let ended = hub.ended(false).await;
        assert_eq!(ended.tail.as_deref(), Some("feature/dev/00000001\n?? work"));
        let path = stage.workspace.path().join(".callboard/worktrees/dev-00000001/work");
        assert!(path.exists(), "what was not committed is kept");
        git(&stage, &["checkout", "--quiet", "-b", "feature/dev/00000002"]);
        hub.says(at_work("2")).await;
        let ended = hub.ended(false).await;
        let why = ended.tail.unwrap();
        assert_eq!(ended.reason, RunEnd::Spawn);
        assert!(why.starts_with("the branch `feature/dev/00000002` is checked out in `"), "{why}");
        assert!(why.ends_with("switch that folder to another one"), "{why}");
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn the_worktree_of_a_task_that_comes_back_at_once_is_not_taken_away_under_it() {
    play(async |stage: Stage| {
        git(&stage, &["init", "--quiet"]);
        git(&stage, &["commit", "--quiet", "--allow-empty", "-m", "begin"]);
        let host = stage.starts(stage.script("sleep 0.2; git rev-parse --show-toplevel && echo is there"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        for id in ["1", "2", "3"] {
            let mut offered = Offer { worktree: true, ..offer("fs-1", "9", "paint") };
            offered.run = run(id);
            hub.says(ToHost::Offer(Box::new(offered))).await;
            hub.started().await;
            hub.says(ToHost::Called { run: run(id) }).await;
            let ended = hub.ended(false).await;
            assert!(ended.tail.as_deref().is_some_and(|tail| tail.ends_with("is there")), "{ended:?}");
        }
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_task_that_was_taken_away_begins_anew_only_when_its_process_is_gone() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("trap '' TERM; echo $$; for i in 1 2 3 4 5 6; do sleep 0.2; done"));
        let mut hub = stage.hub.welcomes(&["fs-1", "fs-2"], &[]).await;
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let first = hub.started().await;
        hub.says(ToHost::Stop { run: run("1"), why: StopReason::Evicted }).await;
        let again = Offer { run: run("2"), ..offer("fs-2", "1", "paint") };
        hub.says(ToHost::Offer(Box::new(again))).await;
        let ended = hub.ended(false).await;
        assert_eq!(ended.run, run("1"), "nothing of the second was there before: {ended:?}");
        is_gone(first).await;
        hub.started().await;
        assert_eq!(hub.ended(false).await.run, run("2"));
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_folder_that_takes_no_files_is_said() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("true"));
        let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
        hub.parked().await;
        // As a full disk would be: nothing can be made there. A file is where the folder of the run has to be.
        fs::write(stage.data.path().join("oncall/fs").join(run("1").as_str()), "").unwrap();
        hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
        let ended = hub.ended(false).await;
        assert_eq!(ended.reason, RunEnd::Spawn);
        let why = ended.tail.unwrap();
        assert!(why.starts_with("failed to write the files of the run into `"), "{why}");
        host.is_to_end();
        assert!(hub.said_bye().await);
    })
    .await;
}

#[tokio::test]
async fn a_host_that_the_hub_refuses_ends_with_its_words() {
    play(async |stage: Stage| {
        let host = stage.starts(stage.script("true"));
        let mut hub = stage.hub.connected().await;
        let (code, error, prompt) = ("HOST_EXISTS", "another host has these agents", "end it first");
        hub.says(ToHost::Refused { code: code.to_owned(), error: error.to_owned(), prompt: Some(prompt.to_owned()) })
            .await;
        let words = host.ended().await.unwrap_err().words();
        assert_eq!(words, "error: another host has these agents (HOST_EXISTS)\n  next: end it first\n");
    })
    .await;
}

#[tokio::test]
async fn two_hosts_of_one_machine_have_agents_of_their_own() {
    play(async |stage: Stage| {
        let spec = stage.script("true");
        let first = stage.folders(&spec).unwrap();
        let words = stage.folders(&spec).unwrap_err().words();
        assert!(words.contains("another host on this machine has the agents `fs-…`"), "{words}");
        drop(first);
        stage.folders(&spec).unwrap();
        let folder = stage.data.path().join("oncall/fs");
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_a_host_is_told_what_to_do() {
    play(async |stage: Stage| {
        let told = |host| HostSpec::of(host, &[]).unwrap_err().words();
        let whole = |client: &str| {
            let client = Some(client.to_owned()).filter(|client| !client.is_empty());
            crate::settings::OnCallHost { client, command: Vec::new(), ..stage.settings(&[]) }
        };
        assert!(told(whole("emacs")).contains("there is no preset `emacs`; there are claude, codex"));
        assert!(told(whole("")).contains("callboard oncall claude --role ROLE"));
        let mut nowhere = stage.settings(&["true"]);
        nowhere.workspace = Some(stage.data.path().join("gone"));
        assert!(told(nowhere).contains("is no folder\n  next: name the folder in which the agents work"));
        let mut long = stage.settings(&["true"]);
        long.agent = Some("x".repeat(64));
        assert!(told(long).contains("--agent PREFIX"));
        let missing = told(stage.settings(&["no-such-client"]));
        assert!(missing.contains("`no-such-client` is not there"), "{missing}");
        let beside = told(stage.settings(&["./beside.sh"]));
        assert!(beside.contains("it is looked for in `") && beside.contains("give its whole path"), "{beside}");
        let mut locked = stage.settings(&["./locked.sh"]);
        locked.workspace = Some(stage.data.path().to_owned());
        fs::write(stage.data.path().join("locked.sh"), "true\n").unwrap();
        assert!(told(locked).contains("is not executable"));
        let mut copilot = whole("copilot");
        copilot.wrap = Some(Vec::new());
        let words = HostSpec::of(copilot, &[]).map(|_| String::new()).unwrap_or_else(|problem| problem.words());
        assert!(words.is_empty() || words.contains("npm install -g @github/copilot, and log in"), "{words}");
    })
    .await;
}
