//! The inverted index of active inputs: which perspectives of a part of a batch activate an input.

use std::ops::Range;

use rayon::prelude::*;

use crate::example::Example;

/// Consecutive examples of a batch, and for each input the perspectives that activate it.
///
/// With the index, the gradient of a weight is a sum in registers and is written once for each
/// chunk. Without it, each active input of each example would write it.
#[derive(Clone, Debug)]
pub struct FeatureIndex {
    /// The places of the examples in the batch.
    pub examples: Range<usize>,
    /// The inputs that are active somewhere, and where their perspectives end.
    inputs: Vec<(u16, u32)>,
    /// The perspectives of each input in turn. Perspective 2·i + p is the one of number p of
    /// example i of the chunk.
    perspectives: Vec<u16>,
}

impl FeatureIndex {
    /// Examples in a chunk. Shorter chunks make more and shorter sums: 512 take 10% more time for a
    /// step, 128 a third more.
    pub const EXAMPLES: usize = 8192;

    /// The chunks of a batch. There are so many `inputs`.
    #[must_use]
    pub fn of_batch(batch: &[Example], inputs: usize) -> Vec<FeatureIndex> {
        let chunks = batch.par_chunks(Self::EXAMPLES).enumerate();
        let new = |(number, examples)| Self::new(number * Self::EXAMPLES, examples, inputs);
        chunks.map(new).collect()
    }

    fn new(start: usize, examples: &[Example], inputs: usize) -> FeatureIndex {
        // A counting sort by input. First `ends` has the number of perspectives of each input, then
        // where they start, and at last where they end.
        let mut ends = vec![0_u32; inputs];
        let actives = || examples.iter().flat_map(|example| [example.own(), example.their()]);
        for input in actives().flatten() {
            ends[usize::from(*input)] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut perspectives = vec![0; total as usize];
        for (perspective, active) in (0..).zip(actives()) {
            for input in active {
                let end = &mut ends[usize::from(*input)];
                perspectives[*end as usize] = perspective;
                *end += 1;
            }
        }
        let mut start_of_input = 0;
        let mut inputs = Vec::new();
        for (input, end) in (0..).zip(ends) {
            if end > start_of_input {
                inputs.push((input, end));
                start_of_input = end;
            }
        }
        FeatureIndex { examples: start..start + examples.len(), inputs, perspectives }
    }

    /// The active inputs with their perspectives.
    pub fn inputs(&self) -> impl Iterator<Item = (usize, &[u16])> + '_ {
        let mut start = 0;
        self.inputs.iter().map(move |(input, end)| {
            let perspectives = &self.perspectives[start..*end as usize];
            start = *end as usize;
            (usize::from(*input), perspectives)
        })
    }
}
