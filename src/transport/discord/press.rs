//! What is behind a press: the verb, and what is said of it to who pressed.

use serde_json::Value;

use super::door::DiscordDoor;
use super::interaction_data::Interaction;
use crate::domain::discord::{Press, quoted};
use crate::domain::session::question::QuestionView;
use crate::tools::Refusal;
use crate::tools::people::{DiscordAnswer, DiscordOrder, OnDiscord, TaskAfter};

/// Does what was pressed, and says what came of it.
pub(super) async fn done(door: &DiscordDoor, interaction: &Interaction, press: Press) -> String {
    let person = match door.person(&interaction.author, interaction.guild) {
        Ok(person) => person,
        Err(refusal) => return said(&refusal),
    };
    let once = interaction.id.to_string();
    let text = || interaction.entered("text");
    let order = |order| order_of(&person, order, &once);
    match press {
        Press::Cancel(task) => order((task.to_string(), DiscordOrder::Cancel)).await,
        Press::Retry(task) => order((task.to_string(), DiscordOrder::Retry)).await,
        Press::Approve(task) => order((task.to_string(), DiscordOrder::Approve)).await,
        Press::Changes(task) => order((task.to_string(), DiscordOrder::Change(text()))).await,
        Press::Option(question, at) => answer(&person, question.as_str(), DiscordAnswer::Option(at), &once).await,
        Press::Default(question) => answer(&person, question.as_str(), DiscordAnswer::Default, &once).await,
        Press::Words(question) => answer(&person, question.as_str(), DiscordAnswer::Words(text()), &once).await,
        Press::Assign(_) => "⚠️ Nothing was said.".to_owned(),
        Press::Select(question) => {
            let chosen = interaction.data.pointer("/values/0").and_then(Value::as_str);
            match chosen.and_then(|at| at.parse().ok()) {
                Some(at) => answer(&person, question.as_str(), DiscordAnswer::Option(at), &once).await,
                None => "⚠️ Nothing was chosen.".to_owned(),
            }
        }
    }
}

/// Answers, and says what came of it: also when somebody else was first.
pub(super) async fn answer(person: &OnDiscord, question: &str, answer: DiscordAnswer, once: &str) -> String {
    match person.answer(question, answer, once).await {
        Ok(QuestionView { resolution: Some(resolution), .. }) => {
            format!("✅ Answered: {}", quoted(&resolution.value, 300))
        }
        Ok(_) => "✅ Answered.".to_owned(),
        Err(refusal) => said(&refusal),
    }
}

pub(super) async fn order_of(person: &OnDiscord, (task, order): (String, DiscordOrder), once: &str) -> String {
    match person.direct(&task, order, once).await {
        Ok(TaskAfter { task_id, state, changed: true, .. }) => format!("✅ Task `{task_id}` is {state} now."),
        Ok(TaskAfter { task_id, state, .. }) => format!("Task `{task_id}` is {state} already."),
        Err(refusal) => said(&refusal),
    }
}

/// A no, for who pressed.
pub(super) fn said(refusal: &Refusal) -> String {
    let sign = if refusal.code == "NOT_PERMITTED" { "⛔" } else { "⚠️" };
    format!("{sign} {}", refusal.message)
}
