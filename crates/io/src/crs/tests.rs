//! Tests of the comparison of reference systems.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]
use super::*;

fn crs(text: &str) -> Crs {
    Crs::from_json(&Value::String(text.into())).unwrap()
}

#[test]
fn systems_are_compared_by_code() {
    let lv95 = r#"{"type":"ProjectedCRS","name":"CH1903+ / LV95","id":{"authority":"EPSG","code":2056}}"#;
    let wgs84 = r#"{"type":"GeographicCRS","name":"WGS 84","id":{"authority":"EPSG","code":4326}}"#;
    assert_eq!(crs(lv95).to_string(), "EPSG:2056 (CH1903+ / LV95)");
    assert!(!crs(lv95).differs_from(&crs("EPSG:2056")) && !crs(lv95).is_geographic());
    assert!(!crs(wgs84).differs_from(&Crs::crs84()) && crs(wgs84).is_geographic());
    assert!(!crs("srid:4326").differs_from(&crs("urn:ogc:def:crs:OGC:1.3:CRS84")));
    assert!(crs("urn:ogc:def:crs:EPSG::4326").is_geographic());
    assert!(crs(lv95).differs_from(&crs(wgs84)));
    let unnamed = r#"{"type":"ProjectedCRS","name":"local grid"}"#;
    assert!(!crs(unnamed).differs_from(&crs(lv95)), "it may be the same by another name");
    assert!(!crs("projjson:key").differs_from(&crs(lv95)));
    let text = "GEOGCRS[\"NAD83\",DATUM[]]";
    assert_eq!((crs(text).to_string(), crs(text).is_geographic()), ("NAD83".into(), true));
    let text = "PROJCS[\"CH1903+ / LV95\",GEOGCS[\"CH1903+\",AUTHORITY[\"EPSG\",\"4150\"]],AUTHORITY[\"EPSG\",\"2056\"]]";
    assert!(!crs(text).differs_from(&crs(lv95)) && crs(text).differs_from(&crs(wgs84)));
    assert!(!crs("GEOGCS[\"GCS_WGS_1984\",DATUM[]]").differs_from(&Crs::crs84()));
    assert_eq!(code_of_name("WGS_1984_UTM_Zone_32N").as_deref(), Some("EPSG:32632"));
    assert_eq!(code_of_name("WGS_1984_UTM_Zone_61N"), None);
    let bound = format!(r#"{{"type":"BoundCRS","name":"b","source_crs":{wgs84}}}"#);
    assert!(crs(&bound).is_geographic());
    assert_eq!(Crs::from_json(&Value::Null), None);
}

const UTM: &str = r#"PROJCS["my zone",GEOGCS["ETRS89",DATUM["d",SPHEROID["GRS 1980",6378137,298.25]]],PROJECTION["Transverse_Mercator"],UNIT["metre",1]]"#;
const DEGREES: &str =
    r#"GEOGCS["my degrees",DATUM["d",SPHEROID["GRS 1980",6378137,298.25]],UNIT["degree",0.0174]]"#;

#[test]
fn a_geographic_and_a_projected_system_differ_without_codes() {
    let geographic = [
        DEGREES.into(),
        r#"GEOGCRS["WGS 84",DATUM["d"],CS[ellipsoidal,2]]"#.into(),
        r#"GEODCRS["WGS 84",DATUM["d"],CS[ellipsoidal,2]]"#.into(),
        format!(r#"COMPD_CS["one, two",{DEGREES},VERT_CS["height"]]"#),
        format!(r#"BOUNDCRS[SOURCECRS[{DEGREES}],TARGETCRS[GEOGCRS["WGS 84"]]]"#),
        r#"{"type":"GeographicCRS","name":"local degrees"}"#.into(),
        "EPSG:4230".into(),
        "OGC:CRS83".into(),
    ];
    let projected = [
        UTM.into(),
        r#"PROJCRS["zone",BASEGEOGCRS["WGS 84"]]"#.into(),
        format!(r#"COMPOUNDCRS["one, two",{UTM},VERTCRS["height"]]"#),
        r#"{"type":"ProjectedCRS","name":"local grid"}"#.into(),
        r#"{"type":"CompoundCRS","name":"c","components":[{"type":"ProjectedCRS","name":"g"},{"type":"VerticalCRS"}]}"#.into(),
        "EPSG:25832".into(),
        "http://www.opengis.net/def/crs/EPSG/0/2056".into(),
    ];
    let unknown = [
        r#"GEODCRS["WGS 84",DATUM["d"],CS[Cartesian,3]]"#,
        r#"LOCAL_CS["site"]"#,
        "EPSG:5554",
        "projjson:key",
        "ESRI:54009",
    ];
    for text in &geographic {
        assert!(crs(text).is_geographic(), "{text}");
        for other in &projected {
            assert!(
                crs(text).differs_from(&crs(other)) && crs(other).differs_from(&crs(text)),
                "{text} {other}"
            );
        }
    }
    for other in unknown {
        assert!(!crs(other).is_geographic(), "{other}");
        for text in [DEGREES, UTM] {
            assert!(!crs(text).differs_from(&crs(other)), "{text} {other}");
        }
    }
}

#[test]
fn two_names_of_one_system_do_not_differ() {
    for names in [
        &["EPSG:4326", "urn:ogc:def:crs:EPSG:6.9:4326", "OGC:CRS84", "CRS84", "EPSG:4979", DEGREES][..],
        &["EPSG:3857", "EPSG:900913", "ESRI:102100", "epsg:3785", "ESRI:102113"],
        &["EPSG:4269", "OGC:CRS83", r#"GEOGCS["GCS_North_American_1983",DATUM[]]"#],
        &["EPSG:2056", r#"PROJCS["CH1903+_LV95",GEOGCS[]]"#, UTM, "ESRI:54009"],
        // EPSG and Esri each have a code for some systems.
        &["ESRI:102711", "EPSG:3424"],
    ] {
        for name in names {
            for other in names {
                assert!(!crs(name).differs_from(&crs(other)), "{name} {other}");
            }
        }
    }
    assert!(
        crs("EPSG:4326").differs_from(&crs("EPSG:4258"))
            && crs("ESRI:54009").differs_from(&crs("ESRI:54030"))
    );
}

#[test]
fn geojson_names_a_system_by_text_or_by_code() {
    let of = |text: &str| Crs::from_geojson(&serde_json::from_str(text).unwrap()).map(|crs| crs.to_string());
    for (text, expected) in [
        (r#"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25832"}}"#, Some("EPSG:25832")),
        (r#"{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#, Some("OGC:CRS84")),
        (r#"{"type":"name","properties":{"name":" EPSG:25832"}}"#, Some("EPSG:25832")),
        (r#"{"type":"EPSG","properties":{"code":25832}}"#, Some("EPSG:25832")),
        (r#""EPSG:25832""#, Some("EPSG:25832")),
        (r#"{"type":"name","properties":{"name":"local grid"}}"#, Some("local grid")),
        (r#"{"type":"link","properties":{"href":"x.prj","type":"esriwkt"}}"#, None),
        (r#"{"type":"name","properties":{"name":7}}"#, None),
        (r#"{"type":"name","properties":null}"#, None),
        (r#"{"type":"name"}"#, None),
        ("{}", None),
        ("\" \"", None),
        ("[1]", None),
    ] {
        assert_eq!(of(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn srids_of_epsg_are_codes() {
    let of = |srid| Crs::from_srid(srid);
    assert_eq!((of(2056).to_string(), of(4326).is_geographic()), ("EPSG:2056".into(), true));
    assert!(!of(900_913).differs_from(&of(3857)) && of(900_913).differs_from(&of(2056)));
    assert_eq!(of(910_001).to_string(), "SRID 910001");
    assert!(!of(910_001).differs_from(&of(910_002)) && !of(910_001).differs_from(&of(2056)));
}

#[test]
fn systems_are_compared_as_they_are_displayed() {
    for (a, b, differ) in [
        ("EPSG:3857 (WGS 84 / Pseudo-Mercator)", "ESRI:102100", false),
        ("EPSG:4979 (WGS 84)", "OGC:CRS84 (WGS 84 (CRS84))", false),
        ("EPSG:4326 (WGS 84)", "EPSG:3857 (WGS 84 / Pseudo-Mercator)", true),
        ("IGNF:LAMB93", "EPSG:2154 (RGF93 v1 / Lambert-93)", false),
        ("projjson:key", "EPSG:4326", false),
        ("local grid (old)", "EPSG:4326", false),
    ] {
        assert_eq!([systems_differ(a, b), systems_differ(b, a)], [differ; 2], "{a}, {b}");
    }
}

#[test]
fn heights_of_a_compound_system_are_ignored() {
    let projected = r#"PROJCS["Amersfoort / RD New",AUTHORITY["EPSG","28992"]]"#;
    let text = format!(r#"COMPD_CS["RD + NAP",{projected},VERT_CS["NAP"],AUTHORITY["EPSG","7415"]]"#);
    let json = r#"{"type":"CompoundCRS","name":"RD + NAP","id":{"authority":"EPSG","code":7415},"components":[{"type":"ProjectedCRS","name":"Amersfoort / RD New","id":{"authority":"EPSG","code":28992}}]}"#;
    for compound in [crs(&text), crs(json)] {
        assert!(!compound.differs_from(&crs("EPSG:28992")) && !crs("EPSG:28992").differs_from(&compound));
        assert!(compound.differs_from(&crs("EPSG:4326")), "a geographic system");
    }
}
