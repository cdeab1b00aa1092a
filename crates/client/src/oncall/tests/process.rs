//! Real programs: what they read and print, and that none is left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use tokio::time::{sleep, timeout};

use crate::oncall::output::Stream;
use crate::oncall::process::{Process, ProcessEvent, ProcessExit, ProcessSpec};

/// Longer than any of this takes on a busy machine.
const AT_MOST: Duration = Duration::from_secs(60);

fn sh(script: &str) -> Vec<String> {
    ["/bin/sh", "-c", script].map(str::to_owned).to_vec()
}

fn start(argv: &[String], folder: &Path, stdin: Option<String>) -> Result<Process, String> {
    let environment = BTreeMap::from([
        ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
        ("ONE".to_owned(), "1".to_owned()),
    ]);
    Process::start(ProcessSpec { argv, folder, environment: &environment, stdin })
}

async fn whole(mut process: Process) -> (String, String, ProcessExit) {
    let (mut out, mut error) = (Vec::new(), Vec::new());
    loop {
        match timeout(AT_MOST, process.next()).await.expect("it ends").unwrap() {
            ProcessEvent::Printed(Stream::Out, bytes) => out.extend(bytes),
            ProcessEvent::Printed(Stream::Error, bytes) => error.extend(bytes),
            ProcessEvent::Exited(exit) => {
                let text = |bytes| String::from_utf8(bytes).unwrap();
                return (text(out), text(error), exit);
            }
        }
    }
}

/// The number that a program prints in its first line.
async fn printed_pid(process: &mut Process) -> Pid {
    let mut out = String::new();
    while !out.ends_with('\n') {
        let event = timeout(AT_MOST, process.next()).await.expect("it prints").unwrap();
        let ProcessEvent::Printed(Stream::Out, bytes) = event else { panic!("{event:?}") };
        out += &String::from_utf8(bytes).unwrap();
    }
    Pid::from_raw(out.trim().parse().unwrap()).unwrap()
}

/// Until a process is gone; one whose parent has not collected it yet does not run any more.
async fn gone(pid: Pid) {
    let runs = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        test_kill_process(pid).is_ok() && !stat.contains(") Z ")
    };
    timeout(AT_MOST, async {
        while runs() {
            sleep(Duration::from_millis(2)).await;
        }
    })
    .await
    .expect("it is gone");
}

#[tokio::test]
async fn it_reads_its_text_and_has_the_named_environment_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = "a line\n".repeat(100_000);
    let (out, _, exit) =
        whole(start(&sh("wc -c; pwd -P; env | cut -d= -f1"), folder.path(), Some(text)).unwrap()).await;
    let mut lines = out.lines();
    assert_eq!(lines.next().unwrap().trim(), "700000");
    assert_eq!(lines.next(), folder.path().canonicalize().unwrap().to_str());
    let names: Vec<_> = lines.filter(|name| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_")).collect();
    assert!(names.len() == 2 && names.contains(&"PATH") && names.contains(&"ONE"), "{names:?}");
    assert_eq!(exit, ProcessExit { code: Some(0), signal: None });
}

#[tokio::test]
async fn who_does_not_read_its_text_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let (out, error, exit) =
        whole(start(&sh("echo out; echo error >&2; exit 3"), folder.path(), Some("x".repeat(1_000_000))).unwrap())
            .await;
    assert_eq!((out.as_str(), error.as_str(), exit.code), ("out\n", "error\n", Some(3)));
    let (out, _, _) = whole(start(&sh("cat; echo end"), folder.path(), None).unwrap()).await;
    assert_eq!(out, "end\n", "without a text its input is empty");
}

#[tokio::test]
async fn what_it_left_running_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(&sh("sleep 600 & echo $!"), folder.path(), None).unwrap();
    let left = printed_pid(&mut process).await;
    let event =
        timeout(AT_MOST, process.next()).await.expect("the pipe that the other holds is not waited for").unwrap();
    assert!(matches!(event, ProcessEvent::Exited(ProcessExit { code: Some(0), .. })), "{event:?}");
    gone(left).await;
}

#[tokio::test]
async fn it_is_asked_to_end_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(&sh("sleep 600 & echo $!; wait"), folder.path(), None).unwrap();
    let child = printed_pid(&mut process).await;
    process.terminate();
    let (_, _, exit) = whole(process).await;
    assert_eq!(exit, ProcessExit { code: None, signal: Some(15) });
    gone(child).await;
}

#[tokio::test]
async fn who_ignores_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut process =
        start(&sh("trap 'echo asked' TERM; echo $$; while :; do sleep 600 & wait $!; done"), folder.path(), None)
            .unwrap();
    printed_pid(&mut process).await;
    process.terminate();
    let event = timeout(AT_MOST, process.next()).await.expect("it is asked").unwrap();
    assert!(matches!(&event, ProcessEvent::Printed(Stream::Out, bytes) if bytes == b"asked\n"), "{event:?}");
    process.kill();
    let (_, _, exit) = whole(process).await;
    assert_eq!(exit.signal, Some(9));
}

#[tokio::test]
async fn dropped_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(&sh("echo $$; sleep 600"), folder.path(), None).unwrap();
    let pid = printed_pid(&mut process).await;
    drop(process);
    gone(pid).await;
}

const HOST: &str = "oncall::tests::process::is_a_host_that_is_killed";
const IS_HOST: &str = "CALLBOARD_TEST_HOST";

/// Started by the next test as a process of its own.
#[tokio::test]
async fn is_a_host_that_is_killed() {
    let Some(file) = std::env::var_os(IS_HOST) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut process =
        start(&sh("trap '' TERM HUP INT; echo $$; while :; do sleep 600; done"), folder.path(), None).unwrap();
    let pid = printed_pid(&mut process).await;
    fs::write(&file, format!("{}\n", pid.as_raw_nonzero())).unwrap();
    sleep(AT_MOST).await;
}

#[tokio::test]
async fn a_host_that_is_killed_takes_its_processes_along() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args([HOST, "--exact"]).env(IS_HOST, &file).stdout(Stdio::null()).stderr(Stdio::null());
    let mut host = host.spawn().unwrap();
    let pid = timeout(AT_MOST, async {
        loop {
            let text = fs::read_to_string(&file).unwrap_or_default();
            if text.ends_with('\n') {
                return Pid::from_raw(text.trim().parse().unwrap()).unwrap();
            }
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .expect("the host starts a process");
    assert!(test_kill_process(pid).is_ok());
    // SIGKILL: it can do nothing any more.
    host.kill().unwrap();
    host.wait().unwrap();
    gone(pid).await;
}

#[tokio::test]
async fn a_daemon_that_left_the_group_does_not_hold_up_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let has_setsid = Command::new("setsid").arg("true").status().is_ok_and(|status| status.success());
    assert!(has_setsid, "the test needs setsid");
    let mut process = start(&sh("setsid sleep 30 & echo $!; exit 0"), folder.path(), None).unwrap();
    printed_pid(&mut process).await;
    let (_, _, exit) = timeout(Duration::from_secs(20), whole(process)).await.expect("its pipe is left behind");
    assert_eq!(exit.code, Some(0));
}

#[tokio::test]
async fn who_insists_on_a_terminal_is_given_one_by_script_and_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    // The tests may have been started so that nothing hears a hangup.
    let before = ["env", "--default-signal=HUP", "script", "-qec"];
    let behind = |inner: &str| before.into_iter().chain([inner, "/dev/null"]).map(str::to_owned).collect::<Vec<_>>();
    let mut process = start(&behind("test -t 0 && test -t 1 && echo $$ && sleep 600"), folder.path(), None).unwrap();
    let inner = printed_pid(&mut process).await;
    process.terminate();
    process.kill();
    gone(inner).await;
    let (_, _, exit) = whole(start(&behind("exit 3"), folder.path(), None).unwrap()).await;
    assert_eq!(exit.code, Some(3));
}

#[tokio::test]
async fn what_cannot_be_started_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let error = start(&["no-such-client".to_owned()], folder.path(), None).unwrap_err();
    assert_eq!(error, "`no-such-client` is not there: install it, or put its folder into the PATH of the host");
    let error = start(&sh("true"), &folder.path().join("gone"), None).unwrap_err();
    assert!(error.starts_with("the working folder `") && error.ends_with("/gone` is not there"), "{error}");
    assert_eq!(start(&[], folder.path(), None).unwrap_err(), "there is no command");
    let long = vec!["/bin/true".to_owned(), "x".repeat(10_000_000)];
    assert_eq!(start(&long, folder.path(), None).unwrap_err(), "the task is too long to be an argument of `/bin/true`");
}
