//! King buckets: the set of inputs that the own king's square selects.

use anyhow::{Result, bail, ensure};

/// A table from the own king's square (mirrored to the files a–d) to its bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KingBuckets {
    table: [u8; 32],
    count: usize,
}

/// The named tables, rank 1 first, the files a–d from left to right.
#[rustfmt::skip]
const NAMED: &[(&str, [u8; 32])] = &[
    ("none", [0; 32]),
    // Castled short or long (mirrored: g1 is b1), in the centre, advanced.
    ("4", [
        0, 0, 1, 1,
        2, 2, 2, 2,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
    ]),
    ("8", [
        0, 1, 2, 3,
        4, 4, 5, 5,
        6, 6, 6, 6,
        6, 6, 6, 6,
        7, 7, 7, 7,
        7, 7, 7, 7,
        7, 7, 7, 7,
        7, 7, 7, 7,
    ]),
];

impl KingBuckets {
    /// The table of that name (`none`, `4`, `8`), or a custom table of 32 numbers separated by
    /// commas, in the order a1 b1 c1 d1 a2 … d8.
    ///
    /// # Errors
    ///
    /// When the name is unknown, there are not 32 numbers, or the buckets are not numbered 0, 1, 2
    /// … without a gap.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some((_, table)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Self::from_table(*table);
        }
        let numbers: Vec<u8> =
            text.split(',').map(|number| number.trim().parse()).collect::<Result<_, _>>().or_else(
                |_| {
                    let names: Vec<_> = NAMED.iter().map(|(name, _)| *name).collect();
                    bail!(
                        "`{text}` is neither one of {} nor 32 numbers separated by commas",
                        names.join(", ")
                    )
                },
            )?;
        let Ok(table) = <[u8; 32]>::try_from(numbers.as_slice()) else {
            bail!("the king bucket table has {} numbers; it must have 32", numbers.len());
        };
        Self::from_table(table)
    }

    /// The buckets of a table.
    ///
    /// # Errors
    ///
    /// When the buckets are not numbered 0, 1, 2 … without a gap.
    pub fn from_table(table: [u8; 32]) -> Result<Self> {
        let last = table.iter().copied().max().unwrap_or(0);
        for bucket in 0..=last {
            ensure!(
                table.contains(&bucket),
                "king bucket {bucket} is missing; buckets are numbered 0 to {last} without a gap"
            );
        }
        Ok(Self { table, count: usize::from(last) + 1 })
    }

    /// The number of buckets, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The table, indexed by 4·rank + file.
    #[must_use]
    pub fn table(&self) -> &[u8; 32] {
        &self.table
    }

    /// The bucket of a king on this square of the files a–d.
    #[must_use]
    pub fn of(&self, king: u8) -> u8 {
        let (rank, file) = (king >> 3 & 7, king & 3);
        self.table[usize::from(4 * rank + file)]
    }
}
