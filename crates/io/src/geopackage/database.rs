//! Opens a database that may be hostile.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{Error, Result};

/// The number of steps of SQLite between two checks whether a query exceeds its limit of steps.
const STEPS_AT_ONCE: i32 = 10_000;
/// The number of steps that SQLite may take to read a file of any size.
const FREE_STEPS: u64 = 50_000_000;
/// The number of further steps of SQLite that are allowed for each byte of the file. A row has at least a few bytes and takes
/// about ten steps.
const STEPS_OF_A_BYTE: u64 = 20;

/// Opens the database at `path` so that no code in it runs. Also returns the size of the file in bytes.
///
/// # Errors
/// Returns an error if the file cannot be read, if it is truncated, if a part of its contents is in another file, or if
/// SQLite rejects it.
pub(super) fn open(path: &Path) -> Result<(Connection, u64)> {
    let unreadable = |source| Error::Read { path: path.into(), source };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    check_size(path, size)?;
    refuse_log(path)?;
    // With these flags, SQLite neither locks the file nor looks for a journal.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let name = format!("file:{}?immutable=1", in_uri(path));
    let mut connection = Connection::open_with_flags(name, flags).map_err(|error| failed(&error, path))?;
    protect(&mut connection, size).map_err(|error| failed(&error, path))?;
    Ok((connection, size))
}

/// Returns an error if the file has fewer bytes than its header says. SQLite rejects such a file, too, but does not
/// give the reason.
fn check_size(path: &Path, size: u64) -> Result<()> {
    /// The size of the header of a SQLite database, in bytes.
    const HEADER: usize = 100;
    let unreadable = |source| Error::Read { path: path.into(), source };
    let mut header = [0; HEADER];
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let cut = |expected: u64| {
        let problem = format!("it has {size} bytes, but its header says {expected}; copy the file again");
        Error::Format { path: path.into(), problem }
    };
    match (&file).read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            let problem = format!(
                "it has {size} bytes, and the header of a GeoPackage has {HEADER}; copy the file again"
            );
            return Err(Error::Format { path: path.into(), problem });
        }
        Err(error) => return Err(unreadable(error)),
    }
    let number = |at: usize| {
        u64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]))
    };
    // The value 1 means a page size of 65,536 bytes.
    let page = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 1 << 16,
        page => page,
    };
    // The number of pages is valid only if the two change counters are equal.
    let expected = number(28) * page;
    if number(24) == number(92) && expected > size { Err(cut(expected)) } else { Ok(()) }
}

/// Returns an error if the newest contents of the database are in another file.
fn refuse_log(path: &Path) -> Result<()> {
    for ending in ["-wal", "-journal"] {
        let mut log = path.as_os_str().to_owned();
        log.push(ending);
        let log = PathBuf::from(log);
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            let problem = format!(
                "a part of its contents is in {}, which another program has not finished; close this program, or copy the layer (`ogr2ogr out.gpkg in.gpkg`)",
                log.display()
            );
            return Err(Error::Format { path: path.into(), problem });
        }
    }
    Ok(())
}

/// Returns a path as a URI for SQLite. Special characters are escaped.
fn in_uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(absolute.as_os_str()).to_vec();
    // In a URI, a slash comes before the drive, and slashes separate folders.
    #[cfg(not(unix))]
    let bytes = format!("/{}", absolute.to_string_lossy().replace('\\', "/")).into_bytes();
    let mut uri = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b':') {
            uri.push(byte.into());
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// Disables all code in a database file of `size` bytes, and limits the steps of SQLite. Returns an error if SQLite rejects a
/// setting.
fn protect(connection: &mut Connection, size: u64) -> rusqlite::Result<()> {
    const LEAST_LENGTH: u64 = 1 << 20;
    const MOST_LENGTH: u64 = 1_000_000_000;
    for (limit, most) in [
        // No value can be longer than the file.
        (Limit::SQLITE_LIMIT_LENGTH, size.clamp(LEAST_LENGTH, MOST_LENGTH) as i32),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 4),
        (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 10),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    for (setting, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        // Makes an unknown name an error, and not a text.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    ] {
        connection.set_db_config(setting, value)?;
    }
    connection.pragma_update(None, "cell_size_check", true)?;
    // If a mapped file becomes shorter, the process crashes.
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.authorizer(Some(|context: AuthContext<'_>| match context.action {
        AuthAction::Select | AuthAction::Read { .. } => Authorization::Allow,
        AuthAction::Function { function_name: "octet_length" | "ifnull" } => Authorization::Allow,
        AuthAction::Pragma { pragma_name: "table_xinfo", .. } => Authorization::Allow,
        _ => Authorization::Deny,
    }))?;
    let mut left = FREE_STEPS.saturating_add(size.saturating_mul(STEPS_OF_A_BYTE)) / STEPS_AT_ONCE as u64;
    connection.progress_handler(
        STEPS_AT_ONCE,
        Some(move || {
            left = left.saturating_sub(1);
            left == 0
        }),
    )
}

pub(super) fn broken(path: &Path, problem: &str) -> Error {
    let problem = format!("not a valid GeoPackage: {problem}; write the file again");
    Error::Format { path: path.into(), problem }
}

/// Converts an error of SQLite to an error about the file at `path`.
pub(super) fn failed(error: &rusqlite::Error, path: &Path) -> Error {
    failed_in(error, path, "")
}

/// Converts an error of SQLite. `place` describes the position of the error and ends with `: `.
pub(super) fn failed_in(error: &rusqlite::Error, path: &Path, place: &str) -> Error {
    let text = match error {
        rusqlite::Error::SqliteFailure(code, text) => match (code.code, text) {
            (ErrorCode::OperationInterrupted, _) => {
                "it takes more steps than a file of its size needs".into()
            }
            (_, Some(text)) => text.clone(),
            (code, None) => format!("{code:?}"),
        },
        // The text of the whole error would include the query.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    broken(path, &format!("{place}{}", text.lines().next().unwrap_or_default()))
}
