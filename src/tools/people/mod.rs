//! What people order, and programs with a person's rights: one verb, one file, the same for every door.
//!
//! ```text
//!   door ─► PersonCall (who, key), subject, request ─► scope ─► arguments ─► people.yaml ─► order to an actor ─► reply
//!                                                        │          │            │                │
//!                                                        └──────────┴── Refusal ─┴────────────────┘
//! ```
//!
//! A door reads a request and prints a reply. A [`PersonVerb`] is its own request and names its `Reply`; the id of its
//! subject is passed beside it. Requests on several things are functions ([`act_on_inbox`]).
//!
//! A [`Refusal`](super::Refusal) without `prompt` leaves the advice to the door, which names its own ways.

mod actor;
mod call;
mod delivery;
mod device;
mod discord;
mod evict_agent;
mod inbox;
mod prelude;
mod question;
mod reassign_task;
mod refused;
mod schedule;
mod task;
mod terminal;
mod token;
mod type_input;
mod verdict;
mod webhook;
mod webhook_change;
mod webhook_gap;
mod webhook_known;
mod whole_id;
mod workflow;

pub use actor::{RestartActor, Restarted, actor_refused};
pub use call::{PersonCall, PersonVerb};
pub use delivery::{DeliveryView, DropDelivery, RetryDelivery, find_delivery};
pub use device::{AddDevice, DeviceAnswer, RemoveDevice, answer_by_ticket};
pub use discord::{DiscordAnswer, DiscordOrder, DiscordUser, DiscordWork, OnDiscord};
pub use evict_agent::{EvictAgent, Evicted, find_agent, no_such_agent};
pub use inbox::{ActOnInbox, InboxDeed, InboxOutcome, act_on_inbox, inbox};
pub use question::{AnswerQuestion, find_question};
pub use reassign_task::ReassignTask;
pub use refused::fault;
pub use schedule::{
    AddSchedule, ChangeSchedule, RemoveSchedule, RunSchedule, ScheduleAfter, ScheduleView, find_schedule, schedules,
};
pub use task::{AnswerTask, CancelTask, CommentOnTask, EditTask, RequeueTask, RetryTask, TaskAfter, find_task};
pub use terminal::{Printed, print_output, promote_pattern};
pub use token::{TokenDeed, TokenOf, agent_has_token, agent_lost_last_token, may_manage};
pub use type_input::{TypeInput, TypedInput};
pub use verdict::{ApproveWork, CommentOnReview, DismissApproval, RequestChanges, ResolveComment, Wish};
pub use webhook::{TestWebhook, WebhookTried, WebhookView, webhook_with_address, webhooks};
pub use webhook_change::{AddWebhook, ChangeWebhook, PushKey, RemoveWebhook, WebhookMade, WebhookRemoved, push_key};
pub use webhook_gap::{EnableWebhook, WebhookEnabled, WebhookGap};
pub use whole_id::{IdUse, MEANT, NamedKind, the_one, whole_id};
pub use workflow::{BeginWorkflow, CancelWorkflow, ContinueWorkflow, begin_workflow, continue_workflow, find_run};
