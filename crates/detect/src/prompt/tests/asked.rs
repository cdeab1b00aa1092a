//! What programs ask that no recording has: `asked.tsv`, written down from memory. How much of it is judged rightly is
//! held to a floor, as for the recordings: what is wrong here is left to be mended by a rule, and not by its string.

use std::time::Duration;

use super::super::*;

/// `kinds`, `label`, `text` with a stroke at its end, by tabs.
const ASKED: &str = include_str!("../../../../../tests/fixtures/danger/asked.tsv");

struct AskedCase {
    kinds: Vec<PromptKind>,
    /// Unless either may be said.
    dangerous: Option<bool>,
    text: String,
}

fn all() -> Vec<AskedCase> {
    let lines = ASKED.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| parse(line).unwrap_or_else(|| panic!("`{line}`"))).collect()
}

fn parse(line: &str) -> Option<AskedCase> {
    let (kinds, rest) = line.split_once('\t')?;
    let (label, text) = rest.split_once('\t')?;
    let dangerous = match label {
        "dangerous" => Some(true),
        "safe" => Some(false),
        "either" => None,
        _ => return None,
    };
    let kinds = if kinds == "none" { Some(Vec::new()) } else { kinds.split('|').map(PromptKind::parse).collect() }?;
    let text = text.strip_suffix('|')?.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t");
    Some(AskedCase { kinds, dangerous, text: text.replace('\0', "\\") })
}

/// By words alone, after a pause.
fn seen(asked: &AskedCase) -> Option<InputPrompt> {
    let moment = Moment { quiet: Some(Duration::from_secs(1)), ..Moment::default() };
    detect(&ScreenView::of_text(&asked.text), &moment).filter(|prompt| prompt.confidence >= MIN_CONFIDENCE)
}

/// Fails where more than `most` of a hundred are wrong.
#[track_caller]
fn few(what: &str, of: usize, wrong: &[String], most: usize) {
    assert!(of >= 100, "{of} are too few to say {what}");
    assert!(wrong.len() * 100 <= of * most, "{what}: {} of {of}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_was_never_recorded_is_known_for_what_it_is() {
    let asked = all();
    let (prompts, others): (Vec<_>, Vec<_>) = asked.iter().partition(|asked| !asked.kinds.is_empty());
    let missed = prompts.iter().filter(|asked| seen(asked).is_none());
    few("missed", prompts.len(), &missed.map(|asked| asked.text.clone()).collect::<Vec<_>>(), 2);
    let wrong =
        prompts.iter().filter(|asked| seen(asked).is_some_and(|prompt| !asked.kinds.contains(&prompt.prompt_type)));
    few("of another kind", prompts.len(), &wrong.map(|asked| asked.text.clone()).collect::<Vec<_>>(), 3);
    let taken = others.iter().filter(|asked| seen(asked).is_some());
    few("taken for a prompt", others.len(), &taken.map(|asked| asked.text.clone()).collect::<Vec<_>>(), 11);
}

#[test]
fn what_was_never_recorded_is_dangerous_where_it_destroys() {
    let asked = all();
    let said = |asked: &&AskedCase| seen(asked).map(|prompt| prompt.is_dangerous) == Some(true);
    let dangerous: Vec<&AskedCase> = asked.iter().filter(|asked| asked.dangerous == Some(true)).collect();
    let missed = dangerous.iter().filter(|asked| seen(asked).is_some() && !said(asked));
    few("danger missed", dangerous.len(), &missed.map(|asked| asked.text.clone()).collect::<Vec<_>>(), 3);
    let safe: Vec<&AskedCase> = asked.iter().filter(|asked| asked.dangerous == Some(false)).collect();
    let alarms = safe.iter().filter(|asked| said(asked));
    few("false alarms", safe.len(), &alarms.map(|asked| asked.text.clone()).collect::<Vec<_>>(), 1);
}
