use super::*;

fn entry(mv: u16, value: Value, depth: u8, bound: Bound) -> TtEntry {
    TtEntry {
        mv: Move::from_code(mv),
        value,
        raw_eval: Some(-17),
        depth,
        bound,
        is_pv: depth % 2 == 1,
        path_dependent: false,
    }
}

#[test]
fn a_probe_returns_the_stored_entry() {
    let tt = TranspositionTable::new(1).unwrap();
    let tt_view = tt.begin_search(TtSharing::Shared);
    for (key, value, evaluation) in
        [(1, 31_999, None), (!0, -31_999, Some(20_000)), (0x1234_5678_9abc_def0, 0, Some(-1))]
    {
        let stored = TtEntry {
            mv: Move::from_code(0xfedc),
            value,
            raw_eval: evaluation,
            depth: 200,
            bound: Bound::Lower,
            is_pv: true,
            path_dependent: false,
        };
        tt_view.store(key, stored);
        assert_eq!(tt_view.probe(key), Some(stored));
    }
}

#[test]
fn a_torn_entry_is_a_miss() {
    let tt = TranspositionTable::new(1).unwrap();
    let tt_view = tt.begin_search(TtSharing::Shared);
    let key = 0xdead_beef_0bad_cafe;
    tt_view.store(key, entry(0x1111, 50, 9, Bound::Exact));
    let slot = tt.cluster(key).iter().find(|slot| slot.read().0 == key).unwrap();
    let (check, data) = (slot.check.load(Ordering::Relaxed), slot.data.load(Ordering::Relaxed));
    // Half of another thread's write: first only its data, then only its check.
    slot.data.store(entry(0x2222, -50, 12, Bound::Lower).pack(3), Ordering::Relaxed);
    assert_eq!(tt_view.probe(key), None);
    slot.data.store(data, Ordering::Relaxed);
    assert!(tt_view.probe(key).is_some());
    slot.check.store(check ^ 1 << 40, Ordering::Relaxed);
    assert_eq!(tt_view.probe(key), None);
}

#[test]
fn two_keys_in_one_cluster_are_two_positions() {
    let tt = TranspositionTable::new(1).unwrap();
    let tt_view = tt.begin_search(TtSharing::Shared);
    tt_view.store(7, entry(1, 1, 1, Bound::Exact));
    assert_eq!(tt_view.probe(8), None, "keys 7 and 8 share a cluster, but are different positions");
    tt_view.store(8, entry(2, 2, 2, Bound::Exact));
    assert_eq!(tt_view.probe(7).unwrap().value, 1);
    assert_eq!(tt_view.probe(8).unwrap().value, 2);
}

#[test]
fn concurrent_writes_never_yield_a_wrong_entry() {
    let tt = TranspositionTable::new(1).unwrap();
    // Every value follows from its key, so a mixture of two writes fails the comparison.
    let value_of = |key: u64| (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as i32;
    thread::scope(|scope| {
        for seed in 0..4_u64 {
            let tt = &tt;
            scope.spawn(move || {
                let tt_view = tt.begin_search(TtSharing::Shared);
                let mut random = seed + 1;
                for _ in 0..300_000 {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    // Few keys in one cluster make the threads collide often.
                    let key = random % 24;
                    if let Some(found) = tt_view.probe(key) {
                        assert_eq!(found.value, value_of(key));
                        assert_eq!(found.mv.code(), key as u16);
                    }
                    tt_view.store(
                        key,
                        entry(key as u16, value_of(key), (random >> 40) as u8 % 64, Bound::Exact),
                    );
                }
            });
        }
    });
}

#[test]
fn a_short_search_leaves_the_deep_entries_of_a_running_one() {
    let tt = TranspositionTable::new(1).unwrap();
    let long = tt.begin_search(TtSharing::Shared);
    for key in 0..4 {
        long.store(key, entry(1, 1, 20, Bound::Lower));
    }
    // Many short searches begin and end meanwhile.
    for round in 0..100 {
        let short = tt.begin_search(TtSharing::Shared);
        short.store(100 + round, entry(2, 2, 3, Bound::Lower));
    }
    assert!((0..4).all(|key| long.probe(key).is_some()));
    // A short search of the same position only replaces the move.
    let short = tt.begin_search(TtSharing::Shared);
    short.store(2, entry(5, 3, 3, Bound::Exact));
    assert_eq!(
        long.probe(2),
        Some(TtEntry { mv: Move::from_code(5), ..entry(1, 1, 20, Bound::Lower) })
    );
    drop(short);
    // After the end of the long search its entries age like any others.
    drop(long);
    for round in 0..4 {
        let short = tt.begin_search(TtSharing::Shared);
        short.store(200 + round, entry(3, 3, 3, Bound::Lower));
    }
    assert!((0..4).any(|key| tt.begin_search(TtSharing::Shared).probe(key).is_none()));
}

#[test]
fn a_search_may_always_replace_its_own_shallow_entries() {
    let tt = TranspositionTable::new(1).unwrap();
    let tt_view = tt.begin_search(TtSharing::Shared);
    for key in 0..5 {
        tt_view.store(key, entry(1, 1, 10 + key as u8, Bound::Lower));
    }
    assert_eq!(tt_view.probe(0), None);
    assert!((1..5).all(|key| tt_view.probe(key).is_some()));
}

#[test]
fn path_dependent_entries_are_visible_to_their_search_only() {
    let tt = TranspositionTable::new(1).unwrap();
    let (one, other) = (tt.begin_search(TtSharing::Shared), tt.begin_search(TtSharing::Shared));
    let path_dependent = TtEntry { path_dependent: true, ..entry(1, 0, 5, Bound::Lower) };
    one.store(9, path_dependent);
    assert_eq!((one.probe(9), other.probe(9)), (Some(path_dependent), None));
    // An entry that holds on any path is stored beside it; the deeper of both is returned.
    other.store(9, entry(2, 80, 4, Bound::Exact));
    assert_eq!(
        (one.probe(9), other.probe(9)),
        (Some(path_dependent), Some(entry(2, 80, 4, Bound::Exact)))
    );
    other.store(9, entry(2, 90, 6, Bound::Exact));
    assert_eq!(one.probe(9), Some(entry(2, 90, 6, Bound::Exact)));
}

#[test]
fn an_exclusive_table_keeps_path_dependent_entries() {
    let tt = TranspositionTable::new(1).unwrap();
    tt.begin_search(TtSharing::Exclusive)
        .store(9, TtEntry { path_dependent: true, ..entry(1, 0, 5, Bound::Lower) });
    assert_eq!(tt.begin_search(TtSharing::Exclusive).probe(9), Some(entry(1, 0, 5, Bound::Lower)));
}

#[test]
fn storing_only_a_move_keeps_the_value() {
    let tt = TranspositionTable::new(1).unwrap();
    let tt_view = tt.begin_search(TtSharing::Shared);
    tt_view.store_move(9, Move::from_code(5), Some(3));
    assert_eq!(
        tt_view.probe(9).map(|entry| (entry.mv.code(), entry.bound)),
        Some((5, Bound::None))
    );
    tt_view.store(9, entry(6, 77, 8, Bound::Exact));
    tt_view.store_move(9, Move::from_code(7), None);
    assert_eq!(
        tt_view.probe(9),
        Some(TtEntry { mv: Move::from_code(7), ..entry(6, 77, 8, Bound::Exact) })
    );
    // A value without a move keeps the stored move.
    tt_view.store(9, entry(0, 12, 9, Bound::Upper));
    assert_eq!(tt_view.probe(9).unwrap().mv.code(), 7);
}

#[test]
fn clearing_empties_the_table_and_its_size_is_the_requested_one() {
    let tt = TranspositionTable::new(3).unwrap();
    assert_eq!(tt.clusters.len() * size_of::<Cluster>(), 3 << 20);
    assert_eq!(size_of::<Cluster>(), 64);
    let tt_view = tt.begin_search(TtSharing::Shared);
    let mut key = 1_u64;
    for _ in 0..400_000 {
        key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tt_view.store(key, entry(1, 1, 1, Bound::Exact));
    }
    assert!(tt.hashfull_permille() > 800, "{}", tt.hashfull_permille());
    tt.clear();
    assert_eq!(tt.hashfull_permille(), 0);
    assert_eq!(tt_view.probe(key), None);
}

#[test]
fn more_searches_than_generations_share_generations_and_release_them() {
    let tt = TranspositionTable::new(1).unwrap();
    let views: Vec<_> = (0..150).map(|_| tt.begin_search(TtSharing::Shared)).collect();
    assert_eq!(
        tt.running_searches.iter().map(|count| count.load(Ordering::Relaxed)).sum::<u32>(),
        150
    );
    drop(views);
    assert!(tt.running_searches.iter().all(|count| count.load(Ordering::Relaxed) == 0));
}
