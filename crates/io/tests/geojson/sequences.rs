//! Text sequences (RFC 8142), some of whose records are truncated.

use super::super::*;

/// Returns a text sequence with the given records.
fn sequence(records: &[&str]) -> String {
    records.iter().map(|record| format!("\u{1e}{record}\n")).collect()
}

#[test]
fn a_truncated_record_is_an_error_or_left_out() {
    let [a, b] = ["a", "b"].map(|id| feature(&format!(r#""id":"{id}","#), &polygon(TRIANGLE)));
    let whole = feature(r#""id":"of a\"[{ record","properties":{"x":[1,"}"]},"#, &polygon(TRIANGLE));
    for length in 1..whole.len() {
        // The record is cut at every length, also within a string after an escaped quote.
        let cut = &whole[..length];
        for (text, at) in [
            (sequence(&[&a, cut, &b]), 1),
            (sequence(&[cut, &a, &b]), 0),
            (sequence(&[&a, &b, cut]), 2),
            (format!("\u{1e}\u{1e}{a}\u{1e}{cut}\u{1e}{b}"), 1),
            (format!("\u{1e}{a}\u{1e}{b}\u{1e}{cut}"), 2),
        ] {
            let error = read_text(&text).map(|_| ()).unwrap_err();
            let Error::Feature { feature, .. } = &error else { panic!("{cut}: {error}") };
            assert_eq!(*feature, at, "{cut}: {error}");
            let error = error.to_string();
            assert!(error.contains("the record is truncated: "), "{error}");
            let features = read_lenient(&text);
            assert_eq!(features.left_out, [at as u32], "{cut}");
            assert_eq!(features.skipped[0].error.to_string(), error);
            let pieces = piece_counts(&features);
            assert_eq!((pieces.len(), pieces.iter().sum::<usize>()), (3, 2), "{cut}");
        }
    }
}

#[test]
fn a_truncated_collection_keeps_the_features_before_its_end() {
    let [a, b] = ["a", "b"].map(|id| feature(&format!(r#""id":"{id}","#), &polygon(TRIANGLE)));
    let cut = format!(r#"{{"type":"FeatureCollection","features":[{a},{}"#, &b[..b.len() - 4]);
    let features = read_lenient(&sequence(&[&cut, &b]));
    assert_eq!((piece_counts(&features), features.left_out), (vec![1, 0, 1], vec![1]));
}

#[test]
fn what_is_not_truncated_is_still_an_error() {
    let a = feature(r#""id":"a","#, &polygon(TRIANGLE));
    for text in
        [sequence(&[&a, "{\"type\":}", &a]), sequence(&[&a, "[]", &a]), format!("{}\u{1e}{a}", &a[..20])]
    {
        let options = ReadOptions::default().skip_invalid(true);
        let error = read_from(text.as_bytes(), "in.json".as_ref(), &options).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Syntax { .. }), "{text}: {error}");
    }
}

#[test]
fn many_truncated_records_are_counted_in_bounded_memory() {
    let text = "\u{1e}{".repeat(300_000);
    let features = read_lenient(&text);
    assert_eq!((features.counts.features, features.left_out.len()), (300_000, 300_000));
    assert_eq!(features.skipped.len(), sat2d_io::MAX_DESCRIBED);
}
