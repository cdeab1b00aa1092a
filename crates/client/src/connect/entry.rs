//! What a client is to start or to call.

use super::ConnectArgs;
use crate::client::address_of;
use crate::place::GlobalArgs;
use crate::problem::Problem;

/// How the entry is called in every file.
pub(super) const NAME: &str = "callboard";

/// The variable, in the client's environment, from which it takes the token of an entry over HTTP.
pub(super) const VARIABLE: &str = "CALLBOARD_TOKEN";

/// What the client is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// Start this program, and speak to it over stdio.
    Stdio {
        command: String,
        arguments: Vec<String>,
    },
    Http {
        url: String,
    },
}

impl Entry {
    /// What the flags ask for: this program as a proxy of that agent, or the hub's own address.
    pub(super) fn of(args: &ConnectArgs, globals: &GlobalArgs) -> Result<Self, Problem> {
        if args.http {
            let address = address_of(globals)?;
            return Ok(Self::Http { url: format!("{address}/mcp") });
        }
        let command = std::env::current_exe()?.display().to_string();
        let mut arguments = vec!["proxy".to_owned(), "--agent".to_owned(), args.agent.to_string()];
        let mut add = |flag: &str, value: Option<String>| {
            arguments.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        };
        add("--role", args.role.clone());
        arguments.extend(which_hub(globals)?);
        match args.client.turns_file(&args.agent, globals).filter(|_| args.wake) {
            Some(file) => arguments.extend(["--wake-file".to_owned(), file]),
            None if args.wake => arguments.push("--wake".to_owned()),
            None => {}
        }
        Ok(Self::Stdio { command, arguments })
    }
}

/// The flags by which a program that the client starts finds the same hub: the client's environment is not this one.
pub(super) fn which_hub(globals: &GlobalArgs) -> Result<Vec<String>, Problem> {
    let dir = globals.names_data_dir().then(|| globals.data_dir()).transpose()?.map(|dir| dir.display().to_string());
    let token = globals.token_file.as_ref().map(std::path::absolute).transpose()?;
    let token = token.map(|file| file.display().to_string());
    let flags = [("--url", globals.url.clone()), ("--data-dir", dir), ("--token-file", token)];
    let given = flags.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
    Ok(given.flatten().collect())
}
