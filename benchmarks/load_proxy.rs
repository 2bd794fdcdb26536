//! A target and its callers, for `./bench proxy`. Both are plain hyper, so that what is compared with the proxy is what
//! an ordinary server and an ordinary client take.
//!
//! `load_proxy target MILLISECONDS` serves until its input ends, and prints its address. A POST is answered after so long
//! with a short JSON text, `GET /N` with N bytes. `load_proxy calls ADDRESS CONNECTIONS COUNT` makes so many calls in all and prints their median
//! and their sum in microseconds, `load_proxy body ADDRESS BYTES` sends so many bytes and then reads as many. `load_proxy pass ADDRESS`
//! serves as well and passes every call on without looking at it: what is left of a throughput then is the least that any
//! proxy of this kind takes.

use std::convert::Infallible;
use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Either, Full};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::SendRequest;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

type Failure = Box<dyn Error + Send + Sync>;
type AnyBody = Either<Full<Bytes>, Zeros>;

const QUESTION: &str = r#"{"operation":"op-7","order":"O-1001","amount":1250,"currency":"EUR","customer":"K-12"}"#;
const ANSWER: &str = r#"{"receipt":"r-77","order":"O-1001","amount":1250,"currency":"EUR","state":"accepted"}"#;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match arguments.as_slice() {
        ["target", milliseconds] => {
            let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
            say(&format!("http://{}", listener.local_addr()?))?;
            runtime.spawn(serve(listener, Duration::from_millis(milliseconds.parse()?)));
            for line in std::io::stdin().lock().lines() {
                line?;
            }
        }
        ["calls", address, connections, count] => {
            let (median, sum) = runtime.block_on(calls(address, connections.parse()?, count.parse()?))?;
            say(&format!("{median} {sum}"))?;
        }
        ["pass", upstream] => pass(upstream)?,
        ["body", address, bytes] => runtime.block_on(body(address, bytes.parse()?))?,
        _ => {
            return Err(
                "usage: load_proxy target MILLISECONDS | pass ADDRESS | calls ADDRESS CONNECTIONS COUNT | body ADDRESS BYTES"
                    .into()
            );
        }
    }
    Ok(())
}

fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

async fn serve(listener: TcpListener, pause: Duration) -> std::io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(
            hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(move |request| answer(request, pause))),
        );
    }
}

async fn answer(request: Request<Incoming>, pause: Duration) -> Result<Response<AnyBody>, Failure> {
    if request.method() == Method::GET {
        let bytes = request.uri().path().trim_start_matches('/').parse()?;
        return Ok(Response::new(Either::Right(Zeros(bytes))));
    }
    let mut body = request.into_body();
    while let Some(frame) = body.frame().await {
        frame?;
    }
    if !pause.is_zero() {
        tokio::time::sleep(pause).await;
    }
    let response = Response::builder().header("content-type", "application/json");
    Ok(response.body(Either::Left(Full::from(ANSWER)))?)
}

/// Passes calls on without recording anything, on two threads as the proxy does.
fn pass(upstream: &str) -> Result<(), Failure> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    say(&format!("http://{}", listener.local_addr()?))?;
    for _ in 0..2 {
        let (listener, upstream) = (listener.try_clone()?, upstream.to_owned());
        std::thread::spawn(move || -> Result<(), Failure> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener)?;
                loop {
                    let (stream, _) = listener.accept().await?;
                    tokio::spawn(pass_connection(stream, upstream.clone()));
                }
            })
        });
    }
    for line in std::io::stdin().lock().lines() {
        line?;
    }
    Ok(())
}

async fn pass_connection(stream: TcpStream, upstream: String) -> Result<(), Failure> {
    stream.set_nodelay(true)?;
    let sender = tokio::sync::Mutex::new(connect_any::<Incoming>(&upstream).await?);
    let service = service_fn(|request: Request<Incoming>| async {
        let mut sender = sender.lock().await;
        sender.ready().await?;
        sender.send_request(request).await
    });
    Ok(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await?)
}

async fn connect(address: &str) -> Result<SendRequest<AnyBody>, Failure> {
    connect_any(address).await
}

async fn connect_any<B>(address: &str) -> Result<SendRequest<B>, Failure>
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Failure>,
{
    let address: SocketAddr = address.trim_start_matches("http://").parse()?;
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn calls(address: &str, connections: usize, count: usize) -> Result<(u128, u128), Failure> {
    let mut senders = Vec::new();
    for _ in 0..connections {
        senders.push(connect(address).await?);
    }
    let begun = Instant::now();
    let tasks: Vec<_> = senders.into_iter().map(|sender| tokio::spawn(call(sender, count / connections))).collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let sum = begun.elapsed().as_micros();
    times.sort_unstable();
    Ok((times.get(times.len() / 2).copied().unwrap_or(0), sum))
}

async fn call(mut sender: SendRequest<AnyBody>, count: usize) -> Result<Vec<u128>, Failure> {
    let mut times = Vec::with_capacity(count);
    for number in 0..count {
        let begun = Instant::now();
        let request = Request::post("/orders")
            .header("host", "target")
            .header("content-type", "application/json")
            .header("idempotency-key", number)
            .header("user-agent", "benchmark")
            .body(Either::Left(Full::from(QUESTION)))?;
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let answer = response.into_body().collect().await?.to_bytes();
        if !status.is_success() || answer != ANSWER {
            return Err(format!("{status}: {answer:?}").into());
        }
        times.push(begun.elapsed().as_micros());
    }
    Ok(times)
}

async fn body(address: &str, bytes: u64) -> Result<(), Failure> {
    let mut sender = connect(address).await?;
    let upload = Request::post("/").header("host", "target").body(Either::Right(Zeros(bytes)))?;
    let answer = sender.send_request(upload).await?.into_body().collect().await?.to_bytes();
    if answer != ANSWER {
        return Err(format!("the upload was answered with {answer:?}").into());
    }
    sender.ready().await?;
    let download = Request::get(format!("/{bytes}")).header("host", "target").body(Either::Left(Full::default()))?;
    let mut body = sender.send_request(download).await?.into_body();
    let mut got = 0;
    while let Some(frame) = body.frame().await {
        got += frame?.data_ref().map_or(0, |data| data.len() as u64);
    }
    if got == bytes { Ok(()) } else { Err(format!("{got} of {bytes} bytes came").into()) }
}

/// A body of so many zeros, in pieces.
struct Zeros(u64);

impl Body for Zeros {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        static PIECE: [u8; 64 * 1024] = [0; 64 * 1024];
        let length = usize::try_from(self.0).unwrap_or(usize::MAX).min(PIECE.len());
        self.0 -= length as u64;
        Poll::Ready((length > 0).then(|| Ok(Frame::data(Bytes::from_static(&PIECE[..length])))))
    }

    fn is_end_stream(&self) -> bool {
        self.0 == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}
