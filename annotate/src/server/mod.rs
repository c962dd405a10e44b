//! The local server: static screens, and JSON for who has the token of this start.
//!
//! It binds 127.0.0.1 and no other address. Each request is held against the list in `guard.rs` before anything is done.

mod answer;
mod guard;
mod routes;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;

use crate::digest::hexadecimal;
use crate::session::Session;

/// Connections at once.
const MOST_CONNECTIONS: usize = 32;
/// Time for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Time for one request and its answer.
const REQUEST_TIME: Duration = Duration::from_secs(60);
/// Bytes of a head.
const MOST_HEAD: usize = 16 * 1_024;
/// Fields of a head.
const MOST_FIELDS: usize = 64;
/// The time between two looks at whether the server is to end.
const LOOK: Duration = Duration::from_millis(50);

/// The data from which requests are answered.
pub(crate) struct Served {
    session: Arc<Session>,
    port: u16,
    token: String,
}

/// A server that is bound.
pub struct Server {
    listener: TcpListener,
    served: Arc<Served>,
}

impl Server {
    /// Binds the port of 127.0.0.1, any free one for 0.
    ///
    /// # Errors
    /// The port is taken, or the system has no random numbers.
    pub fn bind(session: Arc<Session>, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let mut token = [0; 16];
        getrandom::fill(&mut token).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Server { listener, served: Arc::new(Served { session, port, token: hexadecimal(&token) }) })
    }

    /// The address to open: its fragment holds the token of this start.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#t={}", self.served.port, self.served.token)
    }

    /// Serves until `is_stopped` says so.
    ///
    /// # Errors
    /// The system has no more threads or sockets.
    pub fn run(self, is_stopped: &dyn Fn() -> bool) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = self.served;
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
            while !is_stopped() {
                let Ok(accepted) = tokio::time::timeout(LOOK, listener.accept()).await else { continue };
                // A connection that is gone already, or no more sockets for now.
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(LOOK).await;
                    continue;
                };
                let Ok(place) = places.clone().try_acquire_owned() else { continue };
                let served = served.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| answer_in_time(request, served.clone()));
                    let mut builder = http1::Builder::new();
                    builder
                        .timer(TokioTimer::new())
                        .header_read_timeout(HEAD_TIME)
                        .max_headers(MOST_FIELDS)
                        .max_buf_size(MOST_HEAD);
                    // What a client does wrong is answered by hyper and is no fault of ours.
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                    drop(place);
                });
            }
            Ok(())
        });
        // What is being written to the log is finished; what is still read of a page is not waited for.
        runtime.shutdown_timeout(Duration::from_secs(2));
        result
    }
}

async fn answer_in_time(request: Request<Incoming>, served: Arc<Served>) -> Result<Response<answer::Body>, Infallible> {
    let answered = tokio::time::timeout(REQUEST_TIME, routes::respond(request, served));
    Ok(answered.await.unwrap_or_else(|_| answer::error(408, "time", "the request took too long")))
}
