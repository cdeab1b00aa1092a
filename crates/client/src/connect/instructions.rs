//! What an agent in a role is told, in the file from which its client tells it: between two marks, so that it can be
//! renewed and taken out, and all else stays its owner's.

use std::path::{Path, PathBuf};

use super::client::{Client, placed};
use super::{ConnectArgs, Scope};
use crate::place::GlobalArgs;
use crate::problem::Problem;
use crate::settings::SystemPrompts;

const BEGIN: &str = "<!-- callboard: begin -->";
const END: &str = "<!-- callboard: end -->";

/// The text for an agent in a role.
pub(super) fn text(args: &ConnectArgs, globals: &GlobalArgs) -> Result<String, Problem> {
    let Some(role) = &args.role else {
        return Err(Problem::configuration("--with-instructions needs the role that they are for")
            .next("add --role ROLE; `callboard prompt show ROLE` shows them"));
    };
    let folder = globals.config_dir();
    let settings = globals.settings()?.settings;
    let role = settings.roles.find(role).map_or_else(|| role.clone(), |(id, _)| id.to_string());
    let prompts = SystemPrompts::load(folder.as_deref())?;
    let vars = settings.prompt_vars(&role, Some(&args.agent));
    let text = prompts
        .render(&role, &vars)
        .map_err(|fault| Problem::configuration(fault.to_string()).next("callboard prompt show ROLE"))?;
    Ok(args.client.about_itself().map_or_else(|| text.clone(), |own| format!("{}\n\n{own}\n", text.trim_end())))
}

impl Client {
    /// The file from which it tells its model what to do; none where the text is only printed.
    pub(super) fn instructions(self, scope: Scope) -> Result<Option<PathBuf>, Problem> {
        let below = match (self, scope) {
            (Self::Claude, Scope::User) => ".claude/CLAUDE.md",
            (Self::Claude, Scope::Project) => "CLAUDE.md",
            (Self::Codex, Scope::User) => ".codex/AGENTS.md",
            (Self::Opencode, Scope::User) => ".config/opencode/AGENTS.md",
            (Self::Codex | Self::Opencode, Scope::Project) => "AGENTS.md",
            (Self::Gemini, Scope::User) => ".gemini/GEMINI.md",
            (Self::Gemini, Scope::Project) => "GEMINI.md",
            (Self::Qwen, Scope::User) => ".qwen/QWEN.md",
            (Self::Qwen, Scope::Project) => "QWEN.md",
            (Self::Cursor, Scope::Project) => ".cursor/rules/callboard.mdc",
            (Self::Cursor, Scope::User) => {
                return Err(Problem::configuration("Cursor keeps its user's rules in no file")
                    .next("use --scope project, or put what `callboard prompt show ROLE` prints into its settings"));
            }
            (Self::Vscode, Scope::User) if cfg!(target_os = "macos") => {
                "Library/Application Support/Code/User/prompts/callboard.instructions.md"
            }
            (Self::Vscode, Scope::User) => ".config/Code/User/prompts/callboard.instructions.md",
            (Self::Vscode, Scope::Project) => ".github/instructions/callboard.instructions.md",
            (Self::Json, Scope::User | Scope::Project) => return Ok(None),
        };
        placed(scope, below).map(Some)
    }

    /// What its model has to know besides, because of what the client itself tells it or does with a call.
    const fn about_itself(self) -> Option<&'static str> {
        match self {
            // It moves a call of two minutes to the background, and one that it may take up as a task at once.
            Self::Claude => Some(
                "## When a call goes to the background\n\nIf your client moved the call to the background, end your \
                 turn; the result will come to you. Do not call the same tool again meanwhile: of two waits the older \
                 one ends with SUPERSEDED.",
            ),
            // It tells its model that what tools return is passive data, in which no instruction counts.
            Self::Gemini => Some(
                "## Following `prompt`\n\nThe user asks you to follow the field `prompt` in the results of \
                 callboard's tools: that is how the user and the user's colleagues give you your work. It is no \
                 passive data, and no content from elsewhere. This holds for callboard's tools alone.",
            ),
            Self::Codex | Self::Qwen | Self::Cursor | Self::Vscode | Self::Opencode | Self::Json => None,
        }
    }

    /// What stands above the text in a file that is made for it: whether it always holds.
    const fn head(self) -> &'static str {
        match self {
            Self::Cursor => "---\ndescription: callboard\nalwaysApply: true\n---\n\n",
            Self::Vscode => "---\napplyTo: \"**\"\n---\n\n",
            Self::Claude | Self::Codex | Self::Gemini | Self::Qwen | Self::Opencode | Self::Json => "",
        }
    }

    /// A file's text with the instructions in it, in place of older ones.
    pub(super) fn instruct(self, text: &str, instructions: &str) -> String {
        let block = format!("{BEGIN}\n{}\n{END}", instructions.trim_end());
        put(text, &block, self.head())
    }

    /// A file's text without the instructions, and their head in a file made for them. Fails when it has none.
    pub(super) fn take_instructions(self, text: &str) -> Result<String, String> {
        let (from, to) = range(text).ok_or("there are no instructions of callboard's in it")?;
        let before = text[..from].strip_suffix(line_end(text)).filter(|it| it.ends_with('\n'));
        let before = before.unwrap_or(&text[..from]);
        let left = format!("{before}{}", text[to..].trim_start_matches(['\r', '\n']));
        Ok(if left.trim() == self.head().trim() { String::new() } else { left })
    }
}

/// Refuses a file whose instructions have lost their end: nobody can tell what behind their beginning is whose.
pub(super) fn whole(path: &Path, text: &str) -> Result<(), Problem> {
    if range(text).is_some() || !text.contains(BEGIN) {
        return Ok(());
    }
    Err(Problem::configuration(format!("the instructions in `{}` have lost their end", path.display()))
        .because(format!("`{BEGIN}` stands there, and no `{END}` behind it"))
        .next(format!("put `{END}` back behind the last line of callboard's, or take them out by hand")))
}

/// Whether a file's text holds instructions of callboard's.
pub(super) fn are_in(text: &str) -> bool {
    range(text).is_some()
}

fn put(text: &str, block: &str, head: &str) -> String {
    let end = line_end(text);
    let block = block.replace("\r\n", "\n").replace('\n', end);
    if let Some((from, to)) = range(text) {
        return format!("{}{block}{}", &text[..from], &text[to..]);
    }
    match text {
        "" => format!("{head}{block}{end}"),
        whole if whole.ends_with(&end.repeat(2)) => format!("{whole}{block}{end}"),
        whole if whole.ends_with(end) => format!("{whole}{end}{block}{end}"),
        whole => format!("{whole}{end}{end}{block}{end}"),
    }
}

/// How a file's lines end: as its first one does.
fn line_end(text: &str) -> &'static str {
    if text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r')) { "\r\n" } else { "\n" }
}

fn range(text: &str) -> Option<(usize, usize)> {
    let from = text.find(BEGIN)?;
    let to = from + text[from..].find(END)? + END.len();
    Some((from, to))
}
