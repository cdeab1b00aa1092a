//! How far a mistyped name is from a known one.

use std::collections::BTreeMap;

/// What stands behind the names nearest to `given`: those that begin with it, or differ in a third of their letters.
pub(super) fn nearest(given: &str, names: Vec<(String, String)>, limit: usize) -> Vec<String> {
    let mut best: BTreeMap<String, usize> = BTreeMap::new();
    for (name, written) in names {
        let Some(far) = how_far(given, &name) else { continue };
        best.entry(written).and_modify(|known| *known = far.min(*known)).or_insert(far);
    }
    let mut ranked: Vec<(usize, String)> = best.into_iter().map(|(written, far)| (far, written)).collect();
    ranked.sort();
    ranked.into_iter().take(limit).map(|(_, written)| written).collect()
}

fn how_far(given: &str, name: &str) -> Option<usize> {
    // Two characters begin too many names to mean one, and a long text is no name.
    let length = given.chars().count();
    if length > 64 {
        return None;
    }
    if length > 2 && name.starts_with(given) {
        return Some(1);
    }
    let far = edits(given, name);
    let allowed = (name.chars().count().max(length) / 3).max(1);
    (far <= allowed).then_some(far)
}

/// The fewest letters to insert, remove, replace, or swap with their neighbour.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests;
