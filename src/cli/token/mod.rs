//! `callboard token …`: who may call the hub, and as whom. Without a serving hub the store in the data directory is
//! changed; tokens in a database the hub alone changes.

mod create;
mod keeper;
mod list;
mod revoke;
mod rotate;

use keeper::Keeper;

use super::prelude::*;
pub(super) use list::expires;

#[derive(Debug, Subcommand)]
pub(super) enum TokenVerb {
    Create(create::CreateArgs),
    List(list::ListArgs),
    Rotate(rotate::RotateArgs),
    Revoke(revoke::RevokeArgs),
}

pub(super) async fn run(verb: &TokenVerb, globals: &GlobalArgs) -> Result<(), Problem> {
    let keeper = Keeper::find(globals).await?;
    match verb {
        TokenVerb::Create(args) => create::run(args, &keeper).await,
        TokenVerb::List(args) => list::run(args, &keeper).await,
        TokenVerb::Rotate(args) => rotate::run(args, &keeper).await,
        TokenVerb::Revoke(args) => revoke::run(args, &keeper).await,
    }
}

/// Reads a public id, with or without what stands before it in the token.
fn public_id(text: &str) -> Result<String, String> {
    let id = ["cb_a_", "cb_h_", "cb_u_", "cb_s_"].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
    if id.is_empty() || id.len() > 32 || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err("it is not a public id: `callboard token list` shows them; never type a whole token".to_owned());
    }
    Ok(id.to_owned())
}

#[cfg(test)]
mod tests;
