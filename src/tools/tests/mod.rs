//! What every verb promises. Every answer in these tests, of whatever kind, is held against the schema that its verb
//! publishes: see [`desk::ToolFixture::call`].

mod agreed;
mod asking;
mod assigning;
mod carrying;
mod fitting;
pub(crate) mod fixture;
mod following;
mod forgejo;
mod identity;
mod in_process;
mod learning;
mod looking;
mod monitors;
mod news;
mod people;
mod permission;
mod pulls;
mod pulls_by_hand;
mod pulls_of_git;
mod registering;
mod reporting;
mod reviewing;
mod steps;
mod table;
mod terminals;
mod under_way;
mod waiting;
mod waiting_long;
