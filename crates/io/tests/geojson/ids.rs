//! The names of features.

use super::*;

#[test]
fn ids_are_kept_as_written() {
    let triangle = polygon(TRIANGLE);
    let with = |id: &str| feature(&format!(r#""id":{id},"properties":{{"n":{id}}},"#), &triangle);
    let text = collection(&[
        with(r#""06001""#),
        with("1.50"),
        with("123456789012345678901"),
        with(r#""06001""#),
        with("null"),
        with(r#""\u00e9 \"q\"""#),
        feature(r#""properties":[],"#, &triangle),
    ]);
    let expected = ["06001", "1.50", "123456789012345678901", "06001", "4", "é \"q\"", "6"];
    let features = read_text(&text).unwrap();
    assert_eq!(ids(&features), expected);
    assert_eq!(features.ids.of(0), Id::Text("06001".into()));
    assert_eq!(features.ids.of(1), Id::Number("1.50".into()));
    assert_eq!(features.ids.of(4), Id::Index(4));
    assert_eq!(features.counts.ids_missing, 0, "nobody asked for ids");
    assert_eq!(features.counts.ids_repeated, 1, "06001");

    let options = ReadOptions::default().id_property("n".to_owned());
    let features = read_from(text.as_bytes(), Path::new("in.json"), &options).unwrap();
    assert_eq!(ids(&features), expected);
    assert_eq!(features.counts.ids_missing, 2);

    let options = ReadOptions::default().id_property("N".to_owned());
    let error = read_from(text.as_bytes(), Path::new("in.json"), &options).unwrap_err();
    assert_eq!(error.to_string(), "in.json: no feature has the property N; name a property of the features");
    assert!(read_from(collection(&[]).as_bytes(), Path::new("in.json"), &options).is_ok());

    let error = message(read_text(with("[1]")));
    assert_eq!(error, "in.json, feature 0: `id` is [1]; an id is a string or a number");
}

#[test]
fn canonical_integers_are_integers_and_other_numbers_are_text() {
    let named = |id: &str| feature(&format!(r#""id":{id},"#), &polygon(TRIANGLE));
    let integers = ["0", "17", "-3", "9223372036854775807", "-9223372036854775808"];
    let others = ["-0", "1.50", "1e3", "1E3", "17.0", "9223372036854775808", "-9223372036854775809"];
    let all: Vec<&str> = integers.into_iter().chain(others).collect();
    let text: Vec<String> = all.iter().map(|id| named(id)).collect();
    let features = read_text(text.join("\n")).unwrap();
    assert_eq!(ids(&features), all);
    for (id, text) in features.ids.iter().zip(&all) {
        let expected = if integers.contains(text) {
            Id::Integer(text.parse().unwrap())
        } else {
            Id::Number((*text).into())
        };
        assert_eq!(id, expected);
    }
    for text in ["007", "+1", " 1", "", "NaN"] {
        assert_eq!(Id::from_number(text), Id::Number(text.into()));
    }
    assert!(read_text(named("007")).is_err());
}

#[test]
fn ids_that_are_written_alike_are_counted() {
    let named = |id: &str| feature(&format!(r#""id":{id},"#), &polygon(TRIANGLE));
    // The second feature is named by its index. The id of the fourth is a string.
    let text = [named("1"), feature("", &polygon(TRIANGLE)), named("2"), named(r#""2""#), named("1")];
    let features = read_text(text.join("\n")).unwrap();
    assert_eq!(ids(&features), ["1", "index:1", "2", "2", "1"]);
    assert_eq!((features.counts.ids_repeated, features.counts.ids_told_apart), (2, 1));
    let features = read_text(text[1..4].join("\n")).unwrap();
    assert_eq!((ids(&features), features.counts.ids_repeated), (vec!["0".into(), "2".into(), "2".into()], 1));
    assert_eq!((features.ids.of(0).to_id(), features.counts.ids_told_apart), (Id::Index(0), 0));
}

/// Tests that the text of an index never equals an id. If the usual text of an index is also an id, the index gets another
/// text.
#[test]
fn the_name_of_an_index_is_never_an_id() {
    let named = |id: &str| feature(&format!(r#""id":{id},"#), &polygon(TRIANGLE));
    let nameless = || feature("", &polygon(TRIANGLE));
    for (text, expected, told_apart) in [
        ([nameless(), named("0"), named(r#""index:0""#)], ["index:index:0", "0", "index:0"], 1),
        ([named(r#""index:1""#), nameless(), named("1")], ["index:1", "index:index:1", "1"], 1),
        ([nameless(), named(r#""index:0""#), named("7")], ["0", "index:0", "7"], 0),
        ([nameless(), nameless(), named(r#""index:0""#)], ["0", "1", "index:0"], 0),
        ([named(r#""index:index:2""#), named("2"), nameless()], ["index:index:2", "2", "index:2"], 1),
    ] {
        let features = read_text(text.join("\n")).unwrap();
        assert_eq!(ids(&features), expected);
        assert_eq!((features.counts.ids_repeated, features.counts.ids_told_apart), (0, told_apart));
    }
    let chain = ["0", r#""index:0""#, r#""index:index:0""#].map(named);
    let features = read_text(format!("{}\n{}", nameless(), chain.join("\n"))).unwrap();
    assert_eq!(ids(&features)[0], "index:index:index:0");
    assert_eq!((features.counts.ids_repeated, features.counts.ids_told_apart), (0, 1));
}

#[test]
fn features_keep_their_ids_where_none_has_the_property() {
    let with =
        |id: &str, n: &str| feature(&format!(r#""id":{id},"properties":{{"n":{n}}},"#), &polygon(TRIANGLE));
    let options = ReadOptions::default().id_property("n".to_owned()).id_otherwise(true);
    let read =
        |text: &[String]| read_from(text.join("\n").as_bytes(), Path::new("in.json"), &options).unwrap();
    let features = read(&[with("7", "null"), with("null", "null"), with(r#""a""#, "null")]);
    assert_eq!((ids(&features), features.lacks_property), (vec!["7".into(), "1".into(), "a".into()], true));
    assert_eq!(features.counts.ids_missing, 0);
    // If one feature at any position has the property, it names all features.
    for k in 0..3 {
        let mut text = vec![with("7", "null"), with("8", "null"), with("9", "null")];
        text[k] = with("9", "5");
        let features = read(&text);
        let mut expected: Vec<String> = vec!["0".into(), "1".into(), "2".into()];
        expected[k] = "5".into();
        assert_eq!((ids(&features), features.lacks_property), (expected, false));
        assert_eq!(features.counts.ids_missing, 2);
    }
    let none = collection(&[]);
    assert!(!read(&[none]).lacks_property);
}
