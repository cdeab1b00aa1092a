//! What is said of what was given under a name.

use super::*;

#[test]
fn a_wrong_file_of_the_password_is_told_by_the_name_under_which_it_was_given() {
    let said = |named: &[(&str, &str)], file: Option<&str>| {
        let named = named.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        password_of(named, file.map(Path::new)).map(drop).unwrap_err().words()
    };
    let by_setting = said(&[], Some("/nowhere/password"));
    assert!(by_setting.contains("storePasswordFile: there is no file `/nowhere/password`"), "{by_setting}");
    assert!(!by_setting.contains("CALLBOARD_STORE_PASSWORD_FILE"), "{by_setting}");
    let by_variable = said(&[("CALLBOARD_STORE_PASSWORD_FILE", "/nowhere/password")], Some("/nowhere/password"));
    assert!(by_variable.contains("CALLBOARD_STORE_PASSWORD_FILE: there is no file"), "{by_variable}");
    let both = said(&[("CALLBOARD_STORE_PASSWORD", "x")], Some("/nowhere/password"));
    assert!(both.contains("`CALLBOARD_STORE_PASSWORD` and `storePasswordFile` are both set"), "{both}");
}
