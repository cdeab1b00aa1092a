//! How well a completion is proven.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::names::names;
use crate::text::check_link;

/// The grade of a proof; a later one is worth more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceGrade {
    /// The agent says so.
    #[default]
    Said,
    /// The agent ran a command and reports its outcome.
    SelfChecked,
    /// Others can look: a file, a review.
    Observed,
    /// Continuous integration says so.
    Ci,
}

/// One proof, as agents give it: `{kind, name, outcome, url?, at?}`.
#[derive(Debug, Deserialize)]
struct Proof {
    kind: ProofKind,
    name: String,
    outcome: String,
    url: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProofKind {
    Command,
    File,
    Review,
    Ci,
}

/// The outcomes that prove something.
const GOOD: [&str; 8] = ["passed", "pass", "success", "succeeded", "ok", "green", "approved", "0"];

names!(EvidenceGrade { Said = "said", SelfChecked = "self_checked", Observed = "observed", Ci = "ci" });

impl EvidenceGrade {
    /// The grade of what was given: that of the best proof with a good outcome.
    ///
    /// A list of proofs, or one. What has another form, no name or another outcome proves nothing more than the word
    /// of who gave it, and so does a review or a run of continuous integration without a URL to look at.
    pub fn of(evidence: Option<&Value>) -> Self {
        let given: &[Value] = match evidence {
            None => &[],
            Some(Value::Array(all)) => all,
            Some(one) => std::slice::from_ref(one),
        };
        given.iter().filter_map(|one| Proof::deserialize(one).ok()).map(|proof| proof.grade()).max().unwrap_or_default()
    }

    /// What proves it, for who has to bring it.
    pub const fn proof(self) -> &'static str {
        match self {
            Self::Said => "nothing",
            Self::SelfChecked => "a command that you ran, {kind: \"command\", name, outcome: \"passed\"}",
            Self::Observed => {
                "a file, {kind: \"file\", name, outcome: \"ok\"}, or a review, {kind: \"review\", name, outcome: \
                 \"approved\", url: \"https://…\"}"
            }
            Self::Ci => {
                "a run of continuous integration, {kind: \"ci\", name, outcome: \"passed\", url: \"https://…\"}, or \
                 green checks of your pull request"
            }
        }
    }
}

/// Whether others can open it.
fn is_https(url: &str) -> bool {
    let host = url.get(..8).filter(|start| start.eq_ignore_ascii_case("https://")).map(|_| &url[8..]);
    check_link(url).is_ok()
        && host.is_some_and(|host| host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['))
}

impl Proof {
    fn grade(&self) -> EvidenceGrade {
        let is_good = GOOD.iter().any(|word| self.outcome.trim().eq_ignore_ascii_case(word));
        let can_be_seen = self.url.as_ref().is_some_and(|url| is_https(url.trim()));
        if !is_good || self.name.trim().is_empty() {
            return EvidenceGrade::Said;
        }
        match (self.kind, can_be_seen) {
            (ProofKind::Command, _) => EvidenceGrade::SelfChecked,
            (ProofKind::File, _) | (ProofKind::Review, true) => EvidenceGrade::Observed,
            (ProofKind::Ci, true) => EvidenceGrade::Ci,
            (ProofKind::Review | ProofKind::Ci, false) => EvidenceGrade::Said,
        }
    }
}

#[cfg(test)]
mod tests;
