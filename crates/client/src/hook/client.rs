//! What the hooks of each client read, and what bounds them: measured with the real programs on 2026-11-27.

use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::NUDGE;

/// A client whose hooks run these commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookClient {
    Claude,
    Gemini,
    Qwen,
    Copilot,
    Opencode,
    Codex,
}

/// How a hook at the end of a turn makes its client go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoOn {
    /// Words on standard error, and exit code 2.
    ExitTwo,
    /// `{"decision": "block", "reason": …}` on standard output, and exit code 0.
    Block,
    /// The words alone on standard output, for the plugin of `connect`.
    Words,
    /// It cannot wait: why.
    Never(&'static str),
}

/// In which form a hook answers whether a tool may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `{"hookSpecificOutput": {…, "decision": {"behavior": …}}}`.
    HookOutput,
    /// `{"behavior": …}`.
    Plain,
    /// The client has no such hook.
    None,
}

/// One client's hooks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hooks {
    pub(super) go_on: GoOn,
    /// After so many blocks in a row the client ends its turn, and loses the reason of the last one.
    pub(super) cap: Option<u32>,
    permission: Form,
    /// How long a hook may take to answer, with room to spare.
    pub(super) within: Duration,
}

/// An hour and a bit less than the two hours that `connect` writes as the hooks' own time.
const LONG: Duration = Duration::from_secs(7_000);

impl HookClient {
    /// As it is typed.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
            Self::Codex => "codex",
        }
    }

    pub(super) const fn hooks(self) -> Hooks {
        let (go_on, cap, permission, within) = match self {
            Self::Claude => (GoOn::ExitTwo, None, Form::HookOutput, LONG),
            Self::Gemini => (GoOn::Block, None, Form::None, LONG),
            // No hook of it may take longer than 60 s, whatever its own time says.
            Self::Qwen => (
                GoOn::Never("Qwen Code ends every hook after 60 s"),
                Some(8),
                Form::HookOutput,
                Duration::from_secs(50),
            ),
            Self::Copilot => (GoOn::Block, Some(8), Form::Plain, LONG),
            Self::Opencode => (GoOn::Words, None, Form::Plain, LONG),
            Self::Codex => (GoOn::Never("the proxy wakes Codex, by its daemon"), None, Form::HookOutput, LONG),
        };
        Hooks { go_on, cap, permission, within }
    }
}

impl GoOn {
    /// What is printed on standard output, on standard error, and the exit code.
    pub(super) fn said(self) -> (Option<String>, Option<&'static str>, u8) {
        match self {
            Self::ExitTwo => (None, Some(NUDGE), 2),
            Self::Block => (Some(json!({"decision": "block", "reason": NUDGE}).to_string()), None, 0),
            Self::Words => (Some(NUDGE.to_owned()), None, 0),
            Self::Never(_) => (None, None, 0),
        }
    }
}

impl Hooks {
    /// The decision of `ask_permission` as the client's hook says it; none without such a hook, or without a decision.
    pub(super) fn decision(&self, answer: &Value) -> Option<String> {
        let decision = match answer["behavior"].as_str()? {
            "allow" => json!({ "behavior": "allow" }),
            "deny" => json!({"behavior": "deny", "message": answer["message"].as_str().unwrap_or("It was denied.")}),
            _ => return None,
        };
        let said = match self.permission {
            Form::HookOutput => {
                json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
            }
            Form::Plain => decision,
            Form::None => return None,
        };
        Some(said.to_string())
    }

    /// Whether the client has a hook in the place of its prompt.
    pub(super) const fn asks_permission(&self) -> bool {
        !matches!(self.permission, Form::None)
    }
}
