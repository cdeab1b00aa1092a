//! Whether a folder lies on a network file system, as far as the kernel's list of mounts tells.
//!
//! SQLite's write-ahead log needs memory shared between processes and locks that hold; file systems over a network
//! promise both and keep neither. Where there is no such list (other systems than Linux), nothing is refused.

use std::path::Path;

const NETWORK: &[&str] = &[
    "afs", "beegfs", "ceph", "cifs", "fuse.ceph", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs",
];

/// The kind of the network file system that holds `directory`; none when it is a local one.
pub(super) fn file_system_of(directory: &Path) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let directory = directory.canonicalize().ok()?;
    network_kind(&mounts, &directory)
}

/// `mounts` has a line for each mount, later ones lying over earlier ones:
/// `36 35 98:0 /root /mount/point options - kind source options`.
fn network_kind(mounts: &str, directory: &Path) -> Option<String> {
    let covering = mounts.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let point = place.split(' ').nth(4)?.replace("\\040", " ");
        let kind = kind.split(' ').next()?;
        directory.starts_with(&point).then_some((point.len(), kind))
    });
    let (_, kind) = covering.max_by_key(|(length, _)| *length)?;
    NETWORK.contains(&kind).then(|| kind.to_owned())
}

#[cfg(test)]
mod tests;
