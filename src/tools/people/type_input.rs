//! An answer that somebody gives through the hub to a program in a hosted terminal.
//!
//! Agents have no tool for it, and a secret is never typed. Order and key are on disk before the host hears of it: if
//! the hub is cut off, the answer is at worst not typed, and never twice.

use std::time::Duration;

use tokio::time::timeout;

use super::prelude::*;
use crate::actors::common::Fault;
use crate::actors::terminal::{TypeError, TypeOrder};
use crate::domain::ids::TerminalId;
use crate::domain::principal::PrincipalKind;
use crate::domain::terminal::{InputAsk, InputOrder, MOST_TYPED, NotTyped, TerminalRecord};
use crate::journal::{Kept, Record, Stream};
use crate::tools::terminals;
use crate::tools::texts::words;

/// The longest reason, in bytes.
const MOST_REASON: usize = 512;
/// How long a host may take to say what came of an order.
const HOST_SAYS: Duration = Duration::from_secs(10);
/// Among how many of a terminal's last records a repeat looks for what came of its order.
const LOOKED_THROUGH: usize = 200;

/// What to type, and why.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TypeInput {
    /// The text, at most 1 KiB on one line, without the key that enters it.
    pub text: String,
    /// The prompt that it answers, as it was seen.
    pub prompt_text: String,
    /// Why, for the event; at most 512 bytes.
    pub reason: String,
    /// The `file_position` of that prompt: another one of the same words is not answered.
    #[serde(default)]
    pub file_position: Option<u64>,
}

/// What was typed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TypedInput {
    /// The session in whose terminal.
    pub session_id: String,
    /// The order's name, as events have it.
    pub order_id: String,
    /// The prompt that it was typed at.
    pub prompt_text: String,
    pub input_text: String,
}

impl PersonVerb for TypeInput {
    const NAME: &'static str = "input";
    type Reply = TypedInput;

    async fn act(&self, call: &PersonCall, session: &str) -> Result<TypedInput> {
        let place = self.file_position.map(|place| place.to_string()).unwrap_or_default();
        let asked = [Self::NAME, session, &self.text, &self.prompt_text, &place, &self.reason];
        type_in(call, call.keyed(&asked), session, self.clone()).await
    }
}

/// Has an answer of the inbox typed at the prompt that stood there, and at no other.
pub(super) async fn answer_prompt(call: &PersonCall, session: &str, place: u64, value: String) -> Result<TypedInput> {
    let key = call.keyed(&[TypeInput::NAME, session, &value, &place.to_string()]);
    let stands = match terminals::terminal(&call.hub, call.who(), session).await? {
        Some(terminal) => terminal.view().await.map_err(fault)?.input_prompt,
        None => None,
    };
    let input = TypeInput {
        text: value,
        prompt_text: stands.map(|prompt| prompt.prompt_text).unwrap_or_default(),
        reason: "it was answered in the inbox".to_owned(),
        file_position: Some(place),
    };
    type_in(call, key, session, input).await
}

async fn type_in(call: &PersonCall, key: Option<IdempotencyKey>, given: &str, input: TypeInput) -> Result<TypedInput> {
    let (hub, who) = (&call.hub, call.who());
    let terminal = terminals::terminal(hub, who, given).await?;
    let id = TerminalId::parse(given.trim()).map_err(|_| terminals::not_found(given))?;
    let agent = match &terminal {
        Some(terminal) => terminal.view().await.map_err(refuse::fault)?.agent_id,
        None => None,
    };
    let whose = agent.map_or(Whose::Everybody, |agent| Whose::Agent { agent, role: None });
    authorize::person(hub, who, Deed::TypeInTerminal, whose).await?;
    if let Some(first) = used(hub, key.as_ref(), refuse::read).await?.transpose()? {
        // The receipt is the name of the order.
        return became_of(hub, &id, first.as_str().unwrap_or_default()).await;
    }
    let ask = asked(who, input)?;
    let terminal = terminal.ok_or_else(|| refused(&NotTyped::NoTypist))?;
    let (by, request) = (call.caller.by(), Some(call.caller.request.clone()));
    let order = TypeOrder { ask, order_id: hub.ids.input_order(), by, request, key };
    match timeout(HOST_SAYS, terminal.type_in(order)).await {
        Ok(Ok(order)) => Ok(typed(&id, order)),
        Ok(Err(TypeError::NotTyped(why))) => Err(refused(&why)),
        Ok(Err(TypeError::Repeated(first))) => became_of(hub, &id, &first).await,
        Ok(Err(TypeError::KeyReused)) => Err(refuse::key_reused()),
        Ok(Err(TypeError::Fault(fault))) => Err(refuse::fault(fault)),
        Err(_) => Err(unknown()),
    }
}

fn asked(who: &Principal, input: TypeInput) -> Result<InputAsk> {
    const NAME: &str = "input";
    let TypeInput { text, prompt_text, reason, file_position } = input;
    if text.len() > MOST_TYPED {
        return Err(refuse::too_long(NAME, "text", text.len(), MOST_TYPED));
    }
    if text.chars().any(char::is_control) {
        return Err(refuse::bad_argument(NAME, "text", "must be one line without control characters"));
    }
    let reason = words(NAME, "reason", &reason, MOST_REASON)?.replace(char::is_control, " ");
    let by_person = matches!(who.kind, PrincipalKind::Person);
    Ok(InputAsk { text, prompt_text, file_position, by_person, reason })
}

fn typed(id: &TerminalId, order: InputOrder) -> TypedInput {
    let InputOrder { order_id, prompt_text, input_text, .. } = order;
    TypedInput { session_id: id.to_string(), order_id, prompt_text, input_text }
}

/// A repeat hears what came of the first.
async fn became_of(hub: &HubRef, id: &TerminalId, first: &str) -> Result<TypedInput> {
    let stream = Stream::Terminal(id.clone());
    let records = hub.journal.read(move |reader| reader.history(&stream, LOOKED_THROUGH)).await;
    let records = records.map_err(|error| refuse::read(&error))?;
    let end = records.into_iter().rev().find_map(|kept| end_of(kept, first));
    end.unwrap_or_else(|| Err(unknown())).map(|order| typed(id, order))
}

fn end_of(kept: Kept, first: &str) -> Option<Result<InputOrder>> {
    let Record::Terminal(record) = kept.record else { return None };
    match record {
        TerminalRecord::InputInjected { order, .. } if order.order_id == first => Some(Ok(*order)),
        TerminalRecord::InputDeclined { order_id, why, .. } if order_id == first => {
            Some(Err(refused(&NotTyped::Host(why))))
        }
        TerminalRecord::InputUndelivered { order, why, .. } if order.order_id == first => {
            Some(Err(refused(&NotTyped::Undelivered(why))))
        }
        TerminalRecord::InputInjected { .. }
        | TerminalRecord::InputUndelivered { .. }
        | TerminalRecord::InputDeclined { .. }
        | TerminalRecord::InputOrdered { .. }
        | TerminalRecord::MonitorStarted { .. }
        | TerminalRecord::MonitorStopped { .. }
        | TerminalRecord::InputPromptDetected { .. }
        | TerminalRecord::InputPromptGone { .. }
        | TerminalRecord::InputTracked { .. } => None,
    }
}

fn unknown() -> Refusal {
    refuse::fault(Fault::Unavailable("the terminal's host did not say whether it typed that".to_owned()))
        .advise("Look at the terminal before you answer again: it may have been typed.")
}

fn refused(why: &NotTyped) -> Refusal {
    let code = match why {
        NotTyped::NoTypist => "TERMINAL_NOT_HOSTED",
        NotTyped::NothingWaits => "NO_INPUT_PROMPT",
        NotTyped::AnotherPrompt => "PROMPT_CHANGED",
        NotTyped::Secret => "PROMPT_SECRET",
        NotTyped::Dangerous | NotTyped::Command => "NOT_A_PERSONS_ANSWER",
        NotTyped::Undelivered(_) => "INPUT_UNDELIVERED",
        NotTyped::NoInputBox | NotTyped::Keys | NotTyped::NotSafe | NotTyped::Host(_) => "NOT_SAFE_TO_TYPE",
    };
    Refusal::new(code, why.to_string())
}
