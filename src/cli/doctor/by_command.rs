//! An entry that starts a program: it is started, with what the entry sets in its environment.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::finding::Finding;
use super::wait::{self, Failure, SECONDS, TIMEOUT, Trial};
use crate::cli::client::HubClient;
use crate::cli::connect::{Client, Found, REMARK, Values};
use crate::cli::exit::Exit;
use crate::cli::hook::is_nudge;
use crate::domain::text::{clean, redact, shorten};

/// How much of what a program says to people is shown: its last lines, and of a line so many characters.
const LINES: usize = 8;
const LENGTH: usize = 400;

/// How much of it is read in all, in bytes: who says more than this is not listened to.
const HEARD: u64 = 1024 * 1024;

/// How long the last of it may take to come, once the program has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A secret that an entry sets has no shape; a shorter one is found in too many words.
const SECRET_FROM: usize = 8;

/// What is set under these says where things are, and is no secret.
const PLAIN: [&str; 7] = [
    "CALLBOARD_URL", "CALLBOARD_DATA_DIR", "CALLBOARD_TOKEN_FILE", "CALLBOARD_AGENT_ID", "CALLBOARD_AGENT_ROLE",
    "CALLBOARD_CONFIG", "CALLBOARD_CONFIG_DIR",
];

pub(super) async fn tried(check: &str, hub: &HubClient, client: Client, found: &Found) -> Vec<Finding> {
    let Found::Stdio { command, arguments, environment, .. } = found else { return Vec::new() };
    let Some(agent) = agent(found) else {
        let again = format!("callboard connect {} --agent ID --role ROLE", client.name());
        return vec![Finding::wrong(check, Exit::Configuration, "its entry names no agent").next(again)];
    };
    if let Some(Err(name)) = environment.values().find(|value| value.is_err()) {
        let message = format!("its entry names `{name}`, which is not set here: nothing was tried");
        let next = format!("set {name} as the client has it, then callboard doctor");
        return vec![Finding::skipped(check, message).next(next)];
    }
    let outcome = talked(client, command, arguments, environment);
    let mut findings = vec![wait::outcome(check, "its command", outcome, typed(command, arguments, environment))];
    let has_role = super::flag::set(found, "--role", "CALLBOARD_AGENT_ROLE").is_some();
    findings.extend(wait::of_agent(hub, client, &agent, has_role).await);
    findings
}

/// For which agent: as the program reads it.
pub(super) fn agent(found: &Found) -> Option<String> {
    super::flag::set(found, "--agent", "CALLBOARD_AGENT_ID")
}

/// The command as a shell would read it; what a variable is set to may be a secret, and is left out.
fn typed(command: &str, arguments: &[String], environment: &Values) -> String {
    let variables = environment.keys().map(|name| format!("{name}=… "));
    redact(&format!("{}{command} {}", variables.collect::<String>(), arguments.join(" "))).into_owned()
}

fn talked(client: Client, command: &str, arguments: &[String], environment: &Values) -> Result<Trial, Failure> {
    let mut command = Command::new(command);
    // The client's environment is not this one.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALLBOARD_")) {
        command.env_remove(name);
    }
    command.envs(environment.iter().filter_map(|(name, value)| Some((name, value.as_ref().ok()?))));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Failure::of(error.to_string()))?;
    let said = child.stderr.take().map(last_words);
    let outcome = talk(client, &mut child);
    // Its input ends with this, and so does it, before it counts a task as read; if not, it is ended.
    drop(child.stdin.take());
    drop(child.kill());
    drop(child.wait());
    outcome.map_err(|failure| {
        let said = said.and_then(|said| said.recv_timeout(LAST_WORDS).ok()).unwrap_or_default();
        Failure { said: said.iter().map(|line| presentable(line, environment)).collect(), ..failure }
    })
}

fn talk(client: Client, child: &mut Child) -> Result<Trial, Failure> {
    let (send, heard) = mpsc::channel();
    let output = child.stdout.take().ok_or_else(|| Failure::of("it has no output"))?;
    thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    let mut says = |message: &Value| {
        let input = child.stdin.as_mut().ok_or_else(|| Failure::of("it has no input"))?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| Failure::of(error.to_string()))
    };
    let began = Instant::now();
    says(&wait::hello(client))?;
    wait::answered(&answer(&heard, 1, TIMEOUT)?)?;
    let shook = began.elapsed();
    says(&wait::ready())?;
    says(&wait::list())?;
    let tools = wait::listed(&answer(&heard, 2, TIMEOUT)?)?;
    says(&wait::probe())?;
    let began = Instant::now();
    wait::answered(&answer(&heard, 3, Duration::from_secs(SECONDS) + TIMEOUT)?)?;
    Ok(Trial { shook, tools, waited: began.elapsed() })
}

/// Runs the command of each waking hook as a probe: no wait is disturbed, and no work is taken.
pub(super) fn nudged(client: Client, commands: &[String]) -> Option<Finding> {
    let check = format!("client {} wake", client.name());
    let command =
        commands.iter().find_map(|command| command.strip_suffix(REMARK).filter(|it| it.contains(" 'wake' ")))?;
    let ran = Command::new("sh").args(["-c", &format!("{command} '--probe'")]).stdin(Stdio::null()).output();
    let said = ran.map(|ran| String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).trim().to_owned());
    Some(match said {
        Ok(said) if is_nudge(&said) && client == Client::Opencode => {
            let message = "its plugin's command reaches the hub, and says what wakes it";
            Finding::good(check, format!("{message}; {}", super::woken::UNTRIED))
        }
        Ok(said) if is_nudge(&said) => Finding::good(check, "its hook reaches the hub, and says what wakes it"),
        Ok(said) => {
            let why = presentable(said.lines().next().unwrap_or("it says nothing"), &Values::new());
            let again = format!("callboard connect {} --agent ID --role ROLE --wake", client.name());
            Finding::wrong(check, Exit::Configuration, format!("its hook would not wake it: {why}")).next(again)
        }
        Err(error) => Finding::wrong(check, Exit::Configuration, format!("its hook cannot be run: {error}")),
    })
}

/// The answer under this id; what comes before it is passed over.
fn answer(heard: &Receiver<String>, id: u64, patience: Duration) -> Result<Value, Failure> {
    loop {
        let line = heard.recv_timeout(patience).map_err(|ended| match ended {
            mpsc::RecvTimeoutError::Timeout => Failure::of("it does not answer"),
            mpsc::RecvTimeoutError::Disconnected => Failure::of("it ended without an answer"),
        })?;
        let said: Value = serde_json::from_str(&line).map_err(|_| Failure::of("it says what is no message"))?;
        if said["id"] == id {
            return Ok(said);
        }
    }
}

/// The last lines of what is said there; they come when it is closed.
fn last_words(stderr: ChildStderr) -> Receiver<VecDeque<String>> {
    let (send, heard) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = VecDeque::new();
        for line in BufReader::new(stderr.take(HEARD)).split(b'\n').map_while(Result::ok) {
            if lines.len() == LINES {
                lines.pop_front();
            }
            lines.push_back(String::from_utf8_lossy(&line).into_owned());
        }
        send.send(lines)
    });
    heard
}

/// A line without what drives a terminal, and without secrets: those of a known shape, and what the entry sets.
pub(super) fn presentable(line: &str, environment: &Values) -> String {
    let line = clean(line, line.len()).text;
    let mut line = redact(&line).into_owned();
    let set = environment.iter().filter(|(name, _)| !PLAIN.contains(&name.as_str()));
    for value in set.filter_map(|(_, value)| value.as_ref().ok()).filter(|value| value.len() >= SECRET_FROM) {
        line = line.replace(value.as_str(), "[secret]");
    }
    shorten(line.trim_end(), LENGTH)
}
