//! Lists above a question: `1) red`, `2 / green`, `Resistance   R   [3]`.

use super::super::frame;
use super::{View, forms};

/// The most rows above the question that may be its list.
pub(super) const MOST_ROWS: usize = 40;

/// The numbers or letters of the list that ends right above the open line.
pub(super) fn listed(view: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut between = 0;
    for row in view.above().take(MOST_ROWS) {
        let labels = labels_of(row);
        let labels = if labels.is_empty() {
            forms::each("label-behind", row).map(|it| it.part("label").to_owned()).collect()
        } else {
            labels
        };
        if labels.is_empty() {
            // `Your choice: 1`: somebody chose.
            if forms::fits("chose", row) && found.is_empty() {
                break;
            }
            between += 1;
            // A list may have a line of explanation below it, and its items a second line.
            if between > 2 {
                break;
            }
        } else {
            between = 0;
            found.extend(labels.into_iter().rev());
        }
    }
    found.reverse();
    found
}

/// Whether the labels so far are capital letters, as the next one may be.
fn lettered(found: &[String]) -> bool {
    !found.is_empty() && found.iter().all(|label| label.bytes().all(|b| b.is_ascii_uppercase()))
}

/// `1) red  2) green`: the labels of a row, which must begin with one.
pub(super) fn labels_of(row: &str) -> Vec<String> {
    let mut found = Vec::new();
    let row = frame::between_sides(row.trim().trim_start_matches('|'));
    if let Some(found) = forms::parts("label", row) {
        return vec![found.part("label").to_owned()];
    }
    for (index, word) in row.split_whitespace().enumerate() {
        let bare = word.trim_start_matches(['(', '[', '*']);
        let label = [".)", ".-"].iter().find_map(|end| bare.strip_suffix(end));
        let label = label.or_else(|| bare.strip_suffix([')', ']', '.', ':']));
        let label = label.filter(|label| {
            (1..=3).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_digit())
                || label.len() == 1
                    && (index == 0 || lettered(&found))
                    && label.bytes().all(|b| b.is_ascii_alphabetic())
        });
        match label {
            Some(label) => found.push(label.to_owned()),
            None if index == 0 => return found,
            None => {}
        }
    }
    found
}
