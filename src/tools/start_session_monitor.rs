//! `start_session_monitor`: the hub follows a log file as if it were the terminal that it was written for.

use std::collections::BTreeMap;

use super::prelude::*;
use super::terminals::may_change;
use super::{authorize, texts};
use crate::actors::common::Fault;
use crate::actors::terminal::TerminalView;
use crate::domain::ids::TerminalId;
use crate::domain::permission::Deed;
use crate::domain::terminal::{TerminalKind, TerminalSpec};
use crate::terminal::{LogFile, LogFileRefusal};

/// The most entries of `metadata`.
const METADATA: usize = 32;
/// The longest of them, in bytes.
const ENTRY: usize = 1024;

/// What sort of file it is.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SessionType {
    /// The log of a remote session.
    Ssh,
    /// What `script` records.
    Script,
    /// A log of any program.
    File,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartSessionMonitor {
    /// A name for it: yours to choose, or your own session's id.
    session_id: String,
    /// What sort of file it is.
    session_type: SessionType,
    /// The file, by an absolute path in a folder that the hub allows.
    log_file: String,
    /// Whatever else you want to say of it.
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    session_id: String,
    /// `active`.
    status: String,
    /// Where in the file it begins.
    file_position: u64,
    /// When it began, RFC 3339.
    start_time: String,
    log_file: String,
}

impl Verb for StartSessionMonitor {
    const NAME: &'static str = "start_session_monitor";
    const TITLE: &'static str = "Follow a log file";
    const DESCRIPTION: &'static str = "\
        Let the hub follow a log file: what grows there is drawn as in a terminal, and watched for prompts. Read it \
        with get_session_updates, ask with detect_input_prompt, end with stop_session_monitor, which deletes no file.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ADDS;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let output = call.once(start(&call, input)).await?;
        let message = format!("`{}` is followed.", output.log_file);
        Ok(Answer::new(message, output))
    }
}

async fn start(call: &Call, input: StartSessionMonitor) -> Result<Output> {
    let id = TerminalId::parse(input.session_id.trim())
        .map_err(|error| Refusal::new("INVALID_SESSION_ID", error.to_string()))?;
    // A session's id may be used by its own agent, and by people.
    if id.session().is_some() {
        call.terminal(id.as_str()).await?;
    }
    match id.session() {
        Some(session) => {
            authorize::in_session(&call.hub, &call.caller.principal, &session, Deed::PrintInTerminal).await?;
        }
        None => may_change(&call.hub, &call.caller.principal, None).await?,
    }
    let metadata = metadata(input.metadata)?;
    if call.hub.supervisor.terminal(&id).await.map_err(refuse::fault)?.is_some() {
        return Err(taken(&id));
    }
    let (roots, path) = (call.settings.hub.monitor.roots.clone(), input.log_file.clone());
    let opened = tokio::task::spawn_blocking(move || LogFile::open(&roots, &path, None).map(drop)).await;
    opened.map_err(|error| refuse::fault(Fault::Unavailable(error.to_string())))?.map_err(refused)?;
    let agent = call.agent.as_ref().map(|agent| agent.id.clone());
    let workspace = match &agent {
        Some(agent) => call.hub.workspace_of(agent).await.map_err(refuse::fault)?,
        None => None,
    };
    let spec = TerminalSpec {
        id: id.clone(),
        owner: call.caller.principal.id.clone(),
        agent,
        workspace,
        kind: match input.session_type {
            SessionType::Ssh => TerminalKind::Ssh,
            SessionType::Script => TerminalKind::Script,
            SessionType::File => TerminalKind::File,
        },
        log_file: Some(input.log_file),
        metadata,
        started_at: call.hub.clock.now(),
    };
    let (terminal, fresh) = call.hub.supervisor.open_terminal(spec).await.map_err(refuse::fault)?;
    if !fresh {
        return Err(taken(&id));
    }
    let view = terminal.begin(call.caller.by(), Some(call.caller.request.clone())).await.map_err(refuse::fault)?;
    Ok(Output::of(view))
}

impl Output {
    fn of(view: TerminalView) -> Self {
        Self {
            session_id: view.session_id,
            status: "active".to_owned(),
            file_position: view.file_position,
            start_time: view.started_at.to_string(),
            log_file: view.log_file.unwrap_or_default(),
        }
    }
}

fn metadata(given: BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let verb = StartSessionMonitor::NAME;
    if given.len() > METADATA {
        let what = format!("has {} entries; {METADATA} is the most", given.len());
        return Err(refuse::bad_argument(verb, "metadata", what));
    }
    let entries = given.into_iter().map(|(key, value)| {
        Ok((texts::text(verb, "metadata", &key, ENTRY)?, texts::text(verb, "metadata", &value, ENTRY)?))
    });
    entries.collect()
}

fn taken(id: &TerminalId) -> Refusal {
    Refusal::new("SESSION_ALREADY_EXISTS", format!("Session {id} is monitored already"))
}

fn refused(refusal: LogFileRefusal) -> Refusal {
    let code = match &refusal {
        LogFileRefusal::NotFound(_) => "FILE_NOT_FOUND",
        LogFileRefusal::NotReadable { .. } => "FILE_NOT_READABLE",
    };
    Refusal::new(code, refusal.to_string())
}
