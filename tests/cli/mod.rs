//! The command line, as a user meets it: what is read, what is written, what is said, and the exit codes.

mod bench;
mod commands;
mod damaged;
mod decimals;
mod endings;
mod explain;
mod faults;
mod figures;
mod folder;
mod formats;
mod limits;
mod names;
mod near_points;
mod options;
mod output;
mod points;
mod sim;
mod streams;
mod waits;
