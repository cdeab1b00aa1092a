//! `callboard serve` with a certificate: a client that trusts it talks, one that does not is told so by TLS, and plain
//! HTTP is no way in.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

use crate::support::TIMEOUT;
use crate::support::hub_process::HubProcess;

/// A certificate for this machine, its files, and the settings that name them.
fn settings(folder: &Path) -> CertificateDer<'static> {
    let names = ["localhost", "127.0.0.1"].map(str::to_owned);
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    fs::write(&cert, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let tls = format!("tls: {{certFile: \"{}\", keyFile: \"{}\"}}\n", cert.display(), key.display());
    fs::write(folder.join("hub.yaml"), tls).unwrap();
    made.cert.der().clone()
}

/// The client's end of TLS, for who trusts that certificate.
fn end_of_tls(trusted: &CertificateDer<'static>) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    ClientConnection::new(Arc::new(config), name).unwrap()
}

/// One request over TLS; the whole answer, or why there is none.
fn get(port: u16, trusted: &CertificateDer<'static>, path: &str, token: &str) -> std::io::Result<String> {
    let connection = end_of_tls(trusted);
    let socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    let mut stream = StreamOwned::new(connection, socket);
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    match stream.read_to_string(&mut answer) {
        // Whoever closes without a last word of TLS has said what there was.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof && !answer.is_empty() => Ok(answer),
        Err(error) => Err(error),
        Ok(_) => Ok(answer),
    }
}

#[test]
fn a_hub_with_a_certificate_talks_to_who_trusts_it_and_to_nobody_else() {
    let (data, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let trusted = settings(config.path());
    let hub = HubProcess::start_with(data.path(), &["--config", config.path().to_str().unwrap()]);
    let url = fs::read_to_string(data.path().join("hub.url")).unwrap();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let health = get(hub.port(), &trusted, "/healthz", "").unwrap();
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    let tasks = get(hub.port(), &trusted, "/api/v1/tasks", &hub.operator_token()).unwrap();
    assert!(tasks.starts_with("HTTP/1.1 200") && tasks.contains("\"items\":[]"), "{tasks}");
    let nobody = get(hub.port(), &trusted, "/api/v1/tasks", "").unwrap();
    assert!(nobody.starts_with("HTTP/1.1 401"), "{nobody}");

    let other = settings(TempDir::new().unwrap().path());
    let error = get(hub.port(), &other, "/healthz", "").unwrap_err();
    assert!(error.to_string().contains("invalid peer certificate"), "{error}");

    let mut plain = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
    plain.set_read_timeout(Some(TIMEOUT)).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    drop(plain.read_to_end(&mut answer));
    assert!(!answer.starts_with(b"HTTP/1.1 200"), "plain HTTP is no way in");
    assert!(hub.terminate().success());
}
