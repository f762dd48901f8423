//! What several integration tests share. Each of them uses a part.
#![allow(dead_code)]

pub(crate) mod cases;
pub(crate) mod covers;
pub(crate) mod oracle;
pub(crate) mod strategies;
