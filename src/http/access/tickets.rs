//! Tickets: for those who can show no key, since a browser sends none with a WebSocket or an
//! EventSource.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Visitor;
use crate::analysis::Client;

/// So long a ticket is good.
pub(crate) const TICKET_LIFE: Duration = Duration::from_secs(30);

/// So many tickets of one client are good at once, and so many of all.
const MOST_OF_A_CLIENT: usize = 64;
const MOST: usize = 16_384;

/// 128 random bits.
type Number = [u8; 16];

/// The tickets that are good.
#[derive(Debug, Default)]
pub(crate) struct Tickets(Mutex<Out>);

#[derive(Debug, Default)]
struct Out {
    holders: HashMap<Number, Visitor>,
    /// In the order of their age, those that were used among them.
    ages: VecDeque<(Instant, Number)>,
    of_clients: HashMap<Client, usize>,
}

/// Why there is no ticket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoTicket {
    /// As many are good as may be; the oldest of them for so long.
    #[error("too many tickets are out")]
    TooMany(Duration),
    /// The system has no random numbers.
    #[error("no random number: {0}")]
    Random(#[from] getrandom::Error),
}

impl Tickets {
    /// Gives a ticket to a visitor: whoever shows it is that visitor, once.
    ///
    /// # Errors
    /// When too many are out, and when the system has no random numbers.
    pub(crate) fn give(&self, visitor: Visitor) -> Result<String, NoTicket> {
        let mut number = Number::default();
        getrandom::fill(&mut number)?;
        let now = Instant::now();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.forget_old(now);
        let own = out.of_clients.get(&visitor.client).copied().unwrap_or_default();
        if own >= MOST_OF_A_CLIENT || out.ages.len() >= MOST {
            let oldest = out
                .ages
                .front()
                .map_or(TICKET_LIFE, |&(given, _)| TICKET_LIFE.saturating_sub(now - given));
            return Err(NoTicket::TooMany(oldest));
        }
        *out.of_clients.entry(visitor.client.clone()).or_default() += 1;
        out.holders.insert(number, visitor);
        out.ages.push_back((now, number));
        let mut text = String::with_capacity(2 * number.len());
        for byte in number {
            // A String takes all that is written.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(text)
    }

    /// Whose ticket it is, if it is good; from now on it is not.
    pub(crate) fn take(&self, text: &str) -> Option<Visitor> {
        let number = number(text)?;
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.forget_old(Instant::now());
        out.take(&number)
    }
}

impl Out {
    fn take(&mut self, number: &Number) -> Option<Visitor> {
        let visitor = self.holders.remove(number)?;
        if let Some(own) = self.of_clients.get_mut(&visitor.client) {
            *own -= 1;
            if *own == 0 {
                self.of_clients.remove(&visitor.client);
            }
        }
        Some(visitor)
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some(&(given, number)) = self.ages.front()
            && now.saturating_duration_since(given) >= TICKET_LIFE
        {
            self.ages.pop_front();
            self.take(&number);
        }
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.as_bytes();
    if digits.len() != 2 * size_of::<Number>()
        || !digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitor(client: &str) -> Visitor {
        Visitor { client: Client::new(client), key: None, allowance: None }
    }

    #[test]
    fn a_ticket_is_good_once() {
        let tickets = Tickets::default();
        let (ann, bob) =
            (tickets.give(visitor("ann")).unwrap(), tickets.give(visitor("bob")).unwrap());
        assert_ne!(ann, bob);
        assert_eq!(tickets.take(&ann).unwrap().client, Client::new("ann"));
        assert!(tickets.take(&ann).is_none());
        assert_eq!(tickets.take(&bob).unwrap().client, Client::new("bob"));
        for none in
            ["", "ticket", &"0".repeat(32), &"é".repeat(16), &format!("+{}", "0".repeat(31))]
        {
            assert!(tickets.take(none).is_none(), "{none}");
        }
    }

    #[test]
    fn one_client_cannot_have_all_tickets() {
        let tickets = Tickets::default();
        let first = tickets.give(visitor("ann")).unwrap();
        for _ in 1..MOST_OF_A_CLIENT {
            tickets.give(visitor("ann")).unwrap();
        }
        assert!(matches!(tickets.give(visitor("ann")), Err(NoTicket::TooMany(_))));
        assert!(tickets.give(visitor("bob")).is_ok());
        tickets.take(&first).unwrap();
        assert!(tickets.give(visitor("ann")).is_ok(), "a used one does not count");
    }

    #[test]
    fn old_tickets_are_forgotten() {
        let tickets = Tickets::default();
        let ann = tickets.give(visitor("ann")).unwrap();
        let mut out = tickets.0.lock().unwrap();
        out.forget_old(Instant::now() + TICKET_LIFE);
        assert!(out.holders.is_empty() && out.ages.is_empty() && out.of_clients.is_empty());
        drop(out);
        assert!(tickets.take(&ann).is_none());
    }
}
