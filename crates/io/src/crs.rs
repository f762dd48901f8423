//! Coordinate reference systems, to the extent that a planar library needs them.

use std::fmt;

use serde_json::Value;

/// The coordinate reference system that a file states. Coordinates are never transformed: they are taken as planar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crs {
    /// The authority and the code of the system, such as `EPSG:2056`, or `None` if the file does not state a code.
    code: Option<String>,
    /// The name of the coordinate reference system.
    name: String,
    /// Whether the coordinates are longitudes and latitudes.
    is_geographic: bool,
}

impl Crs {
    /// Returns the system of a GeoParquet file that does not name a system: longitude and latitude.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "no other format states a system yet"))]
    pub(crate) fn crs84() -> Self {
        Self::from_text("OGC:CRS84")
    }

    /// Returns the system of a JSON value: PROJJSON, an authority with a code, or well-known text. Returns `None` if
    /// the value is none of these.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "no other format states a system yet"))]
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => match serde_json::from_str(text) {
                Ok(value @ Value::Object(_)) => Self::from_json(&value),
                _ => Some(Self::from_text(text)),
            },
            Value::Object(members) => {
                let text = |value: &Value| value.as_str().map(str::to_owned);
                let name = members.get("name").and_then(text).unwrap_or_else(|| "without a name".into());
                let id = members.get("id");
                let authority = id.and_then(|id| id["authority"].as_str());
                let code = id.filter(|id| !id["code"].is_null());
                let code = code.map(|id| id["code"].to_string().trim_matches('"').to_owned());
                let code = authority.zip(code).map(|(authority, code)| format!("{authority}:{code}"));
                let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
                let is_bound_to = members.get("source_crs").and_then(Self::from_json);
                let is_geographic =
                    kind.starts_with("Geographic") || is_bound_to.is_some_and(|crs| crs.is_geographic);
                Some(Self { code, name, is_geographic })
            }
            _ => None,
        }
    }

    /// Returns the system that a text describes: an authority with a code, or well-known text.
    pub(crate) fn from_text(text: &str) -> Self {
        /// The codes of geographic systems. Files often give only the code of such a system.
        const GEOGRAPHIC: [&str; 8] = ["CRS84", "4326", "4258", "4267", "4269", "4283", "4674", "4979"];
        let upper = text.to_uppercase();
        // A name such as `urn:ogc:def:crs:EPSG::4326` contains the authority and the code, too.
        let short = upper.trim_start_matches("URN:OGC:DEF:CRS:").replace("::", ":");
        let short = short.replace("OGC:1.3:", "OGC:").replace("SRID:", "EPSG:");
        if let Some((authority, code)) = short.split_once(':')
            && authority != "PROJJSON"
            && [authority, code].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        {
            let is_geographic = GEOGRAPHIC.contains(&code);
            return Self { code: Some(format!("{authority}:{code}")), name: text.into(), is_geographic };
        }
        let name = text.split('"').nth(1).unwrap_or(text);
        let code = code_in_text(text).or_else(|| code_of_name(name));
        Self { code, name: name.into(), is_geographic: upper.starts_with("GEOG") }
    }

    /// Returns the system that several texts of a file describe. Some of the texts may be empty. Returns `None` if all
    /// are empty.
    pub(crate) fn from_parts(authority: &str, code: &str, name: &str, text: &str) -> Option<Self> {
        let has_code = !matches!(code, "" | "0" | "-1");
        let code =
            has_code.then(|| format!("{}:{code}", if authority.is_empty() { "EPSG" } else { authority }));
        let described =
            [text, code.as_deref().unwrap_or_default(), name].into_iter().find(|text| !text.is_empty())?;
        let mut crs = Self::from_text(described);
        if let Some(code) = code {
            let of_code = Self::from_text(&code);
            crs.is_geographic |= text.is_empty() && of_code.is_geographic;
            crs.code = of_code.code;
        }
        if !name.is_empty() {
            crs.name = name.into();
        }
        Some(crs)
    }

    /// Returns the name that the file gives the system.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the coordinates are longitude and latitude in degrees. Such coordinates are not planar.
    #[must_use]
    pub fn is_geographic(&self) -> bool {
        self.is_geographic
    }

    /// Returns true if the two systems certainly differ, because both have a code and the codes differ. If a system has
    /// no code, returns false, because one system may have several names.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> bool {
        // Both codes mean the same here, because files store the longitude first, whatever order EPSG defines.
        let code = |crs: &Self| crs.code.as_ref().map(|code| code.replace("OGC:CRS84", "EPSG:4326"));
        code(self).zip(code(other)).is_some_and(|(a, b)| a != b)
    }
}

/// Returns the authority and the code at the end of well-known text, such as `EPSG:4326`. A code at the end belongs to
/// the whole system, and other codes in the text belong to its parts. Returns `None` if the text has no code at its
/// end.
fn code_in_text(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let inner = text.strip_suffix("]]")?;
    let start = inner.rfind('[')?;
    let is_id = ["AUTHORITY", "ID"].iter().any(|word| inner[..start].ends_with(&format!(",{word}")));
    let (authority, code) = inner[start + 1..].split_once(',')?;
    let [authority, code] = [authority, code].map(|part| part.trim_matches('"'));
    let is_plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id && is_plain(authority) && is_plain(code)).then(|| format!("{authority}:{code}"))
}

/// Returns the code of a system that files of Esri name without a code. Returns `None` for an unknown name.
fn code_of_name(name: &str) -> Option<String> {
    const CODES: [(&str, u32); 7] = [
        ("GCS_WGS_1984", 4326),
        ("GCS_North_American_1983", 4269),
        ("GCS_North_American_1927", 4267),
        ("GCS_ETRS_1989", 4258),
        ("WGS_1984_Web_Mercator_Auxiliary_Sphere", 3857),
        ("British_National_Grid", 27700),
        ("CH1903+_LV95", 2056),
    ];
    let code = CODES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    let of_zone = || {
        let zone = name.strip_prefix("WGS_1984_UTM_Zone_")?;
        let (zone, base) = zone
            .strip_suffix('N')
            .map(|zone| (zone, 32600))
            .or_else(|| Some((zone.strip_suffix('S')?, 32700)))?;
        let zone: u32 = zone.parse().ok()?;
        (1..=60).contains(&zone).then_some(base + zone)
    };
    code.or_else(of_zone).map(|code| format!("EPSG:{code}"))
}

impl fmt::Display for Crs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) if *code != self.name => write!(f, "{code} ({})", self.name),
            _ => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
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
}
