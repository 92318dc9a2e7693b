//! Tests of reading network files, valid and invalid.

use super::random_network::{LayeredRanges, Ranges, layered_file, network_file, write_hash};
use crate::nnue::{Network, NetworkError, NetworkFileError, SimdLevel};

/// The lengths of the files of format 1 and 2.
const FILE_BYTES: [usize; 2] = [6_308_992, 12_726_400];

fn error_of(bytes: &[u8]) -> NetworkError {
    Network::from_bytes(bytes).err().unwrap()
}

/// A file of each format.
fn files() -> [Vec<u8>; 2] {
    [network_file(1, Ranges::USUAL), layered_file(1, LayeredRanges::USUAL)]
}

/// The error of a complete file with some bytes replaced and the hash corrected.
fn patched_error(file: &[u8], offset: usize, bytes: &[u8]) -> NetworkError {
    let mut file = file.to_vec();
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    write_hash(&mut file);
    error_of(&file)
}

#[test]
fn the_id_of_a_network_is_its_hash() {
    let architectures = ["8x768 -> 512x2 -> 1x8", "8x768 -> 1024x2 -> 16 -> 32 -> 1x8"];
    for ((bytes, length), architecture) in files().iter().zip(FILE_BYTES).zip(architectures) {
        let network = Network::from_bytes(bytes).unwrap();
        let name: String = bytes[32..38].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(network.id(), name);
        assert_eq!(network.architecture(), architecture);
        assert_eq!(bytes.len(), length);
    }
    let other = Network::from_bytes(&network_file(2, Ranges::USUAL)).unwrap();
    assert_ne!(other.id(), Network::from_bytes(&files()[0]).unwrap().id());
}

#[test]
fn a_foreign_file_is_refused() {
    for bytes in
        [&b""[..], b"KIBI", b"PK\x03\x04", &[0; FILE_BYTES[0]], &vec![b'x'; FILE_BYTES[1] + 9]]
    {
        assert_eq!(error_of(bytes), NetworkError::BadMagic);
    }
}

#[test]
fn a_damaged_network_file_is_refused() {
    for (whole, expected) in files().into_iter().zip(FILE_BYTES) {
        for offset in [64, 100, expected / 2, expected - 1, 40] {
            let mut damaged = whole.clone();
            damaged[offset] ^= 1;
            assert_eq!(error_of(&damaged), NetworkError::HashMismatch, "byte {offset}");
        }
        for found in [10, 63] {
            assert_eq!(error_of(&whole[..found]), NetworkError::IncompleteHeader { found });
        }
        for found in [64, expected - 1] {
            assert_eq!(error_of(&whole[..found]), NetworkError::Length { found, expected });
        }
        let longer = [&whole[..], &[0]].concat();
        assert_eq!(error_of(&longer), NetworkError::Length { found: expected + 1, expected });
    }
}

#[test]
fn every_flipped_bit_of_the_header_is_detected() {
    for mut file in files() {
        for bit in 0..64 * 8 {
            let mask = 1 << (bit % 8);
            file[bit / 8] ^= mask;
            assert!(Network::from_bytes(&file).is_err(), "bit {bit}");
            file[bit / 8] ^= mask;
        }
    }
}

#[test]
fn the_error_of_another_architecture_names_the_difference() {
    let [single_layer, layered] = files();
    let common = [
        (10, &[0, 9][..], "the size of the first layer"),
        (12, &[77], "the number of king buckets"),
        (13, &[1], "the number of output buckets"),
        (14, &[3], "the activation of the first layer"),
        (16, &[254, 0], "the quantisation factor QA"),
        (18, &[65, 0], "the quantisation factor QB"),
    ];
    let later = [
        (10, &[0, 2][..], "the size of the first layer"),
        (14, &[1], "the activation of the first layer"),
        (22, &[15], "the size of the second layer"),
        (23, &[0], "the size of the third layer"),
    ];
    let cases = common.map(|case| (&single_layer, case)).into_iter();
    for (file, (offset, bytes, what)) in
        cases.chain(common.map(|case| (&layered, case))).chain(later.map(|case| (&layered, case)))
    {
        let error = patched_error(file, offset, bytes);
        assert!(
            matches!(error, NetworkError::Architecture { what: named, .. } if named == what),
            "{error}"
        );
    }
    assert_eq!(
        patched_error(&single_layer, 10, &1024_u16.to_le_bytes()).to_string(),
        "unsupported architecture: the size of the first layer is 1024; it must be 512 in format 1"
    );
}

#[test]
fn another_version_is_refused() {
    for file in files() {
        for found in [0, 3, 257_u16] {
            let error = patched_error(&file, 8, &found.to_le_bytes());
            assert_eq!(error, NetworkError::Version { found });
            assert_eq!(
                error.to_string(),
                format!("the format version is {found}; it must be 1 or 2")
            );
        }
    }
}

#[test]
fn an_invalid_header_is_refused() {
    for ((file, length), reserved) in
        files().iter().zip(FILE_BYTES).zip([&[15, 22, 23, 24, 27][..], &[15, 24, 27]])
    {
        for &offset in reserved {
            assert_eq!(
                patched_error(file, offset, &[1]),
                NetworkError::ReservedByte { offset, found: 1 }
            );
        }
        assert_eq!(patched_error(file, 20, &[0, 0]), NetworkError::Scale);
        let expected = length as u32 - 64;
        let found = expected + 1;
        assert_eq!(
            patched_error(file, 28, &found.to_le_bytes()),
            NetworkError::PayloadLength { found, expected }
        );
    }
}

#[test]
fn an_invalid_king_bucket_is_refused() {
    for file in files() {
        for (offset, found) in [(64, 8), (70, 200), (95, 255)] {
            assert_eq!(
                patched_error(&file, offset, &[found]),
                NetworkError::KingBucket { found, buckets: 8 }
            );
        }
    }
}

#[test]
fn invalid_output_weights_are_refused() {
    let [single_layer, layered] = files();
    let ends = [8 * 4 + 8 * 2 * 512 * 2, 8 * 4 + 8 * 32 * 2];
    for ((file, weights), max) in [single_layer, layered].iter().zip(ends).zip([127_i16, 16384]) {
        for offset in [file.len() - weights, file.len() - 8 * 4 - 2] {
            for found in [max + 1, -max - 1, i16::MAX, i16::MIN] {
                assert_eq!(
                    patched_error(file, offset, &found.to_le_bytes()),
                    NetworkError::OutputWeight { found, max }
                );
            }
        }
    }
}

#[test]
fn invalid_biases_of_a_layered_network_are_refused() {
    let file = layered_file(1, LayeredRanges::USUAL);
    let output = file.len() - 8 * 4;
    let third = output - 8 * 32 * 2 - 8 * 32 * 4;
    let second = third - 8 * 32 * 32 - 8 * 16 * 4;
    for (first, count, layer, max) in [
        (second, 8 * 16, "the second layer", 1 << 24),
        (third, 8 * 32, "the third layer", 1 << 24),
        (output, 8, "the output", 1 << 28),
    ] {
        for offset in [first, first + 4 * (count - 1)] {
            for found in [max + 1, -max - 1, i32::MAX, i32::MIN] {
                assert_eq!(
                    patched_error(&file, offset, &found.to_le_bytes()),
                    NetworkError::Bias { layer, found, max }
                );
            }
        }
    }
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
