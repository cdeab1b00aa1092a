//! `multipart/form-data`: `payload_json`, and files under `files[n]`.

/// A file of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    /// The `n` of `files[n]`, which `attachments` of the body names as `id`.
    pub(crate) number: u64,
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The JSON and the files; `None` when it is no form of this kind.
pub(crate) fn read(content_type: &str, body: &[u8]) -> Option<(Vec<u8>, Vec<File>)> {
    let (_, boundary) = content_type.split_once("boundary=")?;
    let boundary = boundary.split(';').next()?.trim().trim_matches('"');
    let mark = format!("--{boundary}");
    let (mut json, mut files) = (None, Vec::new());
    for part in pieces(body, mark.as_bytes()).into_iter().skip(1) {
        if part.starts_with(b"--") {
            break;
        }
        let head_end = find(part, b"\r\n\r\n")?;
        let head = std::str::from_utf8(part.get(..head_end)?).ok()?;
        let bytes = part.get(head_end + 4..)?;
        let bytes = bytes.strip_suffix(b"\r\n").unwrap_or(bytes).to_vec();
        let name = quoted(head, " name=")?;
        if name == "payload_json" {
            json = Some(bytes);
        } else {
            let number = name.strip_prefix("files[")?.strip_suffix(']')?.parse().ok()?;
            files.push(File { number, name: quoted(head, "filename=")?.into(), bytes });
        }
    }
    Some((json?, files))
}

fn quoted<'a>(head: &'a str, key: &str) -> Option<&'a str> {
    head.split_once(key)?.1.strip_prefix('"')?.split('"').next()
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn pieces<'a>(mut bytes: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut found = Vec::new();
    while let Some(at) = find(bytes, mark) {
        found.push(&bytes[..at]);
        bytes = &bytes[at + mark.len()..];
    }
    found.push(bytes);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_json_and_files() {
        let body =
            b"--X\r\nContent-Disposition: form-data; name=\"files[3]\"; filename=\"a.txt\"\r\n\r\none\r\ntwo\r\n\
            --X\r\nContent-Disposition: form-data; name=\"payload_json\"\r\nContent-Type: application/json\r\n\r\n\
            {}\r\n--X--\r\n";
        let (json, files) = read("multipart/form-data; boundary=X", body).unwrap();
        assert_eq!(json, b"{}");
        assert_eq!(files, [File { number: 3, name: "a.txt".into(), bytes: b"one\r\ntwo".to_vec() }]);
        assert_eq!(read("multipart/form-data", body), None);
    }
}
