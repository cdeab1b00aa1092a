//! Secrets: from the environment, or from a file that it names.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use secrecy::SecretString;

use super::source_location::{ConfigFault, Layer, SourceLocation};
use crate::private_file;

/// The secret of `name`, or of the file that `{name}_FILE` names, without its line end; it is in no error. Fails when
/// both are set, or the file is unreadable, not believed, empty, or of several lines.
pub fn secret(environment: &BTreeMap<String, String>, name: &str) -> Result<Option<SecretString>, ConfigFault> {
    let by_file = format!("{name}_FILE");
    let set = |name: &str| environment.get(name).filter(|text| !text.is_empty());
    match (set(name), set(&by_file)) {
        (None, None) => Ok(None),
        (Some(text), None) => Ok(Some(SecretString::from(text.trim_end_matches(['\r', '\n'])))),
        (None, Some(path)) => {
            let place = SourceLocation::whole(Layer::Environment, &by_file);
            match private_file::read_given(Path::new(path)) {
                Ok(text) if text.trim().lines().nth(1).is_some() => {
                    Err(place.fault(format!("the file `{path}` has more than one line: it must hold the secret alone")))
                }
                Ok(text) if !text.trim().is_empty() => {
                    Ok(Some(SecretString::from(text.trim_end_matches(['\r', '\n']))))
                }
                Ok(_) => Err(place.fault(format!("the file `{path}` is empty"))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(place.fault(format!("there is no file `{path}`")))
                }
                Err(error) => Err(place.fault(error.to_string())),
            }
        }
        (Some(_), Some(_)) => {
            let place = SourceLocation::whole(Layer::Environment, name);
            Err(place.fault(format!("`{name}` and `{by_file}` are both set: keep one")))
        }
    }
}

#[cfg(test)]
mod tests;
