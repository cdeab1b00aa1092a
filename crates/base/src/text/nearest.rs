//! The right name for a mistyped one.

/// The names that `wanted` may have meant, the nearest first; at most three, none when all are far.
///
/// Case does not count. Far is more than a third of the name's length, and at least two slips are forgiven. A name that
/// begins with `wanted`, or with which `wanted` begins, is near too.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().take(64).collect();
    let allowed = (wanted.len() / 3).max(2).min(wanted.len().saturating_sub(1));
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let lower: Vec<char> = name.to_lowercase().chars().take(64).collect();
        let slips = distance(&wanted, &lower);
        let begins =
            wanted.len() >= 3 && (lower.starts_with(&wanted) || (wanted.starts_with(&lower) && lower.len() >= 3));
        if slips <= allowed || begins {
            near.push((slips, name));
        }
    }
    near.sort();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How many characters must be put in, taken out, changed or swapped with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
