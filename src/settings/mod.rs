//! What can be set, and where each value came from. Defaults are the files of `config/`, compiled in.

mod hub;
mod roles;

pub use hub::{
    BehindProxy, HubSettings, JournalSettings, LeaseSettings, LimitSettings, LogFormat, LogSettings, QuestionSettings,
    Synchronous, TlsSettings, WaitSettings,
};
pub use roles::{AgentConfig, ClientConfig, Remind, RoleConfig, Roles, Settings};
