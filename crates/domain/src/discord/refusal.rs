//! What Discord refuses, in words for people: what is wrong, and what to do about it.

use serde_json::Value;

/// Discord's codes that the hub may meet, and what each means for whoever runs it.
const MEANINGS: [(u64, &str); 15] = [
    (10_003, "the channel or thread is gone"),
    (10_004, "the bot is not in that server: invite it again, `callboard doctor discord` prints the link"),
    (10_008, "the message is gone"),
    (
        10_062,
        "the press or command is older than the three seconds that Discord waits: nothing was done, whoever pressed \
         may press again",
    ),
    (30_046, "the message is too old to be edited so often"),
    (40_060, "somebody else answered this press or command under the same token: run one hub for each token"),
    (50_001, "the bot does not see that channel: `callboard doctor discord` names what it lacks"),
    (50_006, "the message would be empty"),
    (50_007, "this person takes no direct messages of the bot: they have to allow them, or ask in a channel"),
    (50_008, "nobody can write in a channel of that kind"),
    (50_013, "the bot lacks a permission there: `callboard doctor discord` names it"),
    (50_024, "that cannot be done in a channel of that kind"),
    (50_027, "the press or command is older than fifteen minutes, and can be answered no more"),
    (50_035, "a part of what was sent does not fit"),
    (50_083, "the thread is archived and locked"),
];
/// The most characters of Discord's own words.
const WORDS: usize = 600;

/// Why Discord refuses something: the meaning of its code, then its own words, and each place of the body that is
/// wrong, as `components.0.label: Must be 80 or fewer in length.`
pub fn refusal(said: &Value) -> String {
    let code = said.get("code").and_then(Value::as_u64).unwrap_or_default();
    let meaning = MEANINGS.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning);
    let own = said.get("message").and_then(Value::as_str).unwrap_or("no reason is given");
    let mut places = Vec::new();
    collect(said.get("errors").unwrap_or(&Value::Null), "", &mut places);
    let own = std::iter::once(own.to_owned()).chain(places).collect::<Vec<_>>().join("; ");
    let own: String = own.chars().take(WORDS).collect();
    meaning.map_or_else(|| own.clone(), |meaning| format!("{meaning} (Discord: {own})"))
}

/// The leaves of Discord's tree of errors, each with its path.
fn collect(tree: &Value, path: &str, places: &mut Vec<String>) {
    for (key, below) in tree.as_object().into_iter().flatten() {
        if key == "_errors" {
            let words = below.as_array().into_iter().flatten().filter_map(|one| one.get("message")?.as_str());
            places.extend(words.map(|words| format!("{path}: {words}")));
        } else {
            collect(below, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, places);
        }
    }
}
