use super::*;

fn entry(mv: u16, value: Value, depth: u8, bound: Bound) -> Entry {
    Entry {
        mv: Move::from_code(mv),
        value,
        evaluation: Some(-17),
        depth,
        bound,
        on_pv: depth % 2 == 1,
        leans: false,
    }
}

#[test]
fn an_entry_comes_back_as_it_was_stored() {
    let table = Table::new(1).unwrap();
    let search = table.begin(Sharing::Public);
    for (key, value, evaluation) in
        [(1, 31_999, None), (!0, -31_999, Some(20_000)), (0x1234_5678_9abc_def0, 0, Some(-1))]
    {
        let stored = Entry {
            mv: Move::from_code(0xfedc),
            value,
            evaluation,
            depth: 200,
            bound: Bound::Lower,
            on_pv: true,
            leans: false,
        };
        search.store(key, stored);
        assert_eq!(search.probe(key), Some(stored));
    }
}

#[test]
fn a_torn_entry_is_never_believed() {
    let table = Table::new(1).unwrap();
    let search = table.begin(Sharing::Public);
    let key = 0xdead_beef_0bad_cafe;
    search.store(key, entry(0x1111, 50, 9, Bound::Exact));
    let slot = table.cluster(key).iter().find(|slot| slot.read().0 == key).unwrap();
    let (check, data) = (slot.check.load(Ordering::Relaxed), slot.data.load(Ordering::Relaxed));
    // Another thread's half-done write: its data are there, its check is not yet; and the other way
    // round.
    slot.data.store(entry(0x2222, -50, 12, Bound::Lower).pack(3), Ordering::Relaxed);
    assert_eq!(search.probe(key), None);
    slot.data.store(data, Ordering::Relaxed);
    assert!(search.probe(key).is_some());
    slot.check.store(check ^ 1 << 40, Ordering::Relaxed);
    assert_eq!(search.probe(key), None);
}

#[test]
fn a_neighbour_in_the_same_cluster_is_another_position() {
    let table = Table::new(1).unwrap();
    let search = table.begin(Sharing::Public);
    search.store(7, entry(1, 1, 1, Bound::Exact));
    assert_eq!(search.probe(8), None, "keys 7 and 8 share a cluster but nothing else");
    search.store(8, entry(2, 2, 2, Bound::Exact));
    assert_eq!(search.probe(7).unwrap().value, 1);
    assert_eq!(search.probe(8).unwrap().value, 2);
}

#[test]
fn threads_that_write_over_each_other_leave_nothing_false() {
    let table = Table::new(1).unwrap();
    // Every value follows from its key, so a mixture of two writes would show.
    let value_of = |key: u64| (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as i32;
    thread::scope(|scope| {
        for seed in 0..4_u64 {
            let table = &table;
            scope.spawn(move || {
                let search = table.begin(Sharing::Public);
                let mut random = seed + 1;
                for _ in 0..300_000 {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    // Few keys in one cluster: the threads meet all the time.
                    let key = random % 24;
                    if let Some(found) = search.probe(key) {
                        assert_eq!(found.value, value_of(key));
                        assert_eq!(found.mv.code(), key as u16);
                    }
                    search.store(
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
    let table = Table::new(1).unwrap();
    let long = table.begin(Sharing::Public);
    for key in 0..4 {
        long.store(key, entry(1, 1, 20, Bound::Lower));
    }
    // Many short searches come and go meanwhile.
    for round in 0..100 {
        let short = table.begin(Sharing::Public);
        short.store(100 + round, entry(2, 2, 3, Bound::Lower));
    }
    assert!((0..4).all(|key| long.probe(key).is_some()));
    // Of the same position they add what they found to be best.
    let short = table.begin(Sharing::Public);
    short.store(2, entry(5, 3, 3, Bound::Exact));
    assert_eq!(
        long.probe(2),
        Some(Entry { mv: Move::from_code(5), ..entry(1, 1, 20, Bound::Lower) })
    );
    drop(short);
    // Once it has ended, its entries age like any others.
    drop(long);
    for round in 0..4 {
        let short = table.begin(Sharing::Public);
        short.store(200 + round, entry(3, 3, 3, Bound::Lower));
    }
    assert!((0..4).any(|key| table.begin(Sharing::Public).probe(key).is_none()));
}

#[test]
fn a_search_may_always_replace_its_own_shallow_entries() {
    let table = Table::new(1).unwrap();
    let search = table.begin(Sharing::Public);
    for key in 0..5 {
        search.store(key, entry(1, 1, 10 + key as u8, Bound::Lower));
    }
    assert_eq!(search.probe(0), None);
    assert!((1..5).all(|key| search.probe(key).is_some()));
}

#[test]
fn what_leans_on_a_path_is_known_to_its_search_alone() {
    let table = Table::new(1).unwrap();
    let (one, other) = (table.begin(Sharing::Public), table.begin(Sharing::Public));
    let leaning = Entry { leans: true, ..entry(1, 0, 5, Bound::Lower) };
    one.store(9, leaning);
    assert_eq!((one.probe(9), other.probe(9)), (Some(leaning), None));
    // What holds on any path stands beside it; the deeper of both is told.
    other.store(9, entry(2, 80, 4, Bound::Exact));
    assert_eq!(
        (one.probe(9), other.probe(9)),
        (Some(leaning), Some(entry(2, 80, 4, Bound::Exact)))
    );
    other.store(9, entry(2, 90, 6, Bound::Exact));
    assert_eq!(one.probe(9), Some(entry(2, 90, 6, Bound::Exact)));
}

#[test]
fn a_player_goes_on_with_everything_that_was_found() {
    let table = Table::new(1).unwrap();
    table.begin(Sharing::Player).store(9, Entry { leans: true, ..entry(1, 0, 5, Bound::Lower) });
    assert_eq!(table.begin(Sharing::Player).probe(9), Some(entry(1, 0, 5, Bound::Lower)));
}

#[test]
fn a_move_alone_leaves_the_known_value_in_place() {
    let table = Table::new(1).unwrap();
    let search = table.begin(Sharing::Public);
    search.store_move(9, Move::from_code(5), Some(3));
    assert_eq!(search.probe(9).map(|found| (found.mv.code(), found.bound)), Some((5, Bound::None)));
    search.store(9, entry(6, 77, 8, Bound::Exact));
    search.store_move(9, Move::from_code(7), None);
    assert_eq!(
        search.probe(9),
        Some(Entry { mv: Move::from_code(7), ..entry(6, 77, 8, Bound::Exact) })
    );
    // And a value without a move keeps the move that was known.
    search.store(9, entry(0, 12, 9, Bound::Upper));
    assert_eq!(search.probe(9).unwrap().mv.code(), 7);
}

#[test]
fn clearing_empties_the_table_and_its_size_is_what_was_asked() {
    let table = Table::new(3).unwrap();
    assert_eq!(table.clusters.len() * size_of::<Cluster>(), 3 << 20);
    assert_eq!(size_of::<Cluster>(), 64);
    let search = table.begin(Sharing::Public);
    let mut key = 1_u64;
    for _ in 0..400_000 {
        key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        search.store(key, entry(1, 1, 1, Bound::Exact));
    }
    assert!(table.permille() > 800, "{}", table.permille());
    table.clear();
    assert_eq!(table.permille(), 0);
    assert_eq!(search.probe(key), None);
}

#[test]
fn more_searches_than_generations_share_them_and_give_them_back() {
    let table = Table::new(1).unwrap();
    let guards: Vec<_> = (0..150).map(|_| table.begin(Sharing::Public)).collect();
    assert_eq!(table.running.iter().map(|count| count.load(Ordering::Relaxed)).sum::<u32>(), 150);
    drop(guards);
    assert!(table.running.iter().all(|count| count.load(Ordering::Relaxed) == 0));
}
