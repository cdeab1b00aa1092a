//! The shape of the tree, as tests: what a reviewer would otherwise have to say again and again.
//!
//! Every rule is a function from sources to complaints, so that each is also shown a source that breaks it: a rule that
//! cannot complain would be worse than none.

mod arrows;
mod circles;
mod clients;
mod codes;
mod documents;
mod doors;
mod form;
mod forms;
mod outward;
mod paths;
mod registries;
mod settings;
mod tree;
mod words;

/// What is wrong, and where: `src/x.rs:12: …`.
type Complaint = String;

/// Fails with every complaint, one a line, below the rule that they break.
fn none_of(rule: &str, complaints: &[Complaint]) {
    assert!(complaints.is_empty(), "{rule}\n  {}\n", complaints.join("\n  "));
}
