//! What `skills` does, tried.

use super::*;

fn both() -> (Settings, SystemPrompts) {
    (Settings::defaults(), SystemPrompts::load(None).expect("the compiled-in prompts"))
}

#[test]
fn every_skill_is_valid_and_its_file_is_what_its_manifest_says() {
    let (settings, prompts) = both();
    let skills = list(&settings, &prompts).expect("skills");
    assert!(skills.iter().any(|skill| skill.name() == "full-stack-engineer"));
    for skill in skills {
        skill.validate().expect("a valid skill");
        let text = read(&settings, &prompts, &skill.uri).expect("it renders").expect("it is there");
        let SkillResources::Files(files) = &skill.resources else { panic!("{} has no manifest", skill.uri) };
        assert_eq!(files.len(), 1);
        files[0].verify(text.as_bytes()).expect("the file of its digest");
        assert!(text.starts_with(&format!("---\nname: {}\ndescription: \"How to work as", skill.name())));
        assert!(text.contains("wait_for_prompt"));
        assert_eq!(get(&settings, &prompts, &skill.uri), Ok(Some(skill)));
    }
}

#[test]
fn another_name_is_no_skill() {
    let (settings, prompts) = both();
    for name in ["skill://callboard/nobody/SKILL.md", "skill://callboard/designer", "skill://x/designer/SKILL.md"] {
        assert_eq!(get(&settings, &prompts, name), Ok(None), "{name}");
        assert_eq!(read(&settings, &prompts, name), Ok(None), "{name}");
    }
}
