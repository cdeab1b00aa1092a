//! A hub that says all it could say, and an agent with a session in whose terminal programs are hosted.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::agent::Agent;
use super::events::Events;
use super::hub_process::{HubProcess, callboard};
use super::pause;
use super::terminal::Terminal;

/// It logs whatever it can, and lets a story ask as often as it likes.
const LOUD: &str = "log: {level: trace}\nlimits: {requestsPerSecond: 10000, burst: 10000}\n";

/// The folder of log files that it may follow, in its data directory.
pub(crate) const FOLLOWED: &str = "followed";

/// The hub and the agent.
pub(crate) struct Scene {
    pub(crate) hub: HubProcess,
    pub(crate) agent: Agent,
    pub(crate) data_dir: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::set_to("")
    }

    /// The same with more of `hub.yaml`.
    pub(crate) fn set_to(more: &str) -> Self {
        let data_dir = TempDir::new().unwrap();
        let hub = Self::hub_set_to(&data_dir, more);
        let agent = Agent::register(&hub, "host-1", "full-stack-engineer");
        Self { hub, agent, data_dir }
    }

    /// A hub on that folder, which logs whatever it can.
    pub(crate) fn hub(data_dir: &TempDir) -> HubProcess {
        Self::hub_set_to(data_dir, "")
    }

    fn hub_set_to(data_dir: &TempDir, more: &str) -> HubProcess {
        let config = data_dir.path().join("config");
        fs::create_dir_all(&config).unwrap();
        let followed = data_dir.path().join(FOLLOWED);
        fs::create_dir_all(&followed).unwrap();
        // What is left alone for a moment lies on disk alone, here as after minutes elsewhere.
        let monitor = format!("monitor: {{roots: [\"{}\"], restAfter: 1s}}", followed.display());
        let settings = format!("{LOUD}{monitor}\n{more}");
        fs::write(config.join("hub.yaml"), settings).unwrap();
        HubProcess::start_with(data_dir.path(), &["--config", config.to_str().unwrap()])
    }

    /// `callboard run … -- bash -c SCRIPT`, which finds the hub by its data directory.
    pub(crate) fn hosts(&self, script: &str) -> Terminal {
        self.runs(&[], script)
    }

    /// The same with `--inject`.
    pub(crate) fn hosts_and_types(&self, script: &str) -> Terminal {
        self.runs(&["--inject"], script)
    }

    /// The same for another agent.
    pub(crate) fn hosts_for(&self, agent: &str, script: &str) -> Terminal {
        let mut run = callboard(self.data_dir.path());
        run.args(["run", "--agent", agent, "--", "bash", "--norc", "--noprofile", "-c", script]);
        Terminal::start(run)
    }

    fn runs(&self, flags: &[&str], script: &str) -> Terminal {
        let mut run = callboard(self.data_dir.path());
        run.args(["run", "--agent", "host-1"]).args(flags);
        run.args(["--", "bash", "--norc", "--noprofile", "-c", script]);
        Terminal::start(run)
    }

    pub(crate) fn events(&self) -> Events {
        Events::of(&self.hub)
    }

    /// The agent's session.
    pub(crate) fn session(&self) -> String {
        let answer = self.agent.calls(&self.hub, "get_session", &json!({}));
        let session = &answer["session"];
        let id = session.get("sessionId").or_else(|| session.get("session_id")).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("the agent has a session: {answer}")).to_owned()
    }

    pub(crate) fn transcript(&self) -> Value {
        self.hub.get(&format!("/api/v1/sessions/{}/transcript", self.session())).1
    }

    /// What the detector sees of the terminal once it shows a prompt of these words that fits.
    #[track_caller]
    pub(crate) fn sees(&self, words: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let session = self.session();
        let mut seen = Value::Null;
        for _ in 0..1_500 {
            seen = self.agent.calls(&self.hub, "detect_input_prompt", &json!({ "session_id": session }));
            if seen["prompt"]["prompt_text"] == words && fits(&seen["prompt"]) {
                return seen["prompt"].take();
            }
            pause(60);
        }
        panic!("`{words}` is not seen so, but {seen}");
    }

    /// The same once typing is safe.
    #[track_caller]
    pub(crate) fn is_safe_at(&self, words: &str) -> Value {
        self.sees(words, |prompt| prompt["safe_to_type"] == true)
    }
}
