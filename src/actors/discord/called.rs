//! Finds the agent or role that a call on Discord names.

use crate::domain::task::{TargetWho, Task};
use crate::settings::Settings;

pub fn called(task: &Task, settings: Option<&Settings>) -> String {
    match &task.spec.target.who {
        TargetWho::Role(role) => {
            let known = settings.and_then(|settings| settings.roles.roles.get(role));
            known.map_or_else(|| role.to_string(), |role| role.display_name.clone())
        }
        TargetWho::Agent(agent) => agent.to_string(),
        TargetWho::Any => "anybody".to_owned(),
    }
}
