//! `sat2d schema`: writes the JSON Schema of a JSON file that sat2d writes.

use clap::{Args, ValueEnum};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};

use super::contents::Report;
use super::outputs::{TextOutput, check_ending};
use super::statistics::Statistics;
use super::{Outcome, bench};
use crate::error::{Error, Result};

const EXAMPLES: &str = "\
Examples:
  sat2d schema stats
  sat2d schema bench -o bench.schema.json
  sat2d schema worlds | jq '.\"$defs\".Row.properties'

Exit codes: 0 written, 2 error.";

/// Print the JSON Schema of a JSON file that sat2d writes: the name, the type, the unit and the meaning of each field.
///
/// The schema is JSON Schema, draft 2020-12. It describes the files that this version of sat2d writes. A later version may add
/// fields, which the schema allows.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The kind of file.
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,
    #[command(flatten)]
    output: TextOutput,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// The file of `sat2d join --stats FILE`.
    Stats,
    /// The output of `sat2d info FILE --json`.
    Info,
    /// The file of `sat2d bench --json FILE`.
    Bench,
    /// The file of `sat2d bench --worlds --json FILE`.
    Worlds,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let output = &arguments.output;
    let problem = "names another format, but a schema is JSON; end it in .json";
    check_ending("--output", output.path(), &["json"], problem)?;
    let schema = match arguments.kind {
        Kind::Stats => schema_of::<Statistics>(),
        Kind::Info => schema_of::<Report>(),
        Kind::Bench => bench::schema(),
        Kind::Worlds => bench::schema_of_worlds(),
    };
    let text = serde_json::to_string_pretty(&schema);
    let text = text.map_err(|source| Error::write(output.name(), source.into()))? + "\n";
    output.write(text.as_bytes())?;
    Ok(Outcome::Answered)
}

/// Returns the schema of the JSON that serde writes for `T`. Its descriptions are the doc comments of `T`, each on one line.
pub(super) fn schema_of<T: JsonSchema>() -> Schema {
    let on_one_line = RecursiveTransform(|schema: &mut Schema| {
        if let Some(description) = schema.get_mut("description")
            && let Some(text) = description.as_str()
        {
            *description = text.replace('\n', " ").into();
        }
    });
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(on_one_line);
    settings.into_generator().into_root_schema_for::<T>()
}
