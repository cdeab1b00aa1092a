//! `callboard task …`: what was asked for, how it stands, and what can be done with it.

mod add;
mod follow;
mod list;
mod orders;
pub(super) mod show;
pub(super) mod why;

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum TaskVerb {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Add(add::AddArgs),
    Why(why::WhyArgs),
    Follow(follow::FollowArgs),
    Cancel(orders::Cancel),
    Retry(orders::Retry),
    Requeue(orders::Requeue),
    Edit(orders::Edit),
    Reassign(orders::Reassign),
    Answer(orders::Answer),
    Approve(orders::Approve),
    RequestChanges(orders::RequestChanges),
    Comment(orders::Comment),
}

pub(super) async fn run(verb: &TaskVerb, hub: &HubClient) -> Result<(), Problem> {
    let order = match verb {
        TaskVerb::List(args) => return list::run(args, hub).await,
        TaskVerb::Show(args) => return show::run(args, hub).await,
        TaskVerb::Add(args) => return add::run(args, hub).await,
        TaskVerb::Why(args) => return why::run(args, hub).await,
        TaskVerb::Follow(args) => return follow::run(args, hub).await,
        TaskVerb::Cancel(args) => args.order(),
        TaskVerb::Retry(args) => args.order(),
        TaskVerb::Requeue(args) => args.order(),
        TaskVerb::Edit(args) => args.order(std::io::stdin())?,
        TaskVerb::Reassign(args) => args.order(),
        TaskVerb::Answer(args) => args.order(),
        TaskVerb::Approve(args) => args.order(),
        TaskVerb::RequestChanges(args) => args.order()?,
        TaskVerb::Comment(args) => args.order(std::io::stdin())?,
    };
    order.send(hub).await
}
