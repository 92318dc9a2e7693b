//! Sparse tables by piece and target square: a short search touches few of them.

use crate::engine::prefetch::prefetch;
use crate::huge_pages::advise_huge_pages;

/// An entry for each of 12 pieces on 64 squares.
pub(super) type PieceToTable = [i16; 768];

/// A fixed number of tables, each marked clean or dirty, so that clearing costs no more than was
/// written.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct SparseTables {
    tables: Vec<PieceToTable>,
    /// A bit for each table that may have an entry other than zero.
    dirty: Vec<u64>,
}

impl SparseTables {
    /// Allocates `len` tables of zeros. The allocator returns fresh zero pages, so untouched pages
    /// cost nothing. In a huge page lie some 1,365 tables.
    pub(super) fn new(len: usize) -> SparseTables {
        let mut tables = vec![[0; 768]; len];
        advise_huge_pages(&mut tables);
        SparseTables { tables, dirty: vec![0; len.div_ceil(64)] }
    }

    /// An entry of a table.
    #[inline]
    pub(super) fn get(&self, table: usize, index: usize) -> i32 {
        i32::from(self.tables[table][index])
    }

    /// Prefetches an entry of a table.
    #[inline]
    pub(super) fn prefetch(&self, table: usize, index: usize) {
        prefetch(&self.tables[table][index]);
    }

    /// An entry of a table, for writing.
    #[inline]
    pub(super) fn get_mut(&mut self, table: usize, index: usize) -> &mut i16 {
        self.dirty[table / 64] |= 1 << (table % 64);
        &mut self.tables[table][index]
    }

    /// Sets every entry to zero.
    pub(super) fn clear(&mut self) {
        for (tables, dirty) in self.tables.chunks_mut(64).zip(&mut self.dirty) {
            while *dirty != 0 {
                tables[dirty.trailing_zeros() as usize] = [0; 768];
                *dirty &= *dirty - 1;
            }
        }
    }
}

/// Adds a bonus with gravity: an entry moves towards ±`LIMIT`, more slowly the nearer it is.
#[inline]
pub(super) fn apply_gravity<const LIMIT: i32>(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    *entry = (old + bonus - old * bonus.abs() / LIMIT) as i16;
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
