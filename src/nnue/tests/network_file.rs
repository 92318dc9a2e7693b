//! What is read as a network, and what is refused.

use super::random_network::{Ranges, network_file, write_hash};
use crate::nnue::{FILE_BYTES, HIDDEN, Network, NetworkError, NetworkFileError, SimdLevel};

fn error_of(bytes: &[u8]) -> NetworkError {
    Network::from_bytes(bytes).err().unwrap()
}

/// A whole network with some bytes put in place and the hash made right again.
fn patched_file(place: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = network_file(1, Ranges::USUAL);
    file[place..place + bytes.len()].copy_from_slice(bytes);
    write_hash(&mut file);
    file
}

#[test]
fn a_network_is_named_by_its_hash() {
    let bytes = network_file(1, Ranges::USUAL);
    let network = Network::from_bytes(&bytes).unwrap();
    let name: String = bytes[32..38].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(network.id(), name);
    assert_ne!(network.id(), Network::from_bytes(&network_file(2, Ranges::USUAL)).unwrap().id());
    assert!(
        network.architecture().ends_with(&format!("768 -> {HIDDEN}x2 -> 1x8")),
        "{}",
        network.architecture()
    );
}

#[test]
fn a_foreign_file_is_refused() {
    for bytes in [&b""[..], b"KIBI", b"PK\x03\x04", &[0; FILE_BYTES], &vec![b'x'; FILE_BYTES + 9]] {
        assert_eq!(error_of(bytes), NetworkError::BadMagic);
    }
}

#[test]
fn a_damaged_network_file_is_refused() {
    let whole = network_file(1, Ranges::USUAL);
    for place in [64, 100, FILE_BYTES / 2, FILE_BYTES - 1, 40] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        assert_eq!(error_of(&damaged), NetworkError::HashMismatch, "byte {place}");
    }
    for length in [10, 63, 64, FILE_BYTES - 1] {
        assert_eq!(
            error_of(&whole[..length]),
            NetworkError::Length { found: length, expected: FILE_BYTES }
        );
    }
    let longer = [&whole[..], &[0]].concat();
    assert_eq!(
        error_of(&longer),
        NetworkError::Length { found: FILE_BYTES + 1, expected: FILE_BYTES }
    );
}

#[test]
fn every_single_flipped_bit_of_the_header_is_noticed() {
    let whole = network_file(1, Ranges::USUAL);
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
        let fault = error_of(&patched_file(place, bytes));
        assert!(
            matches!(fault, NetworkError::Architecture { what: named, .. } if named == what),
            "{fault}"
        );
        assert!(fault.to_string().contains(what), "{fault}");
    }
    assert_eq!(
        error_of(&patched_file(8, &[2, 0])),
        NetworkError::Version { found: 2, expected: 1 }
    );
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    for (place, bytes) in [(15, &[1][..]), (20, &[0, 0]), (22, &[1]), (27, &[1]), (28, &[0])] {
        assert_eq!(
            error_of(&patched_file(place, bytes)),
            NetworkError::InvalidHeader,
            "byte {place}"
        );
    }
}

#[test]
fn out_of_range_numbers_are_refused() {
    let outputs = FILE_BYTES - 8 * 4 - 8 * 2 * HIDDEN * 2;
    for weight in [128_i16, -128, i16::MAX, i16::MIN] {
        assert_eq!(
            error_of(&patched_file(outputs + 2 * HIDDEN, &weight.to_le_bytes())),
            NetworkError::OutputWeight { found: weight }
        );
    }
    assert!(matches!(
        error_of(&patched_file(70, &[200])),
        NetworkError::KingBucket { found: 200, .. }
    ));
}

#[test]
fn file_errors_name_the_file() {
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
        matches!(fault, NetworkFileError::Invalid { source: NetworkError::BadMagic, .. }),
        "{fault}"
    );
    assert!(fault.to_string().contains("Cargo.toml"), "{fault}");
}

#[test]
fn the_best_simd_level_is_available() {
    assert!(SimdLevel::Scalar.is_available() && SimdLevel::best().is_available());
    let names: std::collections::BTreeSet<&str> =
        SimdLevel::ALL.into_iter().map(SimdLevel::name).collect();
    assert_eq!(names.len(), SimdLevel::ALL.len());
}
