//! The system prompt of each role: templates that teach a language model how to be an agent of this hub.
//!
//! The files of `config/system-prompts/` are compiled in; those of the operator's folder go before them by name. A role
//! without a file of its own gets `_base.md`. Templates include others by bare name, as `{{include: _base.md}}`.
//!
//! Everything is checked at load (unknown names, circles, paths, unknown variables): so rendering an existing prompt
//! does not fail, and no template reaches a file.

mod includes;
#[cfg(test)]
mod tests;
mod vars;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior};

use super::source_location::{ConfigFault, ConfigFaults, Layer, SourceLocation};
use super::text_file::read_each;
pub use vars::PromptVars;

/// The folder below the operator's folder, and the beginning of the files' names in faults.
const FOLDER: &str = SystemPrompts::FOLDER;
const BASE: &str = "_base.md";

const COMPILED_IN: [(&str, &str); 7] = [
    (BASE, include_str!("../../../../config/system-prompts/_base.md")),
    ("designer.md", include_str!("../../../../config/system-prompts/designer.md")),
    ("full-stack-engineer.md", include_str!("../../../../config/system-prompts/full-stack-engineer.md")),
    ("ops-engineer.md", include_str!("../../../../config/system-prompts/ops-engineer.md")),
    ("orchestrator.md", include_str!("../../../../config/system-prompts/orchestrator.md")),
    ("project-manager.md", include_str!("../../../../config/system-prompts/project-manager.md")),
    ("test-engineer.md", include_str!("../../../../config/system-prompts/test-engineer.md")),
];

/// Every system prompt, checked and ready to be rendered.
#[derive(Debug, Clone)]
pub struct SystemPrompts {
    environment: Environment<'static>,
    names: Vec<String>,
}

#[derive(Debug, Clone)]
struct Template {
    layer: Layer,
    text: String,
}

impl SystemPrompts {
    /// The folder of the operator's own, below the folder of the settings.
    pub const FOLDER: &str = "system-prompts";

    /// Reads the compiled-in prompts, with those of `config_dir` over them. Fails with every fault of every template.
    pub fn load(config_dir: Option<&Path>) -> Result<Self, ConfigFaults> {
        let mut templates: BTreeMap<String, Template> = COMPILED_IN
            .iter()
            .map(|(name, text)| ((*name).to_owned(), Template { layer: Layer::Defaults, text: (*text).to_owned() }))
            .collect();
        let mut faults = Vec::new();
        if let Some(dir) = config_dir {
            read_folder(&dir.join(FOLDER), &mut templates, &mut faults);
        }
        for template in templates.values_mut() {
            template.text = includes::rewritten(&template.text);
        }
        faults.extend(includes::check(&templates));
        ConfigFaults::unless_empty(faults)?;
        Self::compile(templates)
    }

    fn compile(templates: BTreeMap<String, Template>) -> Result<Self, ConfigFaults> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let mut syntax = SyntaxConfig::builder();
        // A line that holds a tag alone leaves no line behind, and an included file keeps its last line end.
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        environment.set_syntax(syntax.build().map_err(|error| fault_of(&error, BASE, &templates))?);
        let names: Vec<String> = templates.keys().cloned().collect();
        let mut faults = Vec::new();
        for (name, template) in &templates {
            if let Err(error) = environment.add_template_owned(name.clone(), template.text.clone()) {
                faults.push(fault_of(&error, name, &templates));
            }
        }
        ConfigFaults::unless_empty(faults)?;
        let prompts = Self { environment, names };
        let mut faults = Vec::new();
        for name in &prompts.names {
            for vars in [PromptVars::sample(), PromptVars::for_role("some-role")] {
                if let Err(error) = prompts.render_file(name, &vars) {
                    faults.push(fault_of(&error, name, &templates));
                }
            }
        }
        ConfigFaults::unless_empty(faults)?;
        Ok(prompts)
    }

    /// The roles that have a prompt of their own, by id, in order.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter(|name| !name.starts_with('_')).filter_map(|name| name.strip_suffix(".md"))
    }

    /// A role's prompt in Markdown, else what all roles have in common. Fails when a template fails on these variables.
    pub fn render(&self, role: &str, vars: &PromptVars) -> Result<String, ConfigFault> {
        let own = format!("{role}.md");
        let name = if self.names.contains(&own) && !own.starts_with('_') { own.as_str() } else { BASE };
        self.render_file(name, vars).map_err(|error| fault_of(&error, name, &BTreeMap::new()))
    }

    fn render_file(&self, name: &str, vars: &PromptVars) -> Result<String, minijinja::Error> {
        let text = self.environment.get_template(name)?.render(vars.value())?;
        Ok(format!("{}\n", text.trim_end()))
    }
}

/// Where the templating library says that something is wrong, in our words.
fn fault_of(error: &minijinja::Error, name: &str, templates: &BTreeMap<String, Template>) -> ConfigFault {
    // A fault inside an include is wrapped by one fault for each file that includes it: the innermost is meant.
    let mut inner = error;
    while let Some(source) = std::error::Error::source(inner).and_then(|source| source.downcast_ref()) {
        inner = source;
    }
    let name = inner.name().unwrap_or(name);
    let line = inner.line().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
    let detail = inner.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    place(name, templates, line, 1).fault(format!("{}{detail}", inner.kind()))
}

fn place(name: &str, templates: &BTreeMap<String, Template>, line: u32, column: u32) -> SourceLocation {
    let layer = templates.get(name).map_or(Layer::File, |template| template.layer);
    SourceLocation { line, column, ..SourceLocation::whole(layer, &format!("{FOLDER}/{name}")) }
}

/// Adds the regular `.md` files of a folder; a folder that is not there adds nothing.
fn read_folder(folder: &Path, templates: &mut BTreeMap<String, Template>, faults: &mut Vec<ConfigFault>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    read_each((folder, FOLDER), entries, &[".md"], faults, |name, text| {
        templates.insert(name, Template { layer: Layer::File, text });
    });
}
