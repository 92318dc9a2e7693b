//! The place of the server: a fixed address, or the primary that Sentinels name at the moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisConnectionInfo, cmd};

use super::command_error::{CommandError, within};

/// The longest time until one Sentinel has answered.
const SENTINEL_LIMIT: Duration = Duration::from_millis(500);

/// The port of a Sentinel whose URL names none.
const SENTINEL_PORT: u16 = 26_379;

/// The most Sentinels of a URL.
const MAX_SENTINELS: usize = 16;

/// The place of a server. Clones share what was last found.
#[derive(Clone, Debug)]
pub(super) struct Endpoint(Arc<Place>);

#[derive(Debug)]
enum Place {
    Fixed { server: ConnectionInfo, address: String },
    Sentinels(Sentinels),
}

/// A primary with replicas, of which Sentinels choose another one when it is lost.
#[derive(Debug)]
struct Sentinels {
    sentinels: Vec<ConnectionAddr>,
    /// The one that is asked first: it has answered last.
    last: AtomicUsize,
    /// The name of the primary.
    primary: String,
    /// User, password and database of the primary.
    settings: RedisConnectionInfo,
    /// For logs, without user and password.
    address: String,
}

impl Endpoint {
    /// The endpoint of a URL whose parts all have an effect: `redis://…`, or
    /// `redis+sentinel://user:password@host:port,host:port/primary/database`. `None` for another
    /// one. The library accepts more schemes and options, some of which fail only when the
    /// connection is used.
    pub(super) fn parse(text: &str) -> Option<Endpoint> {
        let place = match text.split_once("+sentinel://") {
            Some((scheme, rest)) => Place::Sentinels(Sentinels::parse(scheme, rest)?),
            None => {
                let server = parse_server(text)?;
                let address = server.addr().to_string();
                Place::Fixed { server, address }
            }
        };
        Some(Endpoint(Arc::new(place)))
    }

    /// The address for logs, without user and password.
    pub(super) fn address(&self) -> &str {
        match &*self.0 {
            Place::Fixed { address, .. } | Place::Sentinels(Sentinels { address, .. }) => address,
        }
    }

    /// `true` if Sentinels name the server.
    pub(super) fn has_sentinels(&self) -> bool {
        matches!(*self.0, Place::Sentinels(_))
    }

    /// Has another Sentinel asked next, because the last one may be cut off from the others: what
    /// it names is no primary.
    pub(super) fn doubt(&self) {
        if let Place::Sentinels(Sentinels { sentinels, last, .. }) = &*self.0 {
            last.store((last.load(Ordering::Relaxed) + 1) % sentinels.len(), Ordering::Relaxed);
        }
    }

    /// A client of the server, which may be another one each time.
    ///
    /// # Errors
    /// No Sentinel can be reached, or none knows the primary.
    pub(super) async fn client(&self) -> Result<Client, CommandError> {
        let server = match &*self.0 {
            Place::Fixed { server, .. } => server.clone(),
            Place::Sentinels(sentinels) => sentinels.find_primary().await?,
        };
        Ok(client_of(server)?)
    }
}

impl Sentinels {
    fn parse(scheme: &str, rest: &str) -> Option<Sentinels> {
        let (user, rest) = match rest.rsplit_once('@') {
            Some((user, rest)) => (format!("{user}@"), rest),
            None => (String::new(), rest),
        };
        let (hosts, path) = rest.split_once('/')?;
        let (primary, database) = path.split_once('/').unwrap_or((path, "0"));
        let is_name = !primary.is_empty()
            && primary.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let hosts: Vec<&str> = hosts.split(',').collect();
        if !is_name || hosts.len() > MAX_SENTINELS {
            return None;
        }
        let sentinel = |host: &&str| {
            let url = redis::parse_redis_url(&format!("{scheme}://{host}"))?;
            let port = url.port().unwrap_or(SENTINEL_PORT);
            let is_bare = url.username().is_empty() && url.path().is_empty();
            let server = parse_server(url.as_str()).filter(|_| is_bare)?;
            Some(with_host_and_port(server.addr(), url.host_str()?, port))
        };
        let sentinels: Vec<ConnectionAddr> = hosts.iter().map(sentinel).collect::<Option<_>>()?;
        let server = parse_server(&format!("{scheme}://{user}{}/{database}", hosts.first()?))?;
        Some(Sentinels {
            sentinels,
            last: AtomicUsize::new(0),
            primary: primary.to_owned(),
            settings: server.redis_settings().clone(),
            address: format!("{primary} of the Sentinels {}", hosts.join(", ")),
        })
    }

    /// Asks the Sentinels for the primary, the last helpful one first.
    ///
    /// # Errors
    /// None of them can be reached or knows it: the error of the last one.
    async fn find_primary(&self) -> Result<ConnectionInfo, CommandError> {
        let count = self.sentinels.len();
        let first = self.last.load(Ordering::Relaxed);
        let mut failure = CommandError::NoPrimary;
        for index in (0..count).map(|index| (first + index) % count) {
            match self.ask(&self.sentinels[index]).await {
                Ok(Some((host, port))) => {
                    self.last.store(index, Ordering::Relaxed);
                    let address = with_host_and_port(&self.sentinels[index], &host, port);
                    let server = address.into_connection_info()?;
                    return Ok(server.set_redis_settings(self.settings.clone()));
                }
                Ok(None) => {}
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// The primary's host and port, as one Sentinel knows them. One that wants a password gets that
    /// of the URL.
    async fn ask(&self, sentinel: &ConnectionAddr) -> Result<Option<(String, u16)>, CommandError> {
        let without_user = RedisConnectionInfo::default();
        match self.ask_as(sentinel, without_user).await {
            Err(error) if error.is_refusal() && self.settings.password().is_some() => {
                self.ask_as(sentinel, self.settings.clone().set_db(0)).await
            }
            answer => answer,
        }
    }

    async fn ask_as(
        &self,
        sentinel: &ConnectionAddr,
        settings: RedisConnectionInfo,
    ) -> Result<Option<(String, u16)>, CommandError> {
        let server = sentinel.clone().into_connection_info()?.set_redis_settings(settings);
        let client = client_of(server)?;
        let answer = async {
            let mut connection = client.get_multiplexed_async_connection().await?;
            let mut command = cmd("SENTINEL");
            command.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.primary);
            command.query_async(&mut connection).await
        };
        within(SENTINEL_LIMIT, answer).await
    }
}

/// A client that sends small commands at once.
fn client_of(server: ConnectionInfo) -> redis::RedisResult<Client> {
    Client::open(server.set_tcp_settings(TcpSettings::default().set_nodelay(true)))
}

/// The server of a URL without Sentinels.
fn parse_server(text: &str) -> Option<ConnectionInfo> {
    let url = redis::parse_redis_url(text)?;
    let is_usable = matches!(url.scheme(), "redis" | "rediss" | "valkey" | "valkeys")
        && url.has_host()
        && url.query().is_none()
        && url.fragment().is_none();
    if is_usable { text.into_connection_info().ok() } else { None }
}

/// An address like another one, of another server.
fn with_host_and_port(like: &ConnectionAddr, host: &str, port: u16) -> ConnectionAddr {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    match like {
        ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
            let (insecure, tls_params) = (*insecure, tls_params.clone());
            ConnectionAddr::TcpTls { host, port, insecure, tls_params }
        }
        _ => ConnectionAddr::Tcp(host, port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentinels(text: &str) -> Option<Sentinels> {
        let (scheme, rest) = text.split_once("+sentinel://")?;
        Sentinels::parse(scheme, rest)
    }

    #[test]
    fn a_url_names_the_sentinels_and_the_primary() {
        let found =
            sentinels("redis+sentinel://ann:secret@10.0.0.1,host:5000,[::1]:7/main/3").unwrap();
        let tcp = |host: &str, port| ConnectionAddr::Tcp(host.to_owned(), port);
        let expected = [tcp("10.0.0.1", SENTINEL_PORT), tcp("host", 5_000), tcp("::1", 7)];
        assert_eq!(found.sentinels, expected);
        assert_eq!(found.primary, "main");
        let settings = &found.settings;
        let user = (settings.username(), settings.password(), settings.db());
        assert_eq!(user, (Some("ann"), Some("secret"), 3));
        assert!(!found.address.contains("secret"), "{}", found.address);
        let found = sentinels("rediss+sentinel://host/main").unwrap();
        assert!(matches!(found.sentinels[..], [ConnectionAddr::TcpTls { insecure: false, .. }]));
        assert_eq!(found.settings.username(), None);
    }

    #[test]
    fn other_urls_are_refused() {
        for url in [
            "redis+sentinel://host",
            "redis+sentinel://host/",
            "redis+sentinel:///main",
            "redis+sentinel://host,/main",
            "redis+sentinel://host:x/main",
            "redis+sentinel://host/ma in",
            "redis+sentinel://host/main/x",
            "redis+sentinel://host/main?protocol=resp3",
            "redis+sentinel://host/main#insecure",
            "http+sentinel://host/main",
            "+sentinel://host/main",
        ] {
            assert!(Endpoint::parse(url).is_none(), "{url}");
        }
        let many = vec!["host"; MAX_SENTINELS + 1].join(",");
        assert!(Endpoint::parse(&format!("redis+sentinel://{many}/main")).is_none());
    }
}
