//! A smaller script that finds the same: steps are taken out as long as the finding stays.

use crate::script::Script;
use crate::world::play;

/// How often a script is played at most to make it smaller.
const TRIES: usize = 600;

/// The sort of a finding: what stands before its first number or name.
fn sort(finding: &str) -> &str {
    finding.split([':', '`']).next().unwrap_or(finding)
}

/// The script with as many steps taken out as can be, in the order of big pieces first.
pub(crate) fn shrink(script: &Script, finding: &str) -> Script {
    let mut best = script.clone();
    let (mut tries, mut piece) = (0, best.steps.len().div_ceil(2));
    while piece > 0 && tries < TRIES {
        let mut at = 0;
        while at < best.steps.len() && tries < TRIES {
            let mut less = best.clone();
            less.steps.drain(at..(at + piece).min(less.steps.len()));
            tries += 1;
            if play(&less, None).findings.iter().any(|found| sort(found) == sort(finding)) {
                best = less;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    best
}
