//! Tables by piece and target square, of which a short search touches few.

use super::prefetch::prefetch;

/// A number for each of 12 pieces on 64 squares.
pub(super) type Cells = [i16; 768];

/// So many tables, each known to be blank or not: emptying them costs no more than was written.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct Rows {
    rows: Vec<Cells>,
    /// A bit for each table that may have something other than zeros.
    touched: Vec<u64>,
}

impl Rows {
    /// So many tables of zeros. Fresh zero pages come from the allocator: what is not touched costs
    /// nothing.
    pub(super) fn new(len: usize) -> Rows {
        Rows { rows: vec![[0; 768]; len], touched: vec![0; len.div_ceil(64)] }
    }

    /// A number of a table.
    #[inline]
    pub(super) fn get(&self, row: usize, cell: usize) -> i32 {
        i32::from(self.rows[row][cell])
    }

    /// Says that a number of a table will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, row: usize, cell: usize) {
        prefetch(&self.rows[row][cell]);
    }

    /// A number of a table, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, row: usize, cell: usize) -> &mut i16 {
        self.touched[row / 64] |= 1 << (row % 64);
        &mut self.rows[row][cell]
    }

    /// Zeros, as in the beginning.
    pub(super) fn clear(&mut self) {
        for (rows, touched) in self.rows.chunks_mut(64).zip(&mut self.touched) {
            while *touched != 0 {
                rows[touched.trailing_zeros() as usize] = [0; 768];
                *touched &= *touched - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_gone_after_clearing() {
        let mut rows = Rows::new(200);
        for row in [0, 1, 63, 64, 127, 130, 199] {
            *rows.get_mut(row, 3 * row) = 7;
            assert_eq!(rows.get(row, 3 * row), 7);
        }
        assert_ne!(rows, Rows::new(200));
        rows.clear();
        assert_eq!(rows, Rows::new(200));
    }
}
