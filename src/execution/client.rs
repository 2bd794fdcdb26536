//! The client of every HTTP call that holdpoint itself makes: it goes where it is told, and knows whether it got there.

use std::cell::Cell;
use std::net::IpAddr;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{self, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport};
use ureq::{Agent, Error};

/// A client that follows no redirect, takes no proxy from the environment, and uses no connection twice: one that the service
/// has closed meanwhile would look like a failure of the trial, and whether it had taken the request could not be told.
pub(super) fn agent(timeout: Option<Duration>) -> Agent {
    let config = Agent::config_builder()
        .timeout_global(timeout)
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .max_idle_connections(0)
        .user_agent(concat!("holdpoint/", env!("CARGO_PKG_VERSION")));
    let connector = ().chain(DefaultConnector::default()).chain(Connected);
    Agent::with_parts(config.build(), connector, LiteralsAtOnce::default())
}

thread_local! {
    /// Whether the call that this thread makes has a connection.
    static HAS_CONNECTION: Cell<bool> = const { Cell::new(false) };
}

/// Makes one call, by a client that [`agent`] made, and says whether it reached nothing: it failed, and before there was a
/// connection, so that nothing of the request can have been sent. A call that waited for a connection until its time
/// was up has had its time, and one that could not be made at all would not get further: neither counts.
pub(super) fn unreached<T>(call: impl FnOnce() -> Result<T, Error>) -> (Result<T, Error>, bool) {
    HAS_CONNECTION.set(false);
    let result = call();
    let failed_on_the_way =
        matches!(&result, Err(Error::Io(_) | Error::HostNotFound | Error::ConnectionFailed)) && !HAS_CONNECTION.get();
    (result, failed_on_the_way)
}

/// Comes after the connector that connects, and so only where that has.
#[derive(Debug)]
struct Connected;

impl<In: Transport> Connector<In> for Connected {
    type Out = In;

    fn connect(&self, _: &ConnectionDetails<'_>, connection: Option<In>) -> Result<Option<In>, Error> {
        HAS_CONNECTION.set(connection.is_some());
        Ok(connection)
    }
}

/// Looks names up as the client always does: in a thread of its own for each call, since a look-up may hang longer than the
/// call may take. An address that is written in numbers needs no look-up, and so no thread.
#[derive(Debug, Default)]
struct LiteralsAtOnce(DefaultResolver);

impl Resolver for LiteralsAtOnce {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let at_once = NextTimeout { after: transport::time::Duration::NotHappening, ..timeout };
        self.0.resolve(uri, config, if is_literal(uri) { at_once } else { timeout })
    }
}

fn is_literal(uri: &Uri) -> bool {
    let host = uri.host().map(|host| host.trim_start_matches('[').trim_end_matches(']'));
    host.is_some_and(|host| host.parse::<IpAddr>().is_ok())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_what_is_written_in_numbers_needs_no_look_up() {
        for (url, is) in [
            ("http://127.0.0.1:8080/invoke", true),
            ("http://[::1]:8080/", true),
            ("http://localhost:8080/", false),
            ("http://127.0.0.1.example/", false),
            ("http://1/", false),
        ] {
            assert_eq!(is_literal(&url.parse().unwrap()), is, "{url}");
        }
    }

    #[test]
    fn numbers_are_taken_as_they_stand() {
        let config = Agent::config_builder().build();
        for (url, address) in [("http://127.0.0.1:8080/a", "127.0.0.1:8080"), ("http://[::1]/", "[::1]:80")] {
            let found = LiteralsAtOnce::default().resolve(&url.parse().unwrap(), &config, NextTimeout::default());
            assert_eq!(found.unwrap()[..], [address.parse().unwrap()], "{url}");
        }
    }

    #[test]
    fn a_call_reached_nothing_only_where_there_was_no_connection() {
        let agent = agent(Some(Duration::from_secs(5)));
        let told = |url: &str| unreached(|| agent.post(url).send("x")).1;
        let refusing = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(told(&format!("http://{refusing}/")));
        // A group of machines has no connection to offer: the system itself refuses, before anything is sent.
        assert!(told("http://224.0.0.1:9/"));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let resetting = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            std::thread::sleep(Duration::from_millis(100));
            // Bytes that nobody has read make the system answer with a reset.
            drop(stream);
        });
        assert!(!told(&format!("http://{address}/")));
        resetting.join().unwrap();
        assert!(!told("nothing://at.all/"));
    }
}
