//! From the lines of an analysis to the body of a response.

use std::time::Duration;

use axum::response::Response;
use tokio::time::timeout;
use tracing::Instrument;

use super::lines::StreamLine;
use super::narrator::Narrator;
use super::telling::Telling;
use crate::analysis::Following;
use crate::http::StreamRules;
use crate::http::asker::Asker;
use crate::http::problem::Problem;
use crate::http::stream::{END, Form, Line, Outbox, Place, outbox, response};

/// So long the status of the response waits for the first line.
const FIRST_LINE: Duration = Duration::from_millis(100);

/// Begins a stream. It ends with its analysis, or with its reader.
///
/// # Errors
/// What ends the analysis before the first line.
pub(super) async fn stream(
    rules: StreamRules,
    place: Place,
    form: Form,
    asker: Asker,
    telling: Telling,
    mut following: Following,
) -> Result<Response, Problem> {
    let mut narrator = Narrator::new(telling, rules.heartbeat);
    let first = timeout(FIRST_LINE, narrator.next(&mut following)).await;
    let first = first.ok().transpose()?.flatten();
    let (outbox, lines) = outbox(rules);
    let pump = Pump { form, asker, outbox, _place: place };
    tokio::spawn(pump.run(first, narrator, following).in_current_span());
    Ok(response(form, lines))
}

struct Pump {
    form: Form,
    asker: Asker,
    outbox: Outbox,
    _place: Place,
}

impl Pump {
    async fn run(
        self,
        first: Option<StreamLine>,
        mut narrator: Narrator,
        mut following: Following,
    ) {
        Line::preamble(self.form).into_iter().for_each(|line| self.outbox.put(line));
        first.iter().for_each(|line| self.put(line));
        loop {
            tokio::select! {
                biased;
                // Dropping the analysis is leaving it.
                () = self.outbox.deserted() => return,
                line = narrator.next(&mut following) => match line {
                    Ok(Some(line)) => self.put(&line),
                    Ok(None) => return,
                    Err(error) => {
                        let problem = StreamLine::broken(&error.into(), self.asker.path(), self.asker.request_id());
                        return problem.iter().for_each(|line| self.put(line));
                    }
                },
            }
        }
    }

    fn put(&self, line: &StreamLine) {
        let (form, name) = (self.form, line.name());
        let written = match line {
            StreamLine::Info(info) => {
                Line::passing(form, name, Some(&info.seq().to_string()), line)
            }
            StreamLine::Queued(_) | StreamLine::Heartbeat(_) => {
                Line::passing(form, name, None, line)
            }
            StreamLine::End(_) | StreamLine::Problem(_) => {
                Line::lasting(form, name, Some(END), line)
            }
        };
        self.outbox.put_written(written);
    }
}
