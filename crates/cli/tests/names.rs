//! Tests of the names of features: the naming property, names that must be distinguished, and long names or names with
//! control characters.

use crate::folder::*;

/// Returns a folder with two files, whose features have different properties: `parcel` in one file and `flood` in the other.
fn two_files() -> Folder {
    let folder = Folder::new();
    let [left, middle, right, far] = square_features().try_into().unwrap();
    folder.write("parcels.geojson", collection(&[left, right]).replace("\"name\"", "\"parcel\""));
    folder.write("floods.geojson", collection(&[middle, far]).replace("\"name\"", "\"flood\""));
    folder
}

#[test]
fn a_file_without_the_property_keeps_its_ids_and_says_so() {
    let folder = two_files();
    let run = folder.run(&["join", "parcels.geojson", "floods.geojson", "--id", "parcel", "-q"]).answered();
    assert_eq!(run.out, "a,b,relation\nnleft,middle,overlapping\nnright,middle,touching\n");
    let note = "note: floods.geojson: no feature has the property parcel; the features keep their ids; --id-b names a property of B\n";
    assert_eq!(run.err, note);
    let run = folder.run(&["join", "floods.geojson", "parcels.geojson", "--id", "parcel", "-q"]).answered();
    assert_eq!(run.out, "a,b,relation\nmiddle,nleft,overlapping\nmiddle,nright,touching\n");
    assert!(run.err.starts_with("note: floods.geojson: no feature has the property parcel"), "{}", run.err);
    // The file A is a pipe, which can be read only once.
    let arguments = ["join", "-", "parcels.geojson", "--id", "parcel", "-q"];
    let run = folder.run_with_input(&arguments, folder.read("floods.geojson")).answered();
    assert_eq!(run.out, "a,b,relation\nmiddle,nleft,overlapping\nmiddle,nright,touching\n");
    assert!(run.err.starts_with("note: standard input: no feature has the property parcel"), "{}", run.err);
    for command in ["check", "explain"] {
        let pair = ["--pair", "nleft", "middle"];
        let more = if command == "explain" { &pair[..] } else { &[] };
        let arguments = [&[command, "parcels.geojson", "floods.geojson", "--id", "parcel"], more].concat();
        let run = folder.run(&arguments).answered();
        assert!(run.err.contains("note: floods.geojson: no feature has the property parcel"), "{}", run.err);
    }
    // A feature without an id is named by its index in the file.
    folder.write("bare.ndjson", polygon(&square(0.5)));
    let out = folder.join(&["parcels.geojson", "bare.ndjson", "--id", "parcel"]);
    assert_eq!(out, "a,b,relation\nnleft,0,overlapping\n");
}

#[test]
fn each_file_may_have_a_property_of_its_own() {
    let folder = two_files();
    let files = ["parcels.geojson", "floods.geojson"];
    let join = |more: &[&str]| folder.join(&[&files[..], more].concat());
    let rows = |[a, b, c]: [&str; 3]| format!("a,b,relation\n{a},{b},overlapping\n{c},{b},touching\n");
    assert_eq!(join(&["--id", "parcel", "--id-b", "flood"]), rows(["nleft", "nmiddle", "nright"]));
    assert_eq!(join(&["--id-b", "flood"]), rows(["left", "nmiddle", "right"]));
    // An option that names a property for one file is an error if this file does not have the property.
    for (more, says) in [
        (&["--id", "parcel", "--id-b", "parcel"][..], "floods.geojson: no feature has the property parcel"),
        (&["--id", "flood", "--id-b", "flood"], "parcels.geojson: no feature has the property flood"),
        (&["--id", "flod"], "parcels.geojson and floods.geojson: no feature has the property flod"),
    ] {
        let run = folder.run(&[&["join", "-o", "pairs.csv"], &files[..], more].concat());
        let error = run.error();
        assert!(error.contains(says) && error.contains("; name a property of the features"), "{error}");
    }
    assert_eq!(folder.names(), ["floods.geojson", "parcels.geojson"]);
    let error = folder.run(&["join", "parcels.geojson", "--id", "flood"]).error();
    assert!(error.starts_with("Error: parcels.geojson: no feature has the property flood"), "{error}");
    let run = folder.run(&["join", "parcels.geojson", "--id-b", "parcel"]);
    assert_eq!((run.code, run.err.contains("<B>")), (Some(2), true), "{}", run.err);
    // A very long name is cut in the message, and the message says how long the name is.
    let error = folder.run(&["join", "parcels.geojson", "--id", &"p".repeat(5000)]).error();
    assert!(error.len() < 400 && error.contains("(5000 characters)"), "{error}");
}

#[test]
fn a_file_where_some_features_have_the_property_is_named_by_it() {
    let folder = two_files();
    let mixed = folder.read_text("parcels.geojson").replacen("\"parcel\"", "\"other\"", 1);
    folder.write("mixed.geojson", mixed);
    let run = folder.run(&["join", "mixed.geojson", "floods.geojson", "--id", "parcel"]).answered();
    assert_eq!(run.out, "a,b,relation\n0,middle,overlapping\nnright,middle,touching\n");
    assert!(run.err.contains("1 features named by their index, without the id property"), "{}", run.err);
    assert_eq!(run.err.matches("note: ").count(), 1, "{}", run.err);
}

#[test]
fn a_place_that_is_the_id_of_another_is_written_as_a_place() {
    let folder = Folder::new();
    let [left, middle, right, far] = square_features().try_into().unwrap();
    let nameless = |feature: String, id: &str| feature.replace(&format!("\"id\":\"{id}\","), "");
    for given in ["0", "\"0\""] {
        // The first feature has no id, and the second feature has the index of the first as its id.
        let features = [
            nameless(left.clone(), "left"),
            middle.replace("\"middle\"", given),
            nameless(right.clone(), "right"),
            far.clone(),
        ];
        folder.write("in.geojson", collection(&features));
        let run = folder.run(&["join", "in.geojson", "--stats", "stats.json"]).answered();
        assert_eq!(run.out, "a,b,relation\nindex:0,0,overlapping\n0,2,touching\n");
        let says = "input           1 features without an id named index:N, as N is the id of another\n";
        assert!(run.err.contains(says), "{}", run.err);
        let stats: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
        assert_eq!((&stats["a"]["ids_told_apart"], &stats["a"]["ids_repeated"]), (&1.into(), &0.into()));
        // The written name `index:0` selects the feature in other commands, too.
        let pair = |a: &str, b: &str| folder.run(&["explain", "in.geojson", "--pair", a, b]).answered().out;
        assert!(pair("index:0", "0").starts_with("A               index:0: (0, 0)"));
        assert!(pair("2", "0").contains("\nB               0: (1, 0)"));
    }
    // If `index:0` is also an id, the index is written with one more prefix, so that each name selects one feature.
    let clash = [
        nameless(left.clone(), "left"),
        middle.replace("\"middle\"", "\"index:0\""),
        right.replace("\"right\"", "0"),
    ];
    folder.write("clash.geojson", collection(&clash));
    assert_eq!(
        folder.join(&["clash.geojson"]),
        "a,b,relation\nindex:index:0,index:0,overlapping\nindex:0,0,touching\n"
    );
    let pair = ["explain", "clash.geojson", "--pair", "index:index:0", "0"];
    assert!(folder.run(&pair).answered().out.starts_with("A               index:index:0: (0, 0)"));
    // Feature 0 has the id 1, which is the index of the feature without an id. In the last join, a property names the
    // features.
    let features =
        [middle.replace("\"middle\"", "1"), nameless(left, "left"), right.replace("\"right\"", "7")];
    folder.write(
        "in.geojson",
        collection(&features).replacen("\"nmiddle\"", "1", 1).replacen("\"nright\"", "7", 1),
    );
    let rows = "a,b,relation\n1,index:1,overlapping\n1,7,touching\n";
    assert_eq!(folder.join(&["in.geojson"]), rows);
    folder.write("in.geojson", folder.read_text("in.geojson").replace("\"nleft\"", "null"));
    assert_eq!(folder.join(&["in.geojson", "--id", "name"]), rows);
}

#[test]
fn ids_that_features_share_are_counted_and_places_are_kept() {
    let folder = Folder::new();
    let [left, middle, right, far] = square_features().try_into().unwrap();
    folder.write("twice.geojson", collection(&[left.replace("\"left\"", "\"middle\""), middle.clone(), far]));
    let run = folder.run(&["join", "twice.geojson"]).answered();
    assert_eq!(run.out, "a,b,relation\nmiddle,middle,overlapping\n");
    assert!(run.err.contains("1 features with the id of an earlier one"), "{}", run.err);
    // An id has the form of an index. The program does not guess whether the user means the id or the index.
    let features = [left.replace("\"left\"", "\"index:1\""), middle, right];
    folder.write("odd.geojson", collection(&features));
    let error = folder.run(&["explain", "odd.geojson", "--pair", "index:1", "right"]).error();
    assert!(error.contains("--pair = index:1: is the id of one feature and the index of another"), "{error}");
    folder.run(&["explain", "odd.geojson", "--pair", "index:0", "right"]).answered();
}

#[test]
fn what_is_quoted_of_a_file_is_short_and_says_how_long_it_was() {
    let bow = polygon("[[[0,0],[2,2],[2,0],[0,2],[0,0]]]");
    let folder = Folder::new();
    for (character, count) in [("x", 100_000), ("é", 50_000), ("漢", 300), ("\\n", 2000)] {
        let long = character.repeat(count);
        let text = format!("\"{long}\"");
        let good = polygon(&square(0.0));
        for (what, input) in [
            ("id", feature(&text, &bow)),
            ("type", good.replace("\"Polygon\"", &text)),
            ("kind", feature("1", &good.replace("\"Polygon\"", &text))),
            ("feature", collection(&[good.replace("\"Polygon\"", &text)])),
            ("collection", collection(&[]).replace("\"FeatureCollection\"", &text)),
            ("geometry", feature("1", &text)),
            ("coordinates", polygon(&text)),
            ("number", polygon(&format!("[[[{text},0],[1,0],[0,1]]]"))),
            ("array as id", feature(&format!("[{text}]"), &good)),
        ] {
            folder.write("in.geojson", input);
            let error = folder.run(&["join", "in.geojson"]).error();
            assert!(error.len() < 450 + 2 * 240, "{what}: {} bytes: {error}", error.len());
            assert!(error.contains("...") && error.contains(" characters)"), "{what}: {error}");
        }
    }
    let long = "y".repeat(100_000);
    folder.write(
        "in.geojson",
        collection(&[
            feature(&format!("\"{long}\""), &polygon(&square(0.0))),
            feature("2", &polygon(&square(1.0))),
        ]),
    );
    let error = folder.run(&["explain", "in.geojson", "--pair", &long[..90_000], "2"]).error();
    assert!(error.len() < 400 && error.contains("(90000 characters)"), "{error}");
    let table = folder.run(&["explain", "in.geojson", "--pair", "index:0", "2"]).answered().out;
    assert!(table.lines().all(|line| line.len() < 400) && table.contains("(100000 characters)"), "{table}");
    // The output has the whole name.
    assert_eq!(folder.join(&["in.geojson"]), format!("a,b,relation\n{long},2,overlapping\n"));
}

#[test]
fn an_id_of_ordinary_length_is_quoted_whole() {
    let bow = polygon("[[[0,0],[2,2],[2,0],[0,2],[0,0]]]");
    let folder = Folder::new();
    let id = "Kreis Sankt Wendel, Gemarkung 12, Flur 3, Flurstück 117/4 (alt: 117/2, 118)";
    folder.write("in.geojson", feature(&format!("\"{id}\""), &bow));
    let error = folder.run(&["join", "in.geojson"]).error();
    assert!(error.starts_with(&format!("Error: in.geojson, feature 0 (id {id}): ")), "{error}");
}

/// Returns squares whose ids contain characters that control terminals or break lines.
fn with_control_characters() -> (Folder, [&'static str; 4]) {
    let folder = Folder::new();
    let ids = ["tab\there", "\u{1b}[31mred\u{1b}[0m", "nul\0 bell\u{7} del\u{7f}", "c1 \u{9b}31m line\u{85}"];
    let features = ids.iter().enumerate().map(|(k, id)| {
        let id = serde_json::to_string(id).unwrap();
        feature(&id, &polygon(&square(k as f64)))
    });
    folder.write("in.geojson", collection(&features.collect::<Vec<_>>()));
    (folder, ids)
}

#[test]
fn control_characters_in_a_file_are_quoted_kept_and_counted() {
    let (folder, ids) = with_control_characters();
    let run = folder.run(&["join", "in.geojson", "--relation", "overlapping"]).answered();
    let rows: String =
        ids.windows(2).map(|two| format!("\"{}\",\"{}\",overlapping\n", two[0], two[1])).collect();
    assert_eq!(run.out, format!("a,b,relation\n{rows}"));
    assert!(run.err.contains("4 ids with control characters"), "{}", run.err);
    // Messages and explanations contain no control characters.
    let is_clean = |text: &str| text.chars().all(|c| c == '\n' || !c.is_control());
    assert!(is_clean(&run.err), "{:?}", run.err);
    let table =
        folder.run(&["explain", "in.geojson", "--pair", "index:1", "index:3", "--svg", "e.svg"]).answered();
    assert!(is_clean(&table.out) && table.out.contains("\\u{1b}[31mred"), "{:?}", table.out);
    let svg = folder.read_text("e.svg");
    assert!(is_clean(&svg), "{svg:?}");
    // JSON has its own escapes.
    let lines = folder.join(&["in.geojson", "--format", "jsonl"]);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["a"], &first["b"]), (&ids[0].into(), &ids[1].into()));
    let quiet = folder.run(&["join", "in.geojson", "-q"]).answered();
    assert_eq!(quiet.err, "");
}

/// Runs a command whose standard output is a terminal. Returns the output, or `None` if this machine cannot do so.
#[cfg(target_os = "linux")]
fn on_a_terminal(folder: &Folder, arguments: &[&str]) -> Option<String> {
    use std::process::Stdio;

    use crate::waits::output_of_child;

    let command = folder.command(arguments);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &format!("{} 2>/dev/null", line.join(" ")), "/dev/null"]);
    script.current_dir(folder.path(".")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Some machines lack the program `script`.
    let output = output_of_child(&mut script.spawn().ok()?);
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_not_driven_by_what_a_file_holds() {
    let (folder, ids) = with_control_characters();
    for arguments in [
        &["join", "in.geojson"][..],
        &["join", "in.geojson", "--format", "jsonl"],
        &["join", "in.geojson", "--format", "geojson"],
        &["join", "in.geojson", "-o", "/dev/stdout"],
        &["explain", "in.geojson", "--pair", "index:1", "index:2"],
        &["explain", "in.geojson", "--pair", "index:1", "index:2", "--format", "json"],
        &["explain", "in.geojson", "--pair", "index:1", "index:2", "--format", "svg"],
    ] {
        let Some(shown) = on_a_terminal(&folder, arguments) else {
            eprintln!("no `script` here: not looked at");
            return;
        };
        assert!(shown.contains("31mred"), "{arguments:?}: {shown:?}");
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{arguments:?}: {shown:?}");
        if arguments.contains(&"jsonl") {
            let first: serde_json::Value = serde_json::from_str(shown.lines().next().unwrap()).unwrap();
            assert_eq!(first["b"], ids[1]);
        }
    }
}
