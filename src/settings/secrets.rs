//! Secrets: from the environment, or from a file that it names.

use std::collections::BTreeMap;
use std::path::Path;

use secrecy::SecretString;

use super::place::{ConfigFault, Layer, Place};
use super::text_file::read_text;

/// The secret of `name` or of the file that `{name}_FILE` names, without the line end after it; `None` when neither is
/// set. Its text is in no error.
///
/// # Errors
/// When both are set, or the file cannot be read or is empty.
pub fn secret(environment: &BTreeMap<String, String>, name: &str) -> Result<Option<SecretString>, ConfigFault> {
    let by_file = format!("{name}_FILE");
    let set = |name: &str| environment.get(name).filter(|text| !text.is_empty());
    match (set(name), set(&by_file)) {
        (None, None) => Ok(None),
        (Some(text), None) => Ok(Some(SecretString::from(text.trim_end_matches(['\r', '\n'])))),
        (None, Some(path)) => {
            let place = Place::whole(Layer::Environment, &by_file);
            match read_text(Path::new(path)) {
                Ok(Some(text)) if !text.trim().is_empty() => {
                    Ok(Some(SecretString::from(text.trim_end_matches(['\r', '\n']))))
                }
                Ok(Some(_)) => Err(place.fault(format!("the file `{path}` is empty"))),
                Ok(None) => Err(place.fault(format!("there is no file `{path}`"))),
                Err(error) => Err(place.fault(format!("failed to read `{path}`: {error}"))),
            }
        }
        (Some(_), Some(_)) => {
            let place = Place::whole(Layer::Environment, name);
            Err(place.fault(format!("`{name}` and `{by_file}` are both set: keep one")))
        }
    }
}
