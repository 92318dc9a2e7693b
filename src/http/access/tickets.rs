//! Single-use tickets in place of API keys. A browser cannot send a key with a WebSocket or an
//! EventSource.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::caller::Identity;
use crate::analysis::Client;

/// The lifetime of a ticket.
pub(crate) const TICKET_LIFETIME: Duration = Duration::from_secs(30);

/// The maximum number of valid tickets of one client, and of all clients.
const MAX_TICKETS_PER_CLIENT: usize = 64;
const MAX_TICKETS: usize = 16_384;

/// 128 random bits.
type Token = [u8; 16];

/// The valid tickets.
#[derive(Debug, Default)]
pub(crate) struct Tickets(Mutex<IssuedTickets>);

#[derive(Debug, Default)]
struct IssuedTickets {
    /// The client of each ticket, and the time of its issue.
    holders: HashMap<Token, (Instant, Identity)>,
    /// The same tickets, the oldest first.
    by_age: BTreeSet<(Instant, Token)>,
    counts_by_client: HashMap<Client, usize>,
}

/// The reasons why no ticket is issued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TicketError {
    /// The maximum number of valid tickets is reached. The oldest one expires after this time.
    #[error("too many valid tickets")]
    TooMany(Duration),
    /// The system provides no random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl Tickets {
    /// Issues a ticket to a client. The ticket identifies this client once.
    ///
    /// # Errors
    /// Fails if too many tickets are valid, or if the system provides no random numbers.
    pub(crate) fn issue(&self, identity: Identity) -> Result<String, TicketError> {
        let mut token = Token::default();
        getrandom::fill(&mut token)?;
        let now = Instant::now();
        let mut issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        issued.remove_expired(now);
        let client_count =
            issued.counts_by_client.get(&identity.client).copied().unwrap_or_default();
        if client_count >= MAX_TICKETS_PER_CLIENT || issued.by_age.len() >= MAX_TICKETS {
            let next_expiry = issued.by_age.first().map_or(TICKET_LIFETIME, |&(issued_at, _)| {
                TICKET_LIFETIME.saturating_sub(now - issued_at)
            });
            return Err(TicketError::TooMany(next_expiry));
        }
        *issued.counts_by_client.entry(identity.client.clone()).or_default() += 1;
        issued.holders.insert(token, (now, identity));
        issued.by_age.insert((now, token));
        let mut text = String::with_capacity(2 * token.len());
        for byte in token {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(text)
    }

    /// The client of a valid ticket. The ticket becomes invalid.
    pub(crate) fn redeem(&self, text: &str) -> Option<Identity> {
        let token = parse_token(text)?;
        let mut issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        issued.remove_expired(Instant::now());
        issued.remove(&token)
    }
}

impl IssuedTickets {
    fn remove(&mut self, token: &Token) -> Option<Identity> {
        let (issued_at, identity) = self.holders.remove(token)?;
        self.by_age.remove(&(issued_at, *token));
        if let Some(count) = self.counts_by_client.get_mut(&identity.client) {
            *count -= 1;
            if *count == 0 {
                self.counts_by_client.remove(&identity.client);
            }
        }
        Some(identity)
    }

    fn remove_expired(&mut self, now: Instant) {
        while let Some(&(issued_at, token)) = self.by_age.first()
            && now.saturating_duration_since(issued_at) >= TICKET_LIFETIME
        {
            self.remove(&token);
        }
    }
}

fn parse_token(text: &str) -> Option<Token> {
    let digits = text.as_bytes();
    if digits.len() != 2 * size_of::<Token>()
        || !digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(client: &str) -> Identity {
        Identity { client: Client::new(client), key: None, allowance: None }
    }

    #[test]
    fn a_ticket_can_be_redeemed_once() {
        let tickets = Tickets::default();
        let (ann, bob) =
            (tickets.issue(identity("ann")).unwrap(), tickets.issue(identity("bob")).unwrap());
        assert_ne!(ann, bob);
        assert_eq!(tickets.redeem(&ann).unwrap().client, Client::new("ann"));
        assert!(tickets.redeem(&ann).is_none());
        assert_eq!(tickets.redeem(&bob).unwrap().client, Client::new("bob"));
        for invalid in
            ["", "ticket", &"0".repeat(32), &"é".repeat(16), &format!("+{}", "0".repeat(31))]
        {
            assert!(tickets.redeem(invalid).is_none(), "{invalid}");
        }
    }

    #[test]
    fn one_client_cannot_hold_all_tickets() {
        let tickets = Tickets::default();
        let first = tickets.issue(identity("ann")).unwrap();
        for _ in 1..MAX_TICKETS_PER_CLIENT {
            tickets.issue(identity("ann")).unwrap();
        }
        assert!(matches!(tickets.issue(identity("ann")), Err(TicketError::TooMany(_))));
        assert!(tickets.issue(identity("bob")).is_ok());
        tickets.redeem(&first).unwrap();
        assert!(tickets.issue(identity("ann")).is_ok(), "a used ticket does not count");
    }

    #[test]
    fn used_tickets_of_one_client_leave_places_for_others() {
        let tickets = Tickets::default();
        for _ in 0..=MAX_TICKETS {
            let ticket = tickets.issue(identity("ann")).unwrap();
            tickets.redeem(&ticket).unwrap();
        }
        assert!(tickets.issue(identity("bob")).is_ok());
        assert_eq!(tickets.0.lock().unwrap().by_age.len(), 1);
    }

    #[test]
    fn expired_tickets_are_removed() {
        let tickets = Tickets::default();
        let ann = tickets.issue(identity("ann")).unwrap();
        let mut issued = tickets.0.lock().unwrap();
        issued.remove_expired(Instant::now() + TICKET_LIFETIME);
        assert!(
            issued.holders.is_empty()
                && issued.by_age.is_empty()
                && issued.counts_by_client.is_empty()
        );
        drop(issued);
        assert!(tickets.redeem(&ann).is_none());
    }
}
