//! Upstreams behind TLS. The roots are read once in a process, from where the environment says: the test runs itself
//! again with an environment of its own.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::scene::Scene;
use super::upstream::{Upstream, ok};

/// Tells the second run that it is the second.
const AGAIN: &str = "HOLDPOINT_TEST_AGAIN";

#[test]
fn an_encrypted_upstream_is_reached_where_its_certificate_is_right() {
    if std::env::var_os(AGAIN).is_some() {
        return check();
    }
    let name = thread::current().name().unwrap().to_owned();
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &name, "--nocapture"])
        .env(AGAIN, "1")
        .env("SSL_CERT_FILE", certificate("known.pem"))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&again.stdout);
    assert!(
        again.status.success() && printed.contains("1 passed"),
        "{printed}{}",
        String::from_utf8_lossy(&again.stderr)
    );
}

/// Certificates for `localhost` that sign themselves, made for these tests alone, with their keys.
fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proxy/certificates").join(name)
}

fn check() {
    let right = served("known").replace("127.0.0.1", "localhost");
    let scene = Scene::new(Upstream::saying("").at(right));
    let mut client = scene.client();
    for _ in 0..3 {
        let got = client.call("POST", "/orders", "", "{\"order\":\"O-1\"}").unwrap();
        assert_eq!((got.status(), got.text()), (200, "{\"order\":\"O-1\"}"));
    }
    let seen = scene.finish();
    assert!(seen.exchanges.iter().all(|exchange| exchange.status == Some(200) && exchange.problem.is_none()));

    let wrong_name = served("known");
    let wrong_root = served("unknown").replace("127.0.0.1", "localhost");
    let plain = plain().replace("127.0.0.1", "localhost");
    for (address, words) in
        [(wrong_name, "not valid for name"), (wrong_root, "UnknownIssuer"), (plain, "corrupt message")]
    {
        let scene = Scene::new(Upstream::saying("").at(address));
        let got = scene.client().call("POST", "/orders", "", "{}").unwrap();
        assert_eq!((got.status(), got.header("holdpoint-problem")), (502, Some("upstream-unreachable")));
        let problem = scene.finish_with_one().problem.unwrap();
        assert!(problem.contains(words), "{problem}");
    }
}

/// The address of a server with that certificate, which sends each body back.
fn served(name: &str) -> String {
    let own = CertificateDer::from_pem_file(certificate(&format!("{name}.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_file(certificate(&format!("{name}.key"))).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                // Each request here arrives in one piece.
                while let Ok(count @ 1..) = stream.read(&mut buffer) {
                    let request = String::from_utf8_lossy(&buffer[..count]).into_owned();
                    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                    if stream.write_all(ok(body).as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// The address of a server that speaks no TLS.
fn plain() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    address
}
