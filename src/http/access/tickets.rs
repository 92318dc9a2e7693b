//! Single-use tickets in place of API keys. A browser cannot send a key with a WebSocket or an
//! EventSource.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::caller::Identity;
use crate::analysis::{Client, TicketRules, TicketToken};

/// The lifetime of a ticket.
pub(crate) const TICKET_LIFETIME: Duration = Duration::from_secs(30);

/// The maximum number of valid tickets of one client, and of all clients.
const MAX_TICKETS_PER_CLIENT: usize = 64;
const MAX_TICKETS: usize = 16_384;

/// The limits of tickets, those of all nodes of a cluster together.
pub(super) const RULES: TicketRules = TicketRules {
    lifetime: TICKET_LIFETIME,
    max_per_client: MAX_TICKETS_PER_CLIENT,
    max: MAX_TICKETS,
};

/// The tickets of this server.
#[derive(Debug, Default)]
pub(crate) struct Tickets(Mutex<IssuedTickets>);

#[derive(Debug, Default)]
struct IssuedTickets {
    /// The client of each ticket, and the time of its issue.
    holders: HashMap<TicketToken, (Instant, Identity)>,
    /// The same tickets, the oldest first.
    by_age: BTreeSet<(Instant, TicketToken)>,
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
    /// Stores a ticket of a client. The ticket identifies this client once.
    ///
    /// # Errors
    /// Fails if too many tickets are valid.
    pub(crate) fn put(&self, token: TicketToken, identity: Identity) -> Result<(), TicketError> {
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
        Ok(())
    }

    /// The client of a valid ticket. The ticket becomes invalid.
    pub(crate) fn redeem(&self, token: &TicketToken) -> Option<Identity> {
        let mut issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        issued.remove_expired(Instant::now());
        issued.remove(token)
    }
}

/// The token of a new ticket.
///
/// # Errors
/// Fails if the system provides no random numbers.
pub(super) fn new_token() -> Result<TicketToken, TicketError> {
    let mut token = TicketToken::default();
    getrandom::fill(&mut token)?;
    Ok(token)
}

/// The text of a token: 32 hex digits.
pub(super) fn text_of(token: &TicketToken) -> String {
    let mut text = String::with_capacity(2 * token.len());
    for byte in token {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl IssuedTickets {
    fn remove(&mut self, token: &TicketToken) -> Option<Identity> {
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

/// The token of a text.
pub(super) fn parse_token(text: &str) -> Option<TicketToken> {
    let digits = text.as_bytes();
    if digits.len() != 2 * size_of::<TicketToken>()
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

    /// Issues a ticket.
    fn issue(tickets: &Tickets, client: &str) -> Result<TicketToken, TicketError> {
        let token = new_token().unwrap();
        tickets.put(token, identity(client)).map(|()| token)
    }

    #[test]
    fn a_token_is_32_hex_digits() {
        let token = new_token().unwrap();
        assert_eq!(parse_token(&text_of(&token)), Some(token));
        for invalid in
            ["", "ticket", &"é".repeat(16), &format!("+{}", "0".repeat(31)), &"A".repeat(32)]
        {
            assert_eq!(parse_token(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn a_ticket_can_be_redeemed_once() {
        let tickets = Tickets::default();
        let (ann, bob) = (issue(&tickets, "ann").unwrap(), issue(&tickets, "bob").unwrap());
        assert_ne!(ann, bob);
        assert_eq!(tickets.redeem(&ann).unwrap().client, Client::new("ann"));
        assert!(tickets.redeem(&ann).is_none());
        assert_eq!(tickets.redeem(&bob).unwrap().client, Client::new("bob"));
        assert!(tickets.redeem(&TicketToken::default()).is_none());
    }

    #[test]
    fn one_client_cannot_hold_all_tickets() {
        let tickets = Tickets::default();
        let first = issue(&tickets, "ann").unwrap();
        for _ in 1..MAX_TICKETS_PER_CLIENT {
            issue(&tickets, "ann").unwrap();
        }
        assert!(matches!(issue(&tickets, "ann"), Err(TicketError::TooMany(_))));
        assert!(issue(&tickets, "bob").is_ok());
        tickets.redeem(&first).unwrap();
        assert!(issue(&tickets, "ann").is_ok(), "a used ticket does not count");
    }

    #[test]
    fn used_tickets_of_one_client_leave_places_for_others() {
        let tickets = Tickets::default();
        for _ in 0..=MAX_TICKETS {
            let ticket = issue(&tickets, "ann").unwrap();
            tickets.redeem(&ticket).unwrap();
        }
        assert!(issue(&tickets, "bob").is_ok());
        assert_eq!(tickets.0.lock().unwrap().by_age.len(), 1);
    }

    #[test]
    fn expired_tickets_are_removed() {
        let tickets = Tickets::default();
        let ann = issue(&tickets, "ann").unwrap();
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
