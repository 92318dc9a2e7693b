//! Access control of a node in a cluster, whose rate limits and tickets hold for all nodes
//! together. When the cluster cannot be reached, this node counts alone.

use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;

use super::access_control::{AccessControl, Claim, Credential, conclude};
use super::caller::Identity;
use super::rate_limit::{Allowance, ClientRateLimiter};
use super::tickets::{RULES, TicketError, new_token, text_of};
use super::{KeyError, RateLimit};
use crate::analysis::{
    CountMode, PutTicket, RequestCount, SharedCounters, TicketHolder, TicketToken,
};

/// The shortest time between two requests of a rate that the nodes count together.
const MIN_INTERVAL: Duration = Duration::from_micros(1);

impl AccessControl {
    /// Whether the admission of a request needs what the nodes have in common.
    pub(crate) fn needs_cluster(&self, request: &Request) -> bool {
        let has_ticket = || request.uri().query().is_some_and(|query| query.contains("ticket="));
        self.has_rate_limits() || has_ticket()
    }

    /// Admits a request as [`AccessControl::admit`] does.
    ///
    /// # Errors
    /// Returns the response to a refused request.
    pub(crate) async fn admit_in_cluster(
        &self,
        request: &mut Request,
        counters: &dyn SharedCounters,
    ) -> Result<Option<Allowance>, Box<Response>> {
        let Claim { at_address, credential } = self.claim(request);
        let identified = match credential {
            Credential::Open => {
                let identified = self.identify(&at_address, request.headers());
                let identity = identified.unwrap_or_else(|_| Identity::without_key(at_address));
                let peeked = self.count_in_cluster(&identity, counters, CountMode::Peek).await;
                return Ok(peeked.unwrap_or_else(Some));
            }
            Credential::Ticket(Some(token)) => self.redeem_in_cluster(token, counters).await,
            Credential::Ticket(None) => Err(KeyError::Unknown),
            Credential::Key(identified) => identified,
        };
        let (identity, refusal) = self.judge(identified, at_address);
        let counted = self.count_in_cluster(&identity, counters, CountMode::Count).await;
        conclude(request, identity, refusal, counted)
    }

    /// Counts a request as [`AccessControl::count_request`] does, or looks at the allowance.
    ///
    /// # Errors
    /// Returns the allowance as an error if the rate limit is exceeded.
    pub(crate) async fn count_in_cluster(
        &self,
        identity: &Identity,
        counters: &dyn SharedCounters,
        mode: CountMode,
    ) -> Result<Option<Allowance>, Allowance> {
        let Some(limiter) = self.limiter(identity) else { return Ok(None) };
        let RateLimit { requests, window } = limiter.rate();
        let counted = if window / requests.get() >= MIN_INTERVAL {
            counters.count_request(&identity.client, requests, window, mode).await
        } else {
            None
        };
        match counted {
            Some(RequestCount::Allowed { remaining }) => Ok(Some(limiter.allowance(remaining))),
            Some(RequestCount::Exceeded { retry_after }) => Err(limiter.exhausted(retry_after)),
            None => count_alone(limiter, identity, mode).map(Some),
        }
    }

    /// Issues a ticket to this client, which any node redeems.
    ///
    /// # Errors
    /// Fails if too many tickets are valid, or if the system provides no random numbers.
    pub(crate) async fn issue_ticket(
        &self,
        identity: &Identity,
        counters: Option<&dyn SharedCounters>,
    ) -> Result<String, TicketError> {
        let mut token = new_token()?;
        let put = match counters {
            Some(counters) => {
                let key = identity.key.as_deref().map(str::to_owned);
                let holder = TicketHolder { client: identity.client.clone(), key };
                counters.put_ticket(token, holder, RULES).await
            }
            None => None,
        };
        match put {
            Some(PutTicket::Stored) => {}
            Some(PutTicket::TooMany { retry_after }) => {
                return Err(TicketError::TooMany(retry_after));
            }
            None => {
                // The cluster may have stored the other token without an answer in time.
                token = new_token()?;
                self.tickets().put(token, identity.clone())?;
            }
        }
        Ok(text_of(&token))
    }

    /// The client of a valid ticket, which becomes invalid. This node knows the tickets that it has
    /// issued while it was alone.
    async fn redeem_in_cluster(
        &self,
        token: TicketToken,
        counters: &dyn SharedCounters,
    ) -> Result<Identity, KeyError> {
        if let Some(identity) = self.tickets().redeem(&token) {
            return Ok(identity);
        }
        let taken = counters.take_ticket(token).await.flatten();
        let TicketHolder { client, key } = taken.ok_or(KeyError::Unknown)?;
        // The settings of the node that has issued it may have other keys.
        if key.as_ref().is_some_and(|name| !self.has_key(name)) {
            return Err(KeyError::Unknown);
        }
        Ok(Identity { client, key: key.map(Into::into), allowance: None })
    }
}

fn count_alone(
    limiter: &ClientRateLimiter,
    identity: &Identity,
    mode: CountMode,
) -> Result<Allowance, Allowance> {
    match mode {
        CountMode::Count => limiter.check(&identity.client),
        CountMode::Peek => Ok(limiter.peek(&identity.client)),
    }
}
