//! Tests of the log writer.

use std::sync::mpsc;

use super::*;

/// A writer that blocks until the gate is opened.
struct GatedWriter {
    open: mpsc::Receiver<()>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for GatedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _closed = self.open.recv();
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn dropping_the_guard_writes_every_line() {
    let (open, gate) = mpsc::channel();
    let written = Arc::new(Mutex::new(Vec::new()));
    let (log_writer, guard) =
        LogWriter::new(GatedWriter { open: gate, written: Arc::clone(&written) }).unwrap();
    drop(open);
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let log_writer = log_writer.clone();
            thread::spawn(move || (0..1_000).for_each(|_| log_writer.write_line(b"line\n")))
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    drop(guard);
    assert_eq!(written.lock().unwrap().len(), 4 * 1_000 * 5);
}

#[test]
fn a_stalled_stdout_does_not_keep_the_process_alive() {
    let (open, gate) = mpsc::channel();
    let (log_writer, guard) =
        LogWriter::new(GatedWriter { open: gate, written: Arc::default() }).unwrap();
    log_writer.write_line(b"line\n");
    let dropped_at = Instant::now();
    drop(guard);
    assert!(
        (SHUTDOWN_TIMEOUT..4 * SHUTDOWN_TIMEOUT).contains(&dropped_at.elapsed()),
        "{:?}",
        dropped_at.elapsed()
    );
    drop(open);
}

#[test]
fn a_stalled_stdout_blocks_no_thread_and_memory_stays_bounded() {
    let (open, gate) = mpsc::channel();
    let written = Arc::new(Mutex::new(Vec::new()));
    let (log_writer, guard) =
        LogWriter::new(GatedWriter { open: gate, written: Arc::clone(&written) }).unwrap();
    let line = vec![b'x'; 1 << 20];
    (0..20).for_each(|_| log_writer.write_line(&line));
    assert!(log_writer.shared.lock().bytes.len() <= CAPACITY);
    drop(open);
    drop(guard);
    assert!(written.lock().unwrap().len() >= CAPACITY, "lines that were not dropped are written");
}
