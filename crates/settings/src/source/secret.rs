//! A secret in a YAML file, which is copied, committed and shown, is refused; its text is in no message (invariant P1).

use super::node::{Kind, Node};
use crate::domain::text::holds_secret;
use crate::source_location::ConfigFault;

/// Words that a key ends in when its value is a secret, without dashes and in lower case.
const SECRET_KEYS: [&str; 11] = [
    "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "signingkey", "pepper",
    "credential",
];

/// Takes every secret out of the tree; each is a fault.
pub(crate) fn refuse(tree: &mut Node, faults: &mut Vec<ConfigFault>) {
    match &mut tree.kind {
        Kind::Map(entries) => entries.retain_mut(|entry| {
            if is_secret_key(&entry.key) && is_filled(&entry.node) || is_secret_text(&entry.node) {
                faults.push(entry.key_place.fault(format!(
                    "`{}` holds a secret: use a `*_FILE` variable or the environment, or a key that names a file",
                    entry.key
                )));
                return false;
            }
            refuse(&mut entry.node, faults);
            true
        }),
        Kind::List(items) => items.retain_mut(|item| {
            if is_secret_text(item) {
                faults.push(item.place.fault("a secret stands here: use a `*_FILE` variable or the environment"));
                return false;
            }
            refuse(item, faults);
            true
        }),
        Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) => {}
    }
}

fn is_secret_key(key: &str) -> bool {
    let plain: String = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let plain = plain.strip_suffix('s').unwrap_or(&plain);
    SECRET_KEYS.iter().any(|word| plain.ends_with(word))
}

fn is_filled(node: &Node) -> bool {
    match &node.kind {
        Kind::Text(text) => !text.trim().is_empty(),
        Kind::Whole(_) | Kind::Fraction(_) => true,
        Kind::Null | Kind::Bool(_) | Kind::List(_) | Kind::Map(_) => false,
    }
}

fn is_secret_text(node: &Node) -> bool {
    match &node.kind {
        Kind::Text(text) => holds_secret(text),
        Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::List(_) | Kind::Map(_) => false,
    }
}
