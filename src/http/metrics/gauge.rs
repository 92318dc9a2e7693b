//! How many of something there are now.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count of those who are inside. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicUsize>);

/// One who is inside until this is dropped.
#[derive(Debug)]
pub struct Inside(Gauge);

impl Gauge {
    /// One more.
    pub fn enter(&self) -> Inside {
        self.0.fetch_add(1, Ordering::Relaxed);
        Inside(self.clone())
    }

    /// How many there are.
    pub fn now(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_leaves_counts_no_more() {
        let gauge = Gauge::default();
        let (first, second) = (gauge.enter(), gauge.clone().enter());
        assert_eq!(gauge.now(), 2);
        drop(first);
        assert_eq!(gauge.now(), 1);
        drop(second);
        assert_eq!(gauge.now(), 0);
    }
}
