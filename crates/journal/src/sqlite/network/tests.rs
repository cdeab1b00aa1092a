//! What `network` does, tried.

use std::path::Path;

use super::network_kind;

const MOUNTS: &str = "\
        22 1 254:0 / / rw,relatime - ext4 /dev/root rw\n\
        40 22 0:35 / /home rw - nfs4 server:/home rw\n\
        41 40 254:1 / /home/ada/local\\040disk rw - xfs /dev/vdb rw\n";

#[test]
fn a_folder_belongs_to_the_deepest_mount_above_it() {
    assert_eq!(network_kind(MOUNTS, Path::new("/var/lib/callboard")), None);
    assert_eq!(network_kind(MOUNTS, Path::new("/home/ada/callboard")), Some("nfs4".to_owned()));
    assert_eq!(network_kind(MOUNTS, Path::new("/home/ada/local disk/callboard")), None);
    assert_eq!(network_kind(MOUNTS, Path::new("/homestead")), None);
}
