//! The words of a yes and of a no, in the languages that programs ask in, and how an answer by letter is called for.

use crate::lists::List;

static YES: List = List::of("answer yes");
static NO: List = List::of("answer no");
/// Of other languages, where nothing but the two letters is offered.
const PAIRS: [(&str, &str); 4] = [("a", "n"), ("e", "h"), ("k", "e"), ("i", "n")];

pub(in crate::prompt) fn is_yes(word: &str) -> bool {
    YES.contains(&word.to_lowercase().as_str())
}

pub(in crate::prompt) fn is_no(word: &str) -> bool {
    NO.contains(&word.to_lowercase().as_str())
}

/// The word that an answer begins with: `Yes` of `Yes, delete it`.
pub(super) fn first_word(answer: &str) -> &str {
    answer.split([' ', ',', '!']).find(|word| !word.is_empty()).unwrap_or_default()
}

/// Whether two letters are the yes and the no of some language; one of them is the default.
pub(super) fn is_pair(first: &str, second: &str) -> bool {
    let default = first.starts_with(char::is_uppercase) != second.starts_with(char::is_uppercase);
    let (first, second) = (first.to_lowercase(), second.to_lowercase());
    let turkish = (first.as_str(), second.as_str()) == ("e", "h");
    (default || turkish) && PAIRS.iter().any(|(yes, no)| *yes == first && *no == second)
}

/// `type y and hit return`, `HIT "Y" if you wish`, `answer y or n`, `yes/no`.
pub(super) fn answers_yes(lower: &str) -> bool {
    static FORMS: List = List::of("answer forms");
    // Each of them has a letter that stands alone, or a stroke.
    if !lower.contains(['y', 'j', 's', 'o', '1']) {
        return false;
    }
    let plain = lower.replace(['"', '\'', '`', '‘', '’', '“', '”', '|', '<', '>', '[', ']'], "");
    let stands_alone = |form: &str| {
        let (before, after) = plain.split_once(form)?;
        Some(!before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric))
    };
    FORMS.iter().any(|form| stands_alone(form) == Some(true))
}
