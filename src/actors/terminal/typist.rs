//! Orders to type into a hosted terminal, on their way to its host.
//!
//! The hub says no to what is plainly wrong. Whether typing is safe at the very instant only the host can say, and it
//! judges by its own screen.

use ractor::RpcReplyPort;
use thiserror::Error;
use tokio::sync::mpsc;

use super::actor::Desk;
use crate::domain::prompt::PromptKind;
use crate::domain::terminal::SeenPrompt;

/// What to type, and at which prompt.
#[derive(Debug)]
pub struct TypeOrder {
    /// The text, without the key that enters it.
    pub text: String,
    /// The prompt that it answers; whichever waits when left out.
    pub prompt_text: Option<String>,
    /// Whether a person gave it as the answer to this prompt.
    pub by_person: bool,
    /// At which prompt it was typed, or why it was not.
    pub reply: RpcReplyPort<Result<SeenPrompt, NotTyped>>,
}

/// The same for the host, with the prompt that it is for.
#[derive(Debug)]
pub struct HostOrder {
    /// The text.
    pub text: String,
    /// The prompt.
    pub prompt: SeenPrompt,
    /// Whether a person gave it.
    pub by_person: bool,
    /// Where to say what came of it.
    pub reply: RpcReplyPort<Result<SeenPrompt, NotTyped>>,
}

/// A line to the host.
pub type Typist = mpsc::Sender<HostOrder>;

/// Why nothing was typed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotTyped {
    /// Nobody hosts it who types.
    #[error("nobody hosts this terminal with `--inject`")]
    NoTypist,
    /// Nothing waits.
    #[error("no program waits there for its user")]
    NothingWaits,
    /// Another prompt stands there than the one that was answered.
    #[error("another prompt stands there by now")]
    AnotherPrompt,
    /// It asks for a secret.
    #[error("the prompt asks for a secret, which only the person at the terminal types")]
    Secret,
    /// It is dangerous, and nobody said yes or no to it.
    #[error("the prompt is dangerous, and no person gave this answer")]
    Dangerous,
    /// Typing is not safe now.
    #[error("it is not certain that what is typed now reaches this prompt")]
    NotSafe,
    /// The host says no.
    #[error("the terminal's host did not type it: {0}")]
    Host(String),
}

impl Desk {
    /// Hands an order on to the host, or says why not.
    pub(super) fn type_in(&self, seen: Option<SeenPrompt>, order: TypeOrder) {
        let TypeOrder { text, prompt_text, by_person, reply } = order;
        let judged = judge(seen, prompt_text.as_deref(), by_person);
        let typist = self.typist.as_ref().ok_or(NotTyped::NoTypist);
        match judged.and_then(|prompt| Ok((typist?, prompt))) {
            Ok((typist, prompt)) => {
                if let Err(refused) = typist.try_send(HostOrder { text, prompt, by_person, reply }) {
                    let _ = refused.into_inner().reply.send(Err(NotTyped::NoTypist));
                }
            }
            Err(why) => {
                let _ = reply.send(Err(why));
            }
        }
    }
}

fn judge(seen: Option<SeenPrompt>, answered: Option<&str>, by_person: bool) -> Result<SeenPrompt, NotTyped> {
    let prompt = seen.ok_or(NotTyped::NothingWaits)?;
    if answered.is_some_and(|answered| answered != prompt.prompt_text) {
        return Err(NotTyped::AnotherPrompt);
    }
    if prompt.prompt_type == PromptKind::Password {
        return Err(NotTyped::Secret);
    }
    if prompt.is_dangerous && !by_person {
        return Err(NotTyped::Dangerous);
    }
    if prompt.safe_to_type { Ok(prompt) } else { Err(NotTyped::NotSafe) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Timestamp;

    fn seen(kind: PromptKind, is_dangerous: bool, safe_to_type: bool) -> SeenPrompt {
        SeenPrompt {
            prompt_text: "Go on?".to_owned(),
            confidence: 0.99,
            prompt_type: kind,
            matched_pattern: "yes_no.words".to_owned(),
            file_position: 6,
            timestamp: Timestamp(0),
            is_dangerous,
            signals: Vec::new(),
            safe_to_type,
            choices: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_safe_is_typed_and_into_danger_only_what_a_person_said() {
        let yes_no = PromptKind::YesNo;
        let harmless = || Some(seen(yes_no, false, true));
        assert!(judge(harmless(), None, false).is_ok());
        assert!(judge(harmless(), Some("Go on?"), true).is_ok());
        assert_eq!(judge(harmless(), Some("Delete it?"), true), Err(NotTyped::AnotherPrompt));
        assert_eq!(judge(None, None, true), Err(NotTyped::NothingWaits));
        assert_eq!(judge(Some(seen(yes_no, true, true)), None, false), Err(NotTyped::Dangerous));
        assert!(judge(Some(seen(yes_no, true, true)), None, true).is_ok());
        assert_eq!(judge(Some(seen(yes_no, false, false)), None, true), Err(NotTyped::NotSafe));
        assert_eq!(judge(Some(seen(PromptKind::Password, false, true)), None, true), Err(NotTyped::Secret));
    }
}
