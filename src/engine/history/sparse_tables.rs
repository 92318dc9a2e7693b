//! Tables by piece and target square, of which a short search touches few.

use super::prefetch::prefetch;

/// A number for each of 12 pieces on 64 squares.
pub(super) type PieceToTable = [i16; 768];

/// So many tables, each known to be blank or not: emptying them costs no more than was written.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct SparseTables {
    tables: Vec<PieceToTable>,
    /// A bit for each table that may have something other than zeros.
    dirty: Vec<u64>,
}

impl SparseTables {
    /// So many tables of zeros. Fresh zero pages come from the allocator: what is not touched costs
    /// nothing.
    pub(super) fn new(len: usize) -> SparseTables {
        SparseTables { tables: vec![[0; 768]; len], dirty: vec![0; len.div_ceil(64)] }
    }

    /// A number of a table.
    #[inline]
    pub(super) fn get(&self, table: usize, index: usize) -> i32 {
        i32::from(self.tables[table][index])
    }

    /// Says that a number of a table will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, table: usize, index: usize) {
        prefetch(&self.tables[table][index]);
    }

    /// A number of a table, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, table: usize, index: usize) -> &mut i16 {
        self.dirty[table / 64] |= 1 << (table % 64);
        &mut self.tables[table][index]
    }

    /// Zeros, as in the beginning.
    pub(super) fn clear(&mut self) {
        for (tables, dirty) in self.tables.chunks_mut(64).zip(&mut self.dirty) {
            while *dirty != 0 {
                tables[dirty.trailing_zeros() as usize] = [0; 768];
                *dirty &= *dirty - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_zeroes_every_written_table() {
        let mut tables = SparseTables::new(200);
        for table in [0, 1, 63, 64, 127, 130, 199] {
            *tables.get_mut(table, 3 * table) = 7;
            assert_eq!(tables.get(table, 3 * table), 7);
        }
        assert_ne!(tables, SparseTables::new(200));
        tables.clear();
        assert_eq!(tables, SparseTables::new(200));
    }
}
