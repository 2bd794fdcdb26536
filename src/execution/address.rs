//! The addresses of services: which can be used, how they are shown, and whether somebody already listens there.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use ureq::http::Uri;

use crate::evidence::{ErrorKind, TrialError};

/// How long a connection to a port at which nothing should listen may take.
const CONNECT: Duration = Duration::from_secs(1);

/// # Errors
/// When this build cannot speak to `url`.
pub(super) fn check_address(url: &str) -> Result<(), TrialError> {
    let scheme = url.split("://").next().unwrap_or_default().to_ascii_lowercase();
    let message = match scheme.as_str() {
        "http" => return Ok(()),
        "https" => format!("{} cannot be reached: this build speaks plain http only", shown(url)),
        _ => format!("{} is no http address", shown(url)),
    };
    Err(TrialError { kind: ErrorKind::Setup, message })
}

/// Makes sure that nobody listens where a service is about to be started: what answers there, such as an older copy of the
/// service that outlived its run, would be tested in its place.
///
/// # Errors
/// When a connection to `url` is accepted.
pub(super) fn check_free(url: &str) -> Result<(), TrialError> {
    if !is_taken(url) {
        return Ok(());
    }
    let message = format!(
        "something already listens at {}; stop it first: it would be tested in place of the service that `start` names",
        shown(url)
    );
    Err(TrialError { kind: ErrorKind::Setup, message })
}

fn is_taken(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let Some(host) = uri.host() else { return false };
    let Ok(addresses) = format!("{host}:{}", uri.port_u16().unwrap_or(80)).to_socket_addrs() else { return false };
    addresses.into_iter().any(|address| {
        // A free port of this machine can, by chance, be connected with itself.
        let is_other = |stream: TcpStream| stream.local_addr().ok() != stream.peer_addr().ok();
        TcpStream::connect_timeout(&address, CONNECT).is_ok_and(is_other)
    })
}

/// An address without what is secret in it: user, password and query.
pub(super) fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority_end = rest.find('/').unwrap_or(rest.len());
    let host = rest[..authority_end].rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{}", &rest[authority_end..])
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        assert_eq!(shown("http://user:pa@ss@host:8080/path?key=secret#x"), "http://host:8080/path");
        assert_eq!(shown("http://host"), "http://host");
    }

    #[test]
    fn only_plain_http_can_be_reached() {
        assert!(check_address("http://localhost:1/").is_ok());
        assert!(check_address("HTTP://localhost:1/").is_ok());
        assert!(check_address("https://localhost/").unwrap_err().message.contains("plain http only"));
        assert!(check_address("file:///etc/passwd").is_err());
    }

    #[test]
    fn a_port_is_taken_while_somebody_listens_whether_or_not_he_answers() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("http://user:word@localhost:{port}/path?key=secret");
        let error = check_free(&url).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Setup);
        assert!(error.message.contains(&format!("already listens at http://localhost:{port}/path;")), "{error:?}");
        drop(listener);
        assert_eq!(check_free(&url), Ok(()));
    }

    #[test]
    fn a_host_that_does_not_exist_yet_is_free() {
        assert_eq!(check_free("http://no-such-host.invalid/"), Ok(()));
    }
}
