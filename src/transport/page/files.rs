//! The files of the page, one row each: what stands here is in the binary, and a test holds it to the folder.

use std::sync::{LazyLock, OnceLock};

use bytes::Bytes;

use super::asset::{Asset, content_type};

/// A file as it lies in the binary, and as it is sent once somebody has asked for it.
pub(super) struct File {
    /// Its path below the folder.
    pub(super) name: &'static str,
    bytes: &'static [u8],
    asset: OnceLock<Option<Asset>>,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        vec![$(File { name: $name, bytes: include_bytes!(concat!("assets/", $name)), asset: OnceLock::new() }),*]
    };
}

/// Every file, by its path below the folder, in order.
#[rustfmt::skip]
pub(super) static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    files![
        "app/actors.js", "app/agents.js", "app/audit.js", "app/code.js", "app/events.js", "app/handout.js",
        "app/keys.js", "app/live.js", "app/main.js", "app/metrics.js", "app/notices.js", "app/outbox.js",
        "app/palette.js", "app/parts.js", "app/push.js", "app/review.js", "app/runs.js", "app/schedules.js",
        "app/sentences.js", "app/sessions.js", "app/settings.js", "app/several.js", "app/story.js",
        "app/task.js", "app/tasks.js", "app/terminal.js", "app/tokens.js", "app/tree.js", "app/ui.js",
        "app/undo.js", "app/webhooks.js", "icon.svg", "index.html", "manifest.webmanifest", "style/page.css",
        "sw.js", "vendor/preact.mjs", "vendor/uplot.css", "vendor/uplot.mjs",
    ]
});

/// The file of that path.
pub(super) fn find(name: &str) -> Option<&'static Asset> {
    let file = FILES.iter().find(|file| file.name == name)?;
    let make = || content_type(name).map(|content_type| Asset::of(content_type, Bytes::from_static(file.bytes)));
    file.asset.get_or_init(make).as_ref()
}
