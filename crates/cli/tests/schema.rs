//! Tests of `schema`: the schemas describe the files that the program writes, with all their fields.

use serde_json::Value;

use crate::folder::*;
use crate::validation::problems;

const KINDS: [&str; 3] = ["stats", "bench", "worlds"];

fn schema(folder: &Folder, kind: &str) -> Value {
    let run = folder.run(&["schema", kind]).answered();
    assert_eq!(run.err, "");
    serde_json::from_str(&run.out).unwrap()
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read_text(name)).unwrap()
}

/// Asserts that a file fits the schema. Also asserts that it does not fit if one of its fields is missing or renamed.
#[track_caller]
fn assert_fits(file: &Value, schema: &Value) {
    assert_eq!(problems(file, schema), [""; 0], "{file:#}");
    let mut paths = Vec::new();
    fields_of(file, "", &mut paths);
    assert!(paths.len() > 10, "{paths:?}");
    for (object, name) in paths {
        let mut changed = file.clone();
        let fields = changed.pointer_mut(&object).unwrap().as_object_mut().unwrap();
        let field = fields.remove(&name).unwrap();
        // A verdict is an object with one field, whose name is the variant.
        let is_verdict = name == "adapter_from";
        let missing = format!("{}.{name}: missing", place(&object));
        let without = problems(&changed, schema);
        assert!(if is_verdict { !without.is_empty() } else { without.contains(&missing) }, "{without:?}");
        changed.pointer_mut(&object).unwrap()[format!("{name}_2")] = field;
        let other = format!("{}.{name}_2: not in the schema", place(&object));
        assert!(problems(&changed, schema).contains(&other), "{object}/{name}");
    }
}

/// Collects all fields of all objects in a JSON value. Each field is stored as the path of its object and its name. In an
/// array, only the first and the last item are visited.
fn fields_of(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    if let Some(fields) = value.as_object() {
        for (name, field) in fields {
            found.push((path.into(), name.clone()));
            fields_of(field, &format!("{path}/{name}"), found);
        }
    }
    if let Some(items) = value.as_array() {
        let last = items.len().saturating_sub(1);
        let ends = items.iter().enumerate().filter(|(index, _)| [0, last].contains(index));
        ends.for_each(|(index, item)| fields_of(item, &format!("{path}/{index}"), found));
    }
}

/// Converts a path such as `/rows/0` to the form of the validation, `$.rows[0]`.
fn place(path: &str) -> String {
    let part = |part: &str| match part.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{part}"),
    };
    let parts: String = path.split('/').skip(1).map(part).collect();
    format!("${parts}")
}

#[test]
fn statistics_of_polygons_fit_their_schema() {
    let folder = Folder::with_squares();
    let schema = schema(&folder, "stats");
    for more in [
        &["squares.geojson"] as &[&str],
        &["squares.geojson", "--verify", "--within", "4", "--with", "distance,penetration"],
        &["--skip-invalid", "--relation", "overlapping"],
    ] {
        for backend in BACKENDS {
            let arguments = ["join", "squares.geojson", "--backend", backend, "--stats", "stats.json"];
            folder.run(&[&arguments[..], more].concat()).answered();
            assert_fits(&json(&folder, "stats.json"), &schema);
        }
    }
}

#[test]
fn statistics_of_points_fit_their_schema() {
    let folder = Folder::with_squares();
    let schema = schema(&folder, "stats");
    let point = |id, x: f64| feature(id, &format!(r#"{{"type":"Point","coordinates":[{x},1]}}"#));
    folder.write("points.geojson", collection(&[point("1", 0.5), point("2", 2.0), point("3", 11.5)]));
    for more in [&[] as &[&str], &["--within", "1", "--verify"]] {
        let arguments = ["points.geojson", "squares.geojson", "--stats", "stats.json"];
        folder.join(&[&arguments[..], more].concat());
        let file = json(&folder, "stats.json");
        assert!(file["pairs"]["candidates_of_objects"].is_null() && file["a"]["points"] == 3, "{file:#}");
        assert_fits(&file, &schema);
    }
}

#[test]
fn figures_of_the_benchmark_fit_their_schema() {
    let folder = Folder::new();
    let schema = schema(&folder, "bench");
    let arguments =
        ["bench", "--scene", "boxes,crowd", "--repeats", "1", "--no-files", "--json", "bench.json"];
    // One size is in the table of right answers, and one is not.
    folder.run(&[&arguments[..], &["--count", "500,1000"]].concat()).answered();
    let file = json(&folder, "bench.json");
    assert!(file["rows"].as_array().is_some_and(|rows| rows.len() >= 4), "{file:#}");
    assert_fits(&file, &schema);

    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = file.clone();
        change(&mut changed);
        problems(&changed, &schema)
    };
    assert_eq!(with(&|file| file["format"] = 2.into()), ["$.format: 2 is not 1"]);
    assert_eq!(with(&|file| file["rows"][0]["count"] = (-1).into()), ["$.rows[0].count: -1"]);
    assert_eq!(
        with(&|file| file["rows"][0]["is_right"] = 1.into()),
        ["$.rows[0].is_right: 1 is no \"boolean\""]
    );
    let without_total = with(&|file| file["rows"][1]["total"] = Value::Null);
    assert_eq!(without_total, ["$.rows[1].total: null is no \"object\""]);
}

#[test]
fn parts_that_only_a_gpu_measures_fit_the_schema() {
    let folder = Folder::new();
    let schema = schema(&folder, "bench");
    let mut file = serde_json::json!({ "break_even": [], "kernels": [], "timelines": [], "bars": [] });
    for (verdict, fits) in [
        (serde_json::json!("cpu"), true),
        (serde_json::json!("adapter"), true),
        (serde_json::json!({ "adapter_from": 1234.5 }), true),
        (serde_json::json!("Cpu"), false),
        (serde_json::json!({ "adapter_from": "1234.5" }), false),
        (serde_json::json!({}), false),
    ] {
        file["break_even"] = serde_json::json!([{ "scene": "boxes", "contender": "gpu-0", "smallest": 10,
            "largest": 20, "verdict": verdict }]);
        let found = problems(&file, &schema);
        let of_verdict = found.iter().any(|problem| problem.starts_with("$.break_even"));
        assert_eq!(of_verdict, !fits, "{verdict}: {found:?}");
    }
    let time = serde_json::json!({ "median_ms": 1.5, "least_ms": 1.0 });
    file["kernels"] = serde_json::json!([{ "scene": "boxes", "count": 10, "contender": "gpu-0", "pairs": 9,
        "by_device_clock": true, "least_bytes": 1, "moved_bytes": 2, "operations": 3, "kernels": [{
        "kernel": "plain", "run_time_checks": false, "time": time, "wrong": 0, "uncertain": 0 }] }]);
    file["timelines"] = serde_json::json!([{ "scene": "boxes", "count": 10, "contender": "gpu-0",
        "spans": [{ "chunk": 0, "stage": "kernel", "start_ms": 0.5, "end_ms": 1.5 }] }]);
    file["bars"] = serde_json::json!([{ "what": "pairs/s", "figure": 2.0, "side": "at least", "bound": 1.0,
        "passes": true }]);
    let found = problems(&file, &schema);
    let of_parts = ["$.kernels", "$.timelines", "$.bars"];
    assert!(!found.iter().any(|problem| of_parts.iter().any(|part| problem.starts_with(part))), "{found:?}");
}

#[test]
fn figures_of_worlds_fit_their_schema() {
    let folder = Folder::new();
    let schema = schema(&folder, "worlds");
    let steps = ["--settle", "3", "--run-steps", "2", "--json", "worlds.json"];
    folder.run(&[&["bench", "--worlds", "--count", "100"], &steps[..]].concat()).answered();
    let file = json(&folder, "worlds.json");
    assert!(!file["rows"].as_array().unwrap().is_empty(), "{file:#}");
    assert_fits(&file, &schema);
    // JSON has no NaN.
    let mut changed = file.clone();
    changed["rows"][0]["mean_penetration"] = Value::Null;
    assert_eq!(problems(&changed, &schema), [""; 0]);
    changed["rows"][0]["stages"][0] = serde_json::json!(["solve", 1.0, 2.0]);
    assert_eq!(problems(&changed, &schema), ["$.rows[0].stages[0]: too long"]);
}

#[test]
fn every_field_has_a_description_that_stands_alone() {
    let folder = Folder::new();
    for kind in KINDS {
        let schema = schema(&folder, kind);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["title"].as_str().unwrap().starts_with("sat2d "), "{schema:#}");
        let definitions = schema["$defs"].as_object().unwrap();
        let mut count = 0;
        for object in definitions.values().chain([&schema]) {
            let of_object = object["description"].as_str().unwrap_or_else(|| panic!("{object:#}"));
            let of_fields = object["properties"].as_object().into_iter().flatten();
            let of_fields = of_fields.map(|(name, field)| {
                // A flattened struct has its own descriptions.
                field["description"].as_str().unwrap_or_else(|| panic!("{kind}: {name}"))
            });
            for description in of_fields.chain([of_object]) {
                // A description is one line of sentences without links to the source.
                let is_plain = !description.contains(['\n', '[', ']']) && description.ends_with('.');
                assert!(is_plain, "{kind}: {description}");
                count += 1;
            }
        }
        assert!(count >= 20, "{kind}: {count}");
    }
}

#[test]
fn a_schema_is_written_to_a_file_as_to_standard_output() {
    let folder = Folder::new();
    for kind in KINDS {
        let run = folder.run(&["schema", kind, "-o", "schema.json"]).answered();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
        assert_eq!(json(&folder, "schema.json"), schema(&folder, kind));
    }
    let error = folder.run(&["schema", "stats", "-o", "none/schema.json"]).error();
    assert!(error.starts_with("Error: cannot write none/schema.json"), "{error}");
    let run = folder.run(&["schema", "pairs"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(
        run.err.contains("'<KIND>'") && run.err.contains("[possible values: stats, info, bench, worlds]")
    );
}
