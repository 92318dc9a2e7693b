//! Tests of reading network files, valid and invalid.

use super::random_network::{Ranges, network_file, write_hash};
use crate::nnue::{FILE_BYTES, HIDDEN, Network, NetworkError, NetworkFileError, SimdLevel};

fn error_of(bytes: &[u8]) -> NetworkError {
    Network::from_bytes(bytes).err().unwrap()
}

/// A complete network with some bytes replaced and the hash corrected.
fn patched_file(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = network_file(1, Ranges::USUAL);
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    write_hash(&mut file);
    file
}

#[test]
fn the_id_of_a_network_is_its_hash() {
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
    for offset in [64, 100, FILE_BYTES / 2, FILE_BYTES - 1, 40] {
        let mut damaged = whole.clone();
        damaged[offset] ^= 1;
        assert_eq!(error_of(&damaged), NetworkError::HashMismatch, "byte {offset}");
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
fn every_flipped_bit_of_the_header_is_detected() {
    let whole = network_file(1, Ranges::USUAL);
    for bit in 0..64 * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Network::from_bytes(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn the_error_of_another_architecture_names_the_difference() {
    for (offset, bytes, what) in [
        (10, &[0, 9][..], "hidden neurons"),
        (12, &[77], "king buckets"),
        (13, &[1], "output buckets"),
        (14, &[2], "activation"),
        (16, &[254, 0], "quantisation of the hidden layer"),
        (18, &[65, 0], "quantisation of the output"),
    ] {
        let error = error_of(&patched_file(offset, bytes));
        assert!(
            matches!(error, NetworkError::Architecture { what: named, .. } if named == what),
            "{error}"
        );
        assert!(error.to_string().contains(what), "{error}");
    }
    assert_eq!(
        error_of(&patched_file(8, &[2, 0])),
        NetworkError::Version { found: 2, expected: 1 }
    );
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    for (offset, bytes) in [(15, &[1][..]), (20, &[0, 0]), (22, &[1]), (27, &[1]), (28, &[0])] {
        assert_eq!(
            error_of(&patched_file(offset, bytes)),
            NetworkError::InvalidHeader,
            "byte {offset}"
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
    let error = Network::read("no/such.nnue".as_ref()).err().unwrap();
    assert!(
        matches!(error, NetworkFileError::Unreadable { .. })
            && error.to_string().contains("no/such.nnue"),
        "{error}"
    );

    let own = Network::read("src/nnue/kibitzer.nnue".as_ref()).unwrap();
    assert_eq!(
        own.id(),
        Network::embedded().id(),
        "the embedded network must be the valid network of its file"
    );

    let error = Network::read("Cargo.toml".as_ref()).err().unwrap();
    assert!(
        matches!(error, NetworkFileError::Invalid { source: NetworkError::BadMagic, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("Cargo.toml"), "{error}");
}

#[test]
fn the_best_simd_level_is_available() {
    assert!(SimdLevel::Scalar.is_available() && SimdLevel::best().is_available());
    let names: std::collections::BTreeSet<&str> =
        SimdLevel::ALL.into_iter().map(SimdLevel::name).collect();
    assert_eq!(names.len(), SimdLevel::ALL.len());
}
