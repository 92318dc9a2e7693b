//! From the lines of an analysis to the body of a response.

use std::time::Duration;

use axum::response::Response;
use tokio::time::timeout;
use tracing::Instrument;

use super::render_options::RenderOptions;
use super::stream_line::StreamLine;
use super::update_throttle::UpdateThrottle;
use crate::analysis::AnalysisStream;
use crate::http::StreamOptions;
use crate::http::access::Caller;
use crate::http::problem::Problem;
use crate::http::stream::{
    END_EVENT_ID, Line, LineSender, Permit, ResponseFormat, line_channel, streaming_response,
};

/// So long the status of the response waits for the first line.
const FIRST_LINE_TIMEOUT: Duration = Duration::from_millis(100);

/// Begins a stream. It ends with its analysis, or with its reader.
///
/// # Errors
/// What ends the analysis before the first line.
pub(super) async fn stream_response(
    rules: StreamOptions,
    permit: Permit,
    format: ResponseFormat,
    caller: Caller,
    render_options: RenderOptions,
    mut analysis: AnalysisStream,
) -> Result<Response, Problem> {
    let mut throttle = UpdateThrottle::new(render_options, rules.heartbeat);
    let first = timeout(FIRST_LINE_TIMEOUT, throttle.next(&mut analysis)).await;
    let first = first.ok().transpose()?.flatten();
    let (buffer, response_body) = line_channel(rules);
    let writer = StreamWriter { format, caller, buffer, _permit: permit };
    tokio::spawn(writer.run(first, throttle, analysis).in_current_span());
    Ok(streaming_response(format, response_body))
}

struct StreamWriter {
    format: ResponseFormat,
    caller: Caller,
    buffer: LineSender,
    _permit: Permit,
}

impl StreamWriter {
    async fn run(
        self,
        first: Option<StreamLine>,
        mut throttle: UpdateThrottle,
        mut analysis: AnalysisStream,
    ) {
        Line::preamble(self.format).into_iter().for_each(|line| self.buffer.send(line));
        first.iter().for_each(|line| self.put(line));
        loop {
            tokio::select! {
                biased;
                // Dropping the analysis is leaving it.
                () = self.buffer.closed() => return,
                line = throttle.next(&mut analysis) => match line {
                    Ok(Some(line)) => self.put(&line),
                    Ok(None) => return,
                    Err(error) => {
                        let problem = StreamLine::from_problem(&error.into(), self.caller.path(), self.caller.request_id());
                        return problem.iter().for_each(|line| self.put(line));
                    }
                },
            }
        }
    }

    fn put(&self, line: &StreamLine) {
        let (format, name) = (self.format, line.name());
        let encoded = match line {
            StreamLine::Info(info) => {
                Line::droppable(format, name, Some(&info.seq().to_string()), line)
            }
            StreamLine::Queued(_) | StreamLine::Heartbeat(_) => {
                Line::droppable(format, name, None, line)
            }
            StreamLine::End(_) | StreamLine::Problem(_) => {
                Line::required(format, name, Some(END_EVENT_ID), line)
            }
        };
        self.buffer.send_serialized(encoded);
    }
}
