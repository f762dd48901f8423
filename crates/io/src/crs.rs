//! Coordinate reference systems, to the extent that a planar library needs them.

use std::fmt;

use serde_json::Value;

/// The coordinate reference system that a file states. Coordinates are never transformed: they are taken as planar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crs {
    /// The authority and the code of the system, such as `EPSG:2056`. `None` if the reader finds neither a code nor a
    /// known name.
    code: Option<String>,
    /// The name of the system for messages. It is the code if the file states only a code, and a substitute if it
    /// states neither.
    name: String,
    kind: Kind,
}

/// The kind of the coordinates of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The coordinates are longitudes and latitudes.
    Geographic,
    /// The coordinates are lengths in a plane.
    Projected,
    /// The kind is another one, or the file does not show it.
    Unknown,
}

impl Kind {
    /// Returns this kind, or `other` if this kind is unknown.
    fn or(self, other: Self) -> Self {
        if self == Self::Unknown { other } else { self }
    }

    /// Returns the kind of the system that well-known text describes.
    fn of_text(text: &str) -> Self {
        let upper = text.to_uppercase();
        let mut rest = upper.as_str();
        while let Some((word, inner)) = rest.split_once(['[', '(']) {
            match word.trim() {
                "PROJCS" | "PROJCRS" | "PROJECTEDCRS" | "DERIVEDPROJCRS" => return Self::Projected,
                // A geodetic system can also have three coordinates from the centre of the earth.
                "GEODCRS" | "GEODETICCRS" if upper.contains("CARTESIAN") => return Self::Unknown,
                "GEODCRS" | "GEODETICCRS" => return Self::Geographic,
                word if word.starts_with("GEOG") => return Self::Geographic,
                "BOUNDCRS" | "SOURCECRS" => rest = inner,
                // The first system of a compound system has x and y. It follows the name of the compound system.
                "COMPD_CS" | "COMPOUNDCRS" => {
                    let after_name = inner.splitn(3, '"').nth(2).unwrap_or_default();
                    rest = after_name.trim_start_matches([',', ' ', '\t', '\r', '\n']);
                }
                _ => return Self::Unknown,
            }
        }
        Self::Unknown
    }

    /// Returns the kind of the system with a code. The result is [`Kind::Unknown`] for many codes, because the numbers of
    /// EPSG have no order. Within each range below, all systems of EPSG 12 have the same kind.
    fn of_code(code: &str) -> Self {
        match code.split_once(':') {
            Some(("OGC", "CRS27" | "CRS83" | "CRS84" | "CRS84H")) => Self::Geographic,
            Some(("EPSG", number)) => match number.parse() {
                Ok(
                    4001..=4025
                    | 4120..=4216
                    | 4218..=4327
                    | 4490
                    | 4600..=4646
                    | 4657..=4765
                    | 4937
                    | 4979
                    | 6668
                    | 7844,
                ) => Self::Geographic,
                Ok(2000..=3816 | 3857 | 20047..=32799) => Self::Projected,
                _ => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }

    /// Returns the kind that a type of PROJJSON names.
    fn of_type(name: &str) -> Self {
        match name {
            "ProjectedCRS" | "DerivedProjectedCRS" => Self::Projected,
            name if name.starts_with("Geographic") => Self::Geographic,
            _ => Self::Unknown,
        }
    }
}

impl Crs {
    /// Returns the system of a GeoParquet file that does not name a system: longitude and latitude.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "no other format states a system yet"))]
    pub(crate) fn crs84() -> Self {
        Self::from_text("OGC:CRS84")
    }

    /// Returns the system of a JSON value: an object in PROJJSON, or a text. [`Crs::from_text`] describes the texts.
    /// Returns `None` for a value of another type.
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
                // The inner system. A bound system adds a transformation to it, and a compound system adds heights.
                let inner = members.get("source_crs").or_else(|| members.get("components")?.get(0));
                let inner = inner.and_then(Self::from_json);
                let kind = Kind::of_type(members.get("type").and_then(Value::as_str).unwrap_or_default());
                let kind = kind.or(inner.as_ref().map_or(Kind::Unknown, |inner| inner.kind));
                // The code of a compound system also stands for heights, which are ignored.
                let own_code = code.filter(|_| !members.contains_key("components"));
                let code = own_code.or_else(|| inner?.code);
                let kind = kind.or(code.as_deref().map_or(Kind::Unknown, Kind::of_code));
                Some(Self { code, name, kind })
            }
            _ => None,
        }
    }

    /// Returns the system of the member `crs` of a GeoJSON object. The forms of the member are a text, an object of type
    /// `name` with a name (GeoJSON 2008), and an object of type `EPSG` with a code (earlier drafts). Returns `None` for
    /// any other form, such as a link to a description.
    pub(crate) fn from_geojson(value: &Value) -> Option<Self> {
        let properties = &value["properties"];
        let text = match (value, value["type"].as_str()) {
            (Value::String(text), _) => text.clone(),
            (_, Some("name")) => properties["name"].as_str()?.to_owned(),
            (_, Some("EPSG")) => format!("EPSG:{}", properties["code"].as_u64()?),
            _ => return None,
        };
        (!text.trim().is_empty()).then(|| Self::from_text(&text))
    }

    /// Returns the system that a text describes: an authority with a code, or well-known text. Any other text becomes
    /// the name.
    pub(crate) fn from_text(text: &str) -> Self {
        let text = text.trim();
        if let Some(code) = code_in_name(text) {
            let kind = Kind::of_code(&code);
            return Self { name: code.clone(), code: Some(code), kind };
        }
        let name = text.split('"').nth(1).unwrap_or(text);
        // The code of a compound system also stands for heights, which are ignored.
        let is_compound =
            ["COMPD_CS", "COMPOUNDCRS"].iter().any(|word| text.to_uppercase().starts_with(word));
        let code = code_in_text(text).filter(|_| !is_compound).or_else(|| code_of_name(name));
        let kind = Kind::of_text(text).or(code.as_deref().map_or(Kind::Unknown, Kind::of_code));
        Self { code, name: name.into(), kind }
    }

    /// Returns the system of an SRID, which is the number of a system in PostGIS. The SRIDs up to 32767, and the usual
    /// SRIDs of Web Mercator, are codes of EPSG.
    pub(crate) fn from_srid(srid: u32) -> Self {
        const MOST_EPSG: u32 = 32_767;
        if srid <= MOST_EPSG || usual_srid(srid) != srid {
            return Self::from_text(&format!("EPSG:{srid}"));
        }
        // A database can give any system a greater number.
        Self { code: None, name: format!("SRID {srid}"), kind: Kind::Unknown }
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
            crs.kind = crs.kind.or(of_code.kind);
            crs.code = of_code.code;
        }
        if !name.is_empty() {
            crs.name = name.into();
        }
        Some(crs)
    }

    /// Returns the name of the system for messages. It is the code if the file states only a code.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the coordinates are known to be longitude and latitude in degrees. Such coordinates are not
    /// planar.
    #[must_use]
    pub fn is_geographic(&self) -> bool {
        self.kind == Kind::Geographic
    }

    /// Returns true if the two systems certainly differ. They differ if both have a code of the same authority, and the
    /// codes mean different systems. Systems without a common code also differ if one is geographic and the other is
    /// projected.
    ///
    /// In all other cases, returns false, because one system may have several names, and several authorities may each have
    /// a code for it.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> bool {
        let codes = self.usual_code().zip(other.usual_code());
        if codes.as_ref().is_some_and(|(a, b)| a == b) {
            return false;
        }
        let authority = |code: &str| code.split(':').next().map(str::to_owned);
        matches!(
            (self.kind, other.kind),
            (Kind::Geographic, Kind::Projected) | (Kind::Projected, Kind::Geographic)
        ) || codes.is_some_and(|(a, b)| authority(&a) == authority(&b))
    }

    /// Returns whether the two systems are certainly the same: they are equal, or have codes that mean the same.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self == other || self.usual_code().zip(other.usual_code()).is_some_and(|(a, b)| a == b)
    }

    /// Returns the code that is usual for the system, or `None` if the system has no code. Several codes mean the same
    /// here, because files store the longitude first, whatever order EPSG defines, and because heights are ignored.
    fn usual_code(&self) -> Option<String> {
        let code = self.code.as_deref()?.to_uppercase();
        let srid = match code.split_once(':') {
            Some(("OGC", "CRS84" | "CRS84H")) => Some(4326),
            Some(("OGC", "CRS83")) => Some(4269),
            Some(("OGC", "CRS27")) => Some(4267),
            Some(("EPSG", number)) => number.parse().ok().map(usual_srid),
            Some(("ESRI", number)) => {
                number.parse().ok().filter(|&srid| usual_srid(srid) != srid).map(usual_srid)
            }
            _ => None,
        };
        Some(srid.map_or(code, |srid| format!("EPSG:{srid}")))
    }
}

/// Returns whether two systems certainly differ ([`Crs::differs_from`]). The systems are given as [`Crs`] displays them: a code,
/// a name, or a code and a name in parentheses.
#[must_use]
pub fn systems_differ(a: &str, b: &str) -> bool {
    let of = |text: &str| {
        let code = text.split_once(" (").map(|(code, _)| code).filter(|code| code_in_name(code).is_some());
        Crs::from_text(code.unwrap_or(text))
    };
    of(a).differs_from(&of(b))
}

/// Returns the usual EPSG code of the system with the EPSG code or SRID `srid`. Returns `srid` itself for most systems.
pub(crate) fn usual_srid(srid: u32) -> u32 {
    match srid {
        // Web Mercator had several codes before EPSG gave it one.
        3785 | 102_100 | 102_113 | 900_913 => 3857,
        // These systems also have heights.
        4979 => 4326,
        4937 => 4258,
        srid => srid,
    }
}

/// Returns the authority and the code if a text consists of them: `EPSG:4326`, `urn:ogc:def:crs:EPSG::4326`,
/// `http://www.opengis.net/def/crs/EPSG/0/4326`, `srid:4326` or `CRS84`. Returns `None` for any other text.
fn code_in_name(text: &str) -> Option<String> {
    const NAMES: [&str; 2] = ["URN:OGC:DEF:CRS:", "URN:X-OGC:DEF:CRS:"];
    const ADDRESSES: [&str; 2] = ["HTTP://WWW.OPENGIS.NET/DEF/CRS/", "HTTPS://WWW.OPENGIS.NET/DEF/CRS/"];
    let upper = text.to_uppercase();
    let after = |starts: [&str; 2]| starts.iter().find_map(|start| upper.strip_prefix(start));
    let parts: Vec<&str> = match (after(NAMES), after(ADDRESSES)) {
        (Some(rest), _) => rest.split(':').collect(),
        (_, Some(rest)) => rest.split('/').collect(),
        _ => upper.split(':').collect(),
    };
    let has_version = parts.len() == 3 && parts.len() < upper.split([':', '/']).count();
    let (authority, code) = match parts[..] {
        [authority, code] => (authority, code),
        [authority, _, code] if has_version => (authority, code),
        ["CRS84"] => ("OGC", "CRS84"),
        _ => return None,
    };
    let authority = if authority == "SRID" { "EPSG" } else { authority };
    let is_plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    // `PROJJSON` precedes the key of a description that is elsewhere in the file.
    (authority != "PROJJSON" && is_plain(authority) && is_plain(code)).then(|| format!("{authority}:{code}"))
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

/// Returns the code of a system that Esri files identify only by its name. Returns `None` for an unknown name.
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
mod tests;
