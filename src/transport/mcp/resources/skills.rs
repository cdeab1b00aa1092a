//! How each role works, as a skill: one file, `skill://callboard/<role>/SKILL.md`, made from the role's system prompt.
//!
//! The file is what `prompts/get` gives for the role, without an agent's name, behind the head that skills have. It is
//! made anew with each request: a reload changes it, and its digest with it.

use rmcp::model::{ErrorData, Resource, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources};

use super::super::prompts;
use crate::settings::{Settings, SystemPrompts};

pub(in crate::transport::mcp) const MARKDOWN: &str = "text/markdown";

pub(in crate::transport::mcp) const TEMPLATE: &str = "skill://callboard/{role}/SKILL.md";

const ROOT: &str = "skill://callboard/";

/// Every skill, by role. Fails when the template of a role fails.
pub(in crate::transport::mcp) fn list(settings: &Settings, prompts: &SystemPrompts) -> Result<Vec<Skill>, ErrorData> {
    let roles = prompts::roles(settings, prompts);
    roles.iter().map(|role| skill(settings, prompts, role)).collect()
}

/// The skill of that name; none where there is none. Fails when its template fails.
pub(in crate::transport::mcp) fn get(
    settings: &Settings,
    prompts: &SystemPrompts,
    uri: &str,
) -> Result<Option<Skill>, ErrorData> {
    role_of(settings, prompts, uri).map(|role| skill(settings, prompts, &role)).transpose()
}

/// The file of that name; none where there is none. Fails when its template fails.
pub(in crate::transport::mcp) fn read(
    settings: &Settings,
    prompts: &SystemPrompts,
    uri: &str,
) -> Result<Option<String>, ErrorData> {
    role_of(settings, prompts, uri).map(|role| text(settings, prompts, &role)).transpose()
}

/// The file of each skill, as a resource among others.
pub(super) fn files(settings: &Settings, prompts: &SystemPrompts) -> Vec<Resource> {
    let roles = prompts::roles(settings, prompts);
    roles.iter().map(|role| file(settings, role)).collect()
}

fn file(settings: &Settings, role: &str) -> Resource {
    Resource::new(uri(role), format!("{role}/{SKILL_MD}"))
        .with_title(role)
        .with_description(prompts::describe(settings, role))
        .with_mime_type(MARKDOWN)
}

fn skill(settings: &Settings, prompts: &SystemPrompts, role: &str) -> Result<Skill, ErrorData> {
    let text = text(settings, prompts, role)?;
    let files = vec![SkillResource::from_bytes(uri(role), text.as_bytes())];
    let head = SkillFrontmatter::new(role, prompts::describe(settings, role));
    Ok(Skill::new(uri(role), head, SkillResources::Files(files)))
}

fn text(settings: &Settings, prompts: &SystemPrompts, role: &str) -> Result<String, ErrorData> {
    let body = prompts::text(settings, prompts, role, None)?;
    // A text of JSON is one of YAML too, whatever stands in it.
    let description = serde_json::to_string(&prompts::describe(settings, role)).unwrap_or_default();
    Ok(format!("---\nname: {role}\ndescription: {description}\n---\n\n{body}"))
}

fn uri(role: &str) -> String {
    format!("{ROOT}{role}/{SKILL_MD}")
}

fn role_of(settings: &Settings, prompts: &SystemPrompts, given: &str) -> Option<String> {
    prompts::roles(settings, prompts).into_iter().find(|role| uri(role) == given)
}

#[cfg(test)]
mod tests;
