//! A question as it is shown, and the same once it has its answer.

use super::text::{PART_LIMIT, quoted, shortened};
use super::words::{fits_labels, resolved_text};
use crate::session::question::permission::Permission;
use crate::session::question::{QuestionSpec, Resolution};
use crate::text::for_discord_block;

/// What stands before a question that is shown once more.
pub const STILL_WAITING: &str = "⏰ Still waiting for you:";

/// What is asked: the words of the first line, which has none but for leave, and the text below it.
///
/// Options stand below, numbered, where labels cannot show them whole. A text is cut to `most` units, a call never.
pub fn question_body(spec: &QuestionSpec, most: usize) -> (String, String) {
    let (head, mut body) = match &spec.permission {
        Some(leave) => {
            let head = format!("{} wants to use {}:", quoted(spec.agent_id.as_str(), 80), quoted(&leave.tool, 200));
            (head, permission_body(leave, spec.question.splitn(3, '\n').nth(2)))
        }
        None => (String::new(), shortened(&spec.question, most)),
    };
    if !fits_labels(spec) {
        body.push('\n');
        let options = spec.options.iter().enumerate().map(|(at, option)| format!("\n{}. {option}", at + 1));
        body.extend(options);
    }
    (head, body)
}

/// The call that leave is asked for, in a block where nothing is markup. Below it is what hub and client say of it.
fn permission_body(leave: &Permission, notes: Option<&str>) -> String {
    let mut body = format!("```\n{}\n```", for_discord_block(&leave.input));
    if leave.hidden > 0 {
        body.push_str(&format!("\n… and {} more bytes, which are not shown", leave.hidden));
    }
    if let Some(risk) = &leave.risk {
        body.push_str(&format!("\n⚠️ It may destroy something: {}", for_discord_block(risk)));
    }
    let notes = notes.map(|notes| format!("\n{}", for_discord_block(notes)));
    body + &notes.unwrap_or_default()
}

/// A question's message once it has its answer: as it was shown, with that in the place of what stood below.
pub fn answered(shown: &str, resolution: &Resolution) -> String {
    let said = resolved_text(resolution);
    if shown.ends_with(&said) {
        return shown.to_owned();
    }
    let asked = shown.rsplit_once("\n-# ").map_or(shown, |(above, _)| above);
    let unpinged = asked.strip_prefix("<@").and_then(|rest| rest.split_once("> "));
    let asked = unpinged.map_or(asked, |(_, asked)| asked).replacen(STILL_WAITING, "❓", 1);
    format!("{}\n{said}", shortened(&asked, PART_LIMIT.saturating_sub(said.encode_utf16().count())))
}
