//! HTTP on a loopback port, a thread for each target.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener as StandardListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::clock::Clock;
use super::service::{Asked, Ended, Reply, Service};

/// Bytes of a call that are read at the most.
const BODY_CAP: usize = 64 * 1024;

/// A target service that listens. It ends with this value.
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

/// A connection that ends without an answer, as a fault demands.
#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection was dropped")
    }
}

impl std::error::Error for Dropped {}

impl Server {
    /// Listens at `address` (port 0 for a free one) and serves from a thread of its own.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn start(service: Service, address: SocketAddr) -> io::Result<Self> {
        let listener = StandardListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async move {
                let accepting = tokio::spawn(accept(listener, Arc::new(service)));
                // Ends when the sender is dropped; the runtime then takes its tasks with it.
                let _ = stopped.await;
                accepting.abort();
            });
        };
        let thread = thread::Builder::new().name("target service".to_owned()).spawn(serve)?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process ends.
    pub fn serve_forever(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: StandardListener, service: Arc<Service>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        // A connection that ended before it was taken up is the caller's loss alone.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            let answer = service_fn(|request| answer(Arc::clone(&service), request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

async fn answer(service: Arc<Service>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Dropped> {
    let header = |name: &str| Some(request.headers().get(name)?.to_str().ok()?.to_owned());
    let is_post = request.method() == Method::POST;
    let mut asked = Asked {
        call: request.uri().path().trim_start_matches('/').to_owned(),
        key: header("idempotency-key"),
        actor: header("x-actor").unwrap_or_default(),
        body: Map::new(),
    };
    let body = Limited::new(request.into_body(), BODY_CAP).collect().await;
    let body = body.ok().and_then(|body| serde_json::from_slice(&body.to_bytes()).ok());
    let ended = match body {
        Some(Value::Object(body)) if is_post => {
            asked.body = body;
            service.handle(&asked)
        }
        _ => Ended::Answered(Reply::new(400, json!({"error": "expected POST with a JSON object"}))),
    };
    match ended {
        Ended::Dropped => Err(Dropped),
        Ended::Answered(reply) => {
            pause(service.clock(), reply.after_ms).await;
            Ok(response(&reply))
        }
    }
}

async fn pause(clock: &Clock, ms: i64) {
    match clock {
        Clock::System => tokio::time::sleep(Duration::from_millis(ms.max(0).unsigned_abs())).await,
        Clock::Simulated(_) => clock.wait_ms(ms),
    }
}

fn response(reply: &Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(reply.body.to_string())));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in &reply.headers {
        let name = hyper::header::HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
