//! A writer of metric families.

use std::fmt;

use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, MetricEncoder, NoLabelSet,
};
use prometheus_client::metrics::MetricType;

use crate::analysis::{DURATION_BUCKET_BOUNDS, DurationSnapshot};

/// Writes metric families one after the other. A family without series is left out.
pub(super) struct FamilyWriter<'a>(DescriptorEncoder<'a>);

impl<'a> FamilyWriter<'a> {
    /// A writer into this encoder.
    pub(super) fn new(encoder: DescriptorEncoder<'a>) -> FamilyWriter<'a> {
        FamilyWriter(encoder)
    }

    /// A counter without labels.
    pub(super) fn counter(
        &mut self,
        name: &str,
        help: &str,
        value: impl EncodeCounterValue,
    ) -> fmt::Result {
        self.family(name, help, MetricType::Counter)?
            .encode_counter::<NoLabelSet, _, f64>(&value, None)
    }

    /// A gauge without labels.
    pub(super) fn gauge(
        &mut self,
        name: &str,
        help: &str,
        value: impl EncodeGaugeValue,
    ) -> fmt::Result {
        self.family(name, help, MetricType::Gauge)?.encode_gauge(&value)
    }

    /// Counters, one for each set of labels.
    pub(super) fn counters<'l, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], u64)>,
    ) -> fmt::Result {
        self.series(name, help, MetricType::Counter, series, |mut encoder, value| {
            encoder.encode_counter::<NoLabelSet, _, f64>(&value, None)
        })
    }

    /// Gauges, one for each set of labels.
    pub(super) fn gauges<'l, const N: usize, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], V)>,
    ) -> fmt::Result {
        self.series(name, help, MetricType::Gauge, series, |mut encoder, value| {
            encoder.encode_gauge(&value)
        })
    }

    /// Histograms of durations, one for each set of labels.
    pub(super) fn histograms<'l, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], DurationSnapshot)>,
    ) -> fmt::Result {
        self.series(name, help, MetricType::Histogram, series, |mut encoder, counts| {
            let bounds = DURATION_BUCKET_BOUNDS
                .iter()
                .map(|bound| bound.as_secs_f64())
                .chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = bounds.zip(counts.buckets).collect();
            encoder.encode_histogram::<NoLabelSet>(
                counts.sum.as_secs_f64(),
                counts.count(),
                &buckets,
                None,
            )
        })
    }

    fn series<'l, const N: usize, V>(
        &mut self,
        name: &str,
        help: &str,
        kind: MetricType,
        series: impl IntoIterator<Item = ([(&'l str, &'l str); N], V)>,
        mut write: impl FnMut(MetricEncoder<'_>, V) -> fmt::Result,
    ) -> fmt::Result {
        let mut series = series.into_iter().peekable();
        if series.peek().is_none() {
            return Ok(());
        }
        let mut family = self.family(name, help, kind)?;
        series.try_for_each(|(labels, value)| write(family.encode_family(&labels)?, value))
    }

    /// Starts a family. The encoder appends `_total` to the names of counters, so it is removed
    /// here.
    fn family<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
        kind: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        let name = if let MetricType::Counter = kind {
            name.strip_suffix("_total").unwrap_or(name)
        } else {
            name
        };
        self.0.encode_descriptor(name, help, None, kind)
    }
}
