//! The files of the corpus: that nothing is lost in them, and that they are what the tool writes.

use std::collections::BTreeSet;
use std::fs;

use super::recordings::{
    Group, Recording, apply_labels, as_text, corpus, label_lines, read_folders, unpack, write_folder,
};
use super::registries::REGISTRIES;
use super::{CORPUS, recordings};

#[test]
fn the_recordings_are_many_and_of_many_programs() {
    let programs: BTreeSet<&str> = recordings().map(|it| it.program.as_str()).collect();
    let paths: BTreeSet<String> = recordings().map(Recording::path).collect();
    let (waits, not): (Vec<_>, Vec<_>) = recordings().flat_map(|it| &it.moments).partition(|it| it.label.waits());
    assert_eq!(paths.len(), recordings().count(), "a recording has a name of its own");
    assert!(programs.len() >= 3_024, "{} programs", programs.len());
    assert!(paths.len() >= 4_764, "{} recordings", paths.len());
    assert!(waits.len() >= 4_279, "{} moments at which a program waits", waits.len());
    assert!(not.len() >= 4_507, "{} moments at which none waits", not.len());
}

#[test]
fn a_recording_knows_nothing_of_where_it_was_made() {
    let places = [concat!("/wo", "rk/"), concat!("/tm", "p/detect"), "/play/"];
    for recording in recordings() {
        let (version, command) = (&recording.version, &recording.command);
        let output = String::from_utf8_lossy(&recording.output);
        let place = places.iter().find(|place| output.contains(**place));
        let registry =
            REGISTRIES.iter().find(|name| [&output, &**version, &**command].iter().any(|it| it.contains(**name)));
        assert_eq!(place.or(registry), None, "{} holds it", recording.path());
    }
}

#[test]
fn the_files_of_a_group_are_what_the_tool_writes() {
    for group in CORPUS.iter() {
        for (file, content) in Group::files(&group.name).iter().zip(group.contents().unwrap()) {
            assert!(fs::read(file).unwrap() == content, "`{}` is not what the tool writes", file.display());
        }
        let mut again = Group { name: group.name.clone(), recordings: Vec::new() };
        assert_eq!(again.take(group.recordings.iter().rev().cloned().collect()), 0);
        assert!(again == *group, "{}: not in the order of the tool", group.name);
        assert_eq!(again.take(group.recordings[..1].to_vec()), 1, "the same one is replaced");
    }
}

#[test]
fn what_is_extracted_is_what_can_be_added() {
    let folder = tempfile::tempdir().unwrap();
    let agents = CORPUS.iter().find(|group| group.name == "agents").unwrap();
    let not_text = recordings().find(|it| std::str::from_utf8(&it.output).is_err()).unwrap();
    let out: Vec<&Recording> = agents.recordings.iter().chain([not_text]).collect();
    out.iter().for_each(|recording| write_folder(recording, folder.path()).unwrap());
    let mut back = read_folders(folder.path()).unwrap();
    back.sort_by_key(|it| out.iter().position(|other| other.path() == it.path()));
    assert!(back.iter().eq(out));
}

#[test]
fn a_damaged_pack_is_refused() {
    let [file, _] = Group::files("agents");
    let good = fs::read(file).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    assert!(unpack(&good).is_ok());
    assert!(unpack(&flipped).is_err());
    assert!(unpack(&good[..good.len() - 1]).is_err());
}

#[test]
fn labels_of_other_moments_are_refused() {
    let good = label_lines(&CORPUS[0].recordings[..2]);
    let (head, rest) = good.split_once('\n').unwrap();
    let (first, others) = rest.split_once('\n').unwrap();
    let cases = [
        (others.to_owned(), "the first line is not"),
        (format!("{head}\n{others}"), "line 2 is not of"),
        (good.replacen("\tsafe", "\tmaybe", 1), "`maybe` is neither"),
        (good.replacen("\t-\t", "\tcandy\t", 1), "there is no kind `candy`"),
        (good.replacen("\t-\tsafe", "\t-\tdangerous", 1), "what does not wait is not dangerous"),
        (good.replacen("\tsafe", "\tsafe\ta\tb", 1), "a line has four columns"),
        (format!("{good}{first}\n"), "is of no moment"),
        (good.trim_end().rsplit_once('\n').unwrap().0.to_owned(), "has no label"),
    ];
    for (text, why) in cases {
        let error = apply_labels(&text, &mut CORPUS[0].recordings[..2].to_vec()).unwrap_err();
        assert!(format!("{error:#}").contains(why), "`{why}` is not in `{error:#}`");
    }
}

/// `plain` holds some recordings as text, by what they wait for, for people who want to see what the corpus is like.
#[test]
fn the_recordings_in_plain_are_those_of_the_packs() {
    let mut many = 0;
    for kind in fs::read_dir(corpus().join("plain")).unwrap() {
        let kind = kind.unwrap().path();
        let kind_name = kind.file_name().unwrap().to_str().unwrap();
        for file in fs::read_dir(&kind).unwrap() {
            let file = file.unwrap().path();
            let text = fs::read_to_string(&file).unwrap();
            let name = text.lines().next().unwrap();
            let all = CORPUS.iter().flat_map(|group| group.recordings.iter().map(|it| (group.name.as_str(), it)));
            let found = all.into_iter().find(|(group, it)| format!("{group}/{}", it.path()) == name);
            let (group, recording) = found.unwrap_or_else(|| panic!("{}: no recording `{name}`", file.display()));
            let now = as_text(group, recording);
            assert_eq!(now, text, "`just corpus show {name} >{}` writes it anew", file.display());
            let kinds = recording.moments.iter().map(|it| it.label.kinds.first().map_or("nothing", |it| it.as_str()));
            assert!(kinds.into_iter().any(|it| it == kind_name), "{name} never waits for {kind_name}");
            many += 1;
        }
    }
    assert!(many >= 60, "{many} recordings in plain");
}
