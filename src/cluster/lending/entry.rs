//! An entry of a stream of offered searches.

use redis::Pipeline;

/// The consumer group of the streams. Each node is a consumer.
pub(super) const GROUP: &str = "nodes";

/// The place of an offered search on the server.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) stream: Vec<u8>,
    pub(super) id: String,
}

impl Entry {
    /// Adds the commands that remove the entry, whoever has taken it.
    pub(super) fn remove(&self, commands: &mut Pipeline) {
        commands.cmd("XACK").arg(&self.stream).arg(GROUP).arg(&self.id).ignore();
        commands.cmd("XDEL").arg(&self.stream).arg(&self.id).ignore();
    }
}
