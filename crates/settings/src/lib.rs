//! What can be set, and where each value came from.
//!
//! Four layers, each over the one before: the files of `config/`, compiled in; the files of the operator's folder;
//! `CALLBOARD_*` variables; flags. `load` reads the result strictly: settings that are right as a whole, or every fault
//! with file, line and column. It keeps nothing, so a reload is another `load`, and a broken file changes nothing.

use callboard_domain as domain;
use callboard_platform::private_file;

mod bind;
mod check;
mod clients;
mod discord;
mod environment;
mod files;
mod folder;
mod hub;
mod in_force;
mod ip_range;
mod load;
mod logins;
mod on_call;
mod patterns;
mod people;
mod ports;
mod rights;
mod roles;
mod roster;
mod schedules;
mod schema;
mod secrets;
mod shown;
mod source;
mod source_location;
mod span;
mod system_prompts;
mod terms;
#[cfg(test)]
mod tests;
mod text_file;
mod unused_files;
mod watched;
mod workflows;

pub use bind::{check_bind, check_files};
pub use clients::{ClientConfig, PromptArguments};
pub use discord::{ChannelSettings, DirectMessages, DiscordSettings, Grant, Permissions, Snowflake};
pub use environment::{FlagValue, settable_variables};
pub use hub::{
    BehindProxy, HubSettings, JournalSettings, LeaseSettings, LimitSettings, LogFormat, LogLevel, LogSettings,
    MonitorSettings, NodeSettings, NoticeSettings, QuestionSettings, Synchronous, TlsSettings, WaitSettings,
};
pub use in_force::Settings;
pub use ip_range::{IpRange, IpRangeError};
pub use load::{LoadRequest, Loaded, load};
pub use on_call::{ON_CALL, OnCallFile, OnCallHost};
pub use people::{People, Person};
pub use ports::{
    ForgeKind, ForgeSettings, HookFields, InboundWebhook, OutboundWebhook, TrackerKind, TrackerSettings, WebhookScheme,
    WebhookSettings,
};
pub use roles::{
    AgentConfig, CompletionPolicy, DefaultsPolicy, MergePolicy, OnApprove, Remind, RoleConfig, Roles, UnknownRoles,
};
pub use schema::{schema, schemas};
pub use secrets::secret;
pub use shown::ShownSetting;
pub use source::read_yaml;
pub use source_location::{ConfigFault, ConfigFaults, Layer, Origins, SourceLocation};
pub use system_prompts::{PromptVars, SystemPrompts};
pub use watched::watched;
pub use workflows::{Workflow, Workflows};
