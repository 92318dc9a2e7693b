//! What is read as a network, and what is refused.

use super::sample::{Ranges, file, seal};
use crate::nnue::{FILE_BYTES, HIDDEN, Level, Network, NetworkError, NetworkFileError};

fn refusal(bytes: &[u8]) -> NetworkError {
    Network::from_bytes(bytes).err().unwrap()
}

/// A whole network with some bytes put in place and the hash made right again.
fn forged(place: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = file(1, Ranges::USUAL);
    file[place..place + bytes.len()].copy_from_slice(bytes);
    seal(&mut file);
    file
}

#[test]
fn a_network_is_named_by_its_hash() {
    let bytes = file(1, Ranges::USUAL);
    let network = Network::from_bytes(&bytes).unwrap();
    let name: String = bytes[32..38].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(network.id(), name);
    assert_ne!(network.id(), Network::from_bytes(&file(2, Ranges::USUAL)).unwrap().id());
    assert!(
        network.architecture().ends_with(&format!("768 -> {HIDDEN}x2 -> 1x8")),
        "{}",
        network.architecture()
    );
}

#[test]
fn a_foreign_file_is_refused() {
    for bytes in [&b""[..], b"KIBI", b"PK\x03\x04", &[0; FILE_BYTES], &vec![b'x'; FILE_BYTES + 9]] {
        assert_eq!(refusal(bytes), NetworkError::Foreign);
    }
}

#[test]
fn a_damaged_network_file_is_refused() {
    let whole = file(1, Ranges::USUAL);
    for place in [64, 100, FILE_BYTES / 2, FILE_BYTES - 1, 40] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        assert_eq!(refusal(&damaged), NetworkError::Hash, "byte {place}");
    }
    for length in [10, 63, 64, FILE_BYTES - 1] {
        assert_eq!(
            refusal(&whole[..length]),
            NetworkError::Length { found: length, expected: FILE_BYTES }
        );
    }
    let longer = [&whole[..], &[0]].concat();
    assert_eq!(
        refusal(&longer),
        NetworkError::Length { found: FILE_BYTES + 1, expected: FILE_BYTES }
    );
}

#[test]
fn every_single_flipped_bit_of_the_header_is_noticed() {
    let whole = file(1, Ranges::USUAL);
    for bit in 0..64 * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Network::from_bytes(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn another_architecture_is_refused_by_name() {
    for (place, bytes, what) in [
        (10, &[0, 9][..], "hidden neurons"),
        (12, &[77], "king buckets"),
        (13, &[1], "output buckets"),
        (14, &[2], "activation"),
        (16, &[254, 0], "quantisation of the hidden layer"),
        (18, &[65, 0], "quantisation of the output"),
    ] {
        let fault = refusal(&forged(place, bytes));
        assert!(
            matches!(fault, NetworkError::Architecture { what: named, .. } if named == what),
            "{fault}"
        );
        assert!(fault.to_string().contains(what), "{fault}");
    }
    assert_eq!(refusal(&forged(8, &[2, 0])), NetworkError::Version { found: 2, expected: 1 });
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    for (place, bytes) in [(15, &[1][..]), (20, &[0, 0]), (22, &[1]), (27, &[1]), (28, &[0])] {
        assert_eq!(refusal(&forged(place, bytes)), NetworkError::Header, "byte {place}");
    }
}

#[test]
fn numbers_that_the_arithmetic_cannot_take_are_refused() {
    let outputs = FILE_BYTES - 8 * 4 - 8 * 2 * HIDDEN * 2;
    for weight in [128_i16, -128, i16::MAX, i16::MIN] {
        assert_eq!(
            refusal(&forged(outputs + 2 * HIDDEN, &weight.to_le_bytes())),
            NetworkError::OutputWeight { found: weight }
        );
    }
    assert!(matches!(refusal(&forged(70, &[200])), NetworkError::KingBucket { found: 200, .. }));
}

#[test]
fn the_programs_own_file_is_read_and_one_that_is_missing_or_foreign_is_named() {
    let fault = Network::read("no/such.nnue".as_ref()).err().unwrap();
    assert!(
        matches!(fault, NetworkFileError::Unreadable { .. })
            && fault.to_string().contains("no/such.nnue"),
        "{fault}"
    );

    let own = Network::read("src/nnue/kibitzer.nnue".as_ref()).unwrap();
    assert_eq!(
        own.id(),
        Network::embedded().id(),
        "the network in the program is whole: its file reads with its hash"
    );

    let fault = Network::read("Cargo.toml".as_ref()).err().unwrap();
    assert!(
        matches!(fault, NetworkFileError::Refused { source: NetworkError::Foreign, .. }),
        "{fault}"
    );
    assert!(fault.to_string().contains("Cargo.toml"), "{fault}");
}

#[test]
fn some_level_is_always_there_and_the_best_is_one_of_them() {
    assert!(Level::Scalar.is_available() && Level::best().is_available());
    let names: std::collections::BTreeSet<&str> = Level::ALL.into_iter().map(Level::name).collect();
    assert_eq!(names.len(), Level::ALL.len());
}
