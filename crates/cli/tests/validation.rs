//! Compares a JSON value with a JSON Schema. The comparison knows the keywords that `sat2d schema` prints, and no
//! others.
//!
//! The comparison is stricter than JSON Schema in one point: a field that the schema does not describe is a problem,
//! too.

use serde_json::{Map, Value};

/// The keywords of JSON Schema that describe a value and do not restrict it.
const NOTES: [&str; 6] = ["$schema", "$defs", "title", "description", "default", "format"];

/// Returns the places at which a value does not fit a schema, each with the reason.
pub(crate) fn problems(value: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validation { root: schema }.check(value, schema, "$", &mut found);
    found
}

struct Validation<'a> {
    root: &'a Value,
}

impl Validation<'_> {
    /// Adds the places at which `value` does not fit `schema` to `found`. `place` is the path of the value, which messages
    /// contain.
    fn check(&self, value: &Value, schema: &Value, place: &str, found: &mut Vec<String>) {
        let Some(schema) = schema.as_object() else {
            found.push(format!("{place}: the schema {schema} is no object"));
            return;
        };
        for (keyword, argument) in schema {
            match keyword.as_str() {
                note if NOTES.contains(&note) => {}
                "$ref" => self.check(value, self.definition(argument), place, found),
                "type" if !has_type(value, argument) => {
                    found.push(format!("{place}: {value} is no {argument}"))
                }
                "const" if value != argument => found.push(format!("{place}: {value} is not {argument}")),
                "enum" if !listed(argument).contains(value) => found.push(format!("{place}: {value}")),
                "minimum" if number(value, argument).is_some_and(|(value, least)| value < least) => {
                    found.push(format!("{place}: {value}"))
                }
                "maximum" if number(value, argument).is_some_and(|(value, most)| value > most) => {
                    found.push(format!("{place}: {value}"))
                }
                "minItems" if length(value, argument).is_some_and(|(count, least)| count < least) => {
                    found.push(format!("{place}: too short"))
                }
                "maxItems" if length(value, argument).is_some_and(|(count, most)| count > most) => {
                    found.push(format!("{place}: too long"))
                }
                "type" | "const" | "enum" | "minimum" | "maximum" | "minItems" | "maxItems" => {}
                "required" => missing(value, argument, place, found),
                "properties" => self.check_fields(value, argument, place, found),
                "items" => self.check_items(value, |_| Some(argument), place, found),
                "prefixItems" => self.check_items(value, |index| argument.get(index), place, found),
                "additionalProperties" if *argument == Value::Bool(false) => {}
                "anyOf" | "oneOf" => self.check_alternatives(value, argument, place, found),
                _ => found.push(format!("{place}: unknown keyword {keyword}")),
            }
        }
    }

    /// Returns the schema that a reference such as `#/$defs/Row` names.
    fn definition(&self, reference: &Value) -> &Value {
        let name = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
        name.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(&Value::Null)
    }

    fn check_fields(&self, value: &Value, schemas: &Value, place: &str, found: &mut Vec<String>) {
        for (name, field) in fields(value) {
            match schemas.get(name) {
                Some(schema) => self.check(field, schema, &format!("{place}.{name}"), found),
                None => found.push(format!("{place}.{name}: not in the schema")),
            }
        }
    }

    fn check_items<'b>(
        &self,
        value: &Value,
        schema: impl Fn(usize) -> Option<&'b Value>,
        place: &str,
        found: &mut Vec<String>,
    ) {
        for (index, item) in listed(value).iter().enumerate() {
            if let Some(schema) = schema(index) {
                self.check(item, schema, &format!("{place}[{index}]"), found);
            }
        }
    }

    /// Checks that exactly one of the alternative schemas fits. No two alternatives of the schemas of `sat2d` overlap.
    fn check_alternatives(&self, value: &Value, schemas: &Value, place: &str, found: &mut Vec<String>) {
        let differences = listed(schemas).iter().map(|schema| {
            let mut found = Vec::new();
            self.check(value, schema, place, &mut found);
            found
        });
        let differences: Vec<Vec<String>> = differences.collect();
        if differences.iter().filter(|found| found.is_empty()).count() != 1 {
            found.push(format!("{place}: not exactly one alternative fits"));
            found.extend(differences.into_iter().flatten());
        }
    }
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn listed(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a number and its bound as f64, or `None` if the value is not a number.
fn number(value: &Value, bound: &Value) -> Option<(f64, f64)> {
    value.as_f64().zip(bound.as_f64())
}

/// Returns the number of items of an array, and the bound of this number. Returns `None` if the value is not an array.
fn length(value: &Value, bound: &Value) -> Option<(u64, u64)> {
    value.as_array().map(|items| items.len() as u64).zip(bound.as_u64())
}

fn missing(value: &Value, required: &Value, place: &str, found: &mut Vec<String>) {
    let names = listed(required).iter().filter_map(Value::as_str);
    let missing = names.filter(|name| value.is_object() && value.get(name).is_none());
    found.extend(missing.map(|name| format!("{place}.{name}: missing")));
}

/// Returns whether a value has a type, or one type of a list.
fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) => false,
        None => listed(name).iter().any(|name| has_type(value, name)),
    }
}
