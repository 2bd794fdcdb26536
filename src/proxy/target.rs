//! Where an upstream is, and how a connection to it comes about, plain or encrypted.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use hyper::Uri;
use hyper::http::HeaderValue;
use hyper::http::uri::PathAndQuery;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use super::gather::{SMALL, gathered};

/// Where an upstream is.
#[derive(Debug)]
pub(super) struct Target {
    host: String,
    port: u16,
    /// The name that the upstream's certificate must show; `None` without encryption.
    server_name: Option<ServerName<'static>>,
    authority: HeaderValue,
    /// What goes before the path of every call; it ends with no slash.
    base: String,
}

impl Target {
    /// Reads an address: `http://` or `https://`, a host, and perhaps a port and a path.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub(super) fn parse(address: &str) -> Result<Self, String> {
        // The address itself may hold a password and is not repeated.
        let uri: Uri = address.parse().map_err(|error| format!("it is no address: {error}"))?;
        let is_encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err("it does not begin with http:// or https://".to_owned()),
        };
        let authority = uri.authority().ok_or("it has no host")?;
        if authority.as_str().contains('@') {
            return Err("it holds a user name; give credentials to the workflow, which sends them".to_owned());
        }
        if uri.query().is_some() {
            return Err("it holds a query, and a call has its own".to_owned());
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let server_name = match is_encrypted {
            true => Some(ServerName::try_from(host.clone()).map_err(|_| format!("{host} is no host name"))?),
            false => None,
        };
        Ok(Self {
            port: authority.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 }),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| "its host has odd letters".to_owned())?,
            base: uri.path().trim_end_matches('/').to_owned(),
            server_name,
            host,
        })
    }

    /// What stands in the header `Host`.
    pub(super) fn authority(&self) -> &HeaderValue {
        &self.authority
    }

    /// The host and port, for people.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The target that the upstream sees for a call's own.
    pub(super) fn uri(&self, called: Uri) -> Option<Uri> {
        if self.base.is_empty() || called.path() == "*" {
            return Some(called);
        }
        let path = called.path_and_query().map_or("/", PathAndQuery::as_str);
        format!("{}{path}", self.base).parse().ok()
    }

    /// What comes after the upstream's own address in another one; `None` where that leads elsewhere.
    pub(super) fn below(&self, address: &str) -> Option<String> {
        let uri: Uri = address.parse().ok()?;
        let (scheme, port) = if self.server_name.is_some() { ("https", 443) } else { ("http", 80) };
        let authority = uri.authority()?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_same = uri.scheme_str() == Some(scheme)
            && host.eq_ignore_ascii_case(&self.host)
            && authority.port_u16().unwrap_or(port) == self.port;
        let rest = uri.path_and_query()?.as_str().strip_prefix(self.base.as_str()).filter(|_| is_same)?;
        (rest.is_empty() || rest.starts_with(['/', '?'])).then(|| rest.to_owned())
    }

    /// Connects anew.
    ///
    /// # Errors
    /// When nobody answers there, or not with the right certificate.
    pub(super) async fn connect(&self) -> io::Result<LineIo> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        let stream = match &self.server_name {
            None => Stream::Plain(stream),
            Some(name) => Stream::Encrypted(Box::new(tls()?.connect(name.clone(), stream).await?)),
        };
        Ok(LineIo { stream, counts: Arc::default() })
    }
}

/// The settings for encrypted connections: the roots of this machine, read once.
fn tls() -> io::Result<TlsConnector> {
    static SETTINGS: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let settings = SETTINGS.get_or_init(|| tls_settings().map_err(|error| error.to_string()));
    settings.clone().map(TlsConnector::from).map_err(io::Error::other)
}

fn tls_settings() -> Result<Arc<ClientConfig>, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let mut settings =
        builder.with_safe_default_protocol_versions()?.with_root_certificates(roots).with_no_client_auth();
    settings.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(settings))
}

/// What has been written on a connection to an upstream so far.
#[derive(Debug, Default)]
pub(super) struct Counts {
    written: AtomicU64,
    flushes: AtomicU64,
}

impl Counts {
    /// Bytes that have been written.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// How often nothing was left to be written.
    pub(super) fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Acquire)
    }
}

/// A connection to an upstream.
#[derive(Debug)]
pub(super) struct LineIo {
    stream: Stream,
    pub(super) counts: Arc<Counts>,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for LineIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for LineIo {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        })?;
        self.counts.written.fetch_add(written as u64, Ordering::AcqRel);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut room = [0; SMALL];
        let written = ready!(match &mut self.stream {
            Stream::Plain(stream) => match gathered(bytes, &mut room) {
                Some(bytes) => Pin::new(stream).poll_write(context, bytes),
                None => Pin::new(stream).poll_write_vectored(context, bytes),
            },
            Stream::Encrypted(stream) => Pin::new(stream).poll_write_vectored(context, bytes),
        })?;
        self.counts.written.fetch_add(written as u64, Ordering::AcqRel);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Plain(stream) => stream.is_write_vectored(),
            Stream::Encrypted(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        })?;
        self.counts.flushes.fetch_add(1, Ordering::AcqRel);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_the_same_upstream_is_told_from_what_leads_elsewhere() {
        for (upstream, address, expected) in [
            ("http://shop:81", "http://SHOP:81/a?b=1", Some("/a?b=1")),
            ("http://shop", "http://shop:80/a", Some("/a")),
            ("https://shop:443/api/", "https://shop/api/a", Some("/a")),
            ("http://shop/api", "http://shop/api?a", Some("?a")),
            ("http://[::1]:81", "http://[::1]:81/", Some("/")),
            ("http://shop/api", "http://shop/apis", None),
            ("http://shop/api", "http://shop/other", None),
            ("http://shop", "https://shop/a", None),
            ("http://shop", "http://shop:81/a", None),
            ("http://shop", "http://other/a", None),
            ("http://shop", "/a", None),
        ] {
            let target = Target::parse(upstream).unwrap();
            assert_eq!(target.below(address).as_deref(), expected, "{upstream} {address}");
        }
    }

    #[test]
    fn a_port_that_is_not_named_is_that_of_the_scheme() {
        for (address, shown) in [
            ("http://shop", "shop:80"),
            ("https://shop/", "shop:443"),
            ("http://[::1]:9/api", "::1:9"),
            ("HTTP://127.0.0.1:8080", "127.0.0.1:8080"),
        ] {
            assert_eq!(Target::parse(address).unwrap().shown(), shown);
        }
    }
}
