//! Reads Arrow IPC: files (also known as Feather 2) and streams.
//!
//! The lengths of buffers are checked before a decoder reads them, because the decoder allocates any length that a message
//! states.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder};
use arrow_ipc::{
    Block, Message, MessageHeader, RecordBatch as Header, Schema as IpcSchema, root_as_footer,
    root_as_message,
};
use arrow_schema::{ArrowError, Schema};

use crate::collector::Collector;
use crate::guard::guarded;
use crate::positioned::Positioned;
use crate::table::{Plan, Scope, taker};
use crate::{Error, ReadOptions, Result};

/// The factor in the limit on the decompressed size of a message. A message of n bytes may claim at most `MOST_RATIO` times n
/// bytes, plus [`FREE_BYTES`]. The reader treats a greater claim as an attack.
const MOST_RATIO: u64 = 4096;
/// The number of decompressed bytes that a message of any size may claim, in addition to [`MOST_RATIO`] bytes for each byte of
/// the message.
const FREE_BYTES: u64 = 64 << 20;

/// An Arrow IPC file, in the file system or in memory.
pub(crate) enum Source {
    File(Positioned),
    Memory(Buffer),
}

impl Source {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Memory(buffer) => buffer.len() as u64,
        }
    }

    /// Returns the `length` bytes from the position `start` of the file, or `None` if the file ends before the last of them.
    /// Returns an error if the file cannot be read.
    fn bytes(&self, start: u64, length: u64) -> io::Result<Option<Buffer>> {
        if start.checked_add(length).is_none_or(|end| end > self.len()) {
            return Ok(None);
        }
        match self {
            Self::Memory(buffer) => Ok(Some(buffer.slice_with_length(start as usize, length as usize))),
            Self::File(file) => {
                let mut bytes = vec![0; length as usize];
                file.from(start).read_exact(&mut bytes)?;
                Ok(Some(Buffer::from(bytes)))
            }
        }
    }
}

/// Reads the features of an Arrow IPC file. Fails in the same cases as [`read`](crate::read()).
pub(crate) fn read_file<'a>(file: File, path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    let file = Positioned::new(file, options.progress.clone());
    let file = file.map_err(|source| Error::Read { path: path.into(), source })?;
    read_from(&Source::File(file), path, options)
}

/// Reads an Arrow IPC file from any source. Fails in the same cases as [`read`](crate::read()).
pub(crate) fn read_from<'a>(
    source: &Source,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    /// The number of bytes after the footer: the length of the footer, and the magic number.
    const TAIL: u64 = 10;
    let messages = Messages { path };
    let bytes = |start: u64, length: u64, what: &str| {
        let bytes =
            source.bytes(start, length).map_err(|source| Error::Read { path: path.into(), source })?;
        bytes.ok_or_else(|| {
            let file = source.len();
            messages
                .broken(&format!("{what} takes {length} bytes from byte {start} on, but the file has {file}"))
        })
    };
    if bytes(0, source.len().min(4), "its start")?.starts_with(b"FEA1") {
        let problem = "it is Feather 1, which has no geometries; write it as Feather 2".into();
        return Err(Error::Format { path: path.into(), problem });
    }
    let tail = source.len().saturating_sub(TAIL);
    let end = bytes(tail, TAIL, "its tail")?;
    if !end.ends_with(b"ARROW1") {
        return Err(messages.broken("it does not end with ARROW1"));
    }
    let length = end.first_chunk().map_or(-1, |&length| i32::from_le_bytes(length));
    let length = u64::try_from(length).ok().filter(|&length| length <= tail);
    let length = length.ok_or_else(|| messages.broken("the length of its footer exceeds the file"))?;
    let footer = bytes(tail - length, length, "its footer")?;
    let footer = root_as_footer(&footer).map_err(|error| messages.broken(&error.to_string()))?;
    let schema = footer.schema().ok_or_else(|| messages.broken("its footer has no schema"))?;
    messages.check_order(schema)?;
    let schema = guarded(path, || Ok(fb_to_schema(schema)))?;
    let (plan, mut collector) = messages.begin(&schema, options)?;
    let columns = plan.columns(Scope::All);
    let mut decoder = FileDecoder::new(schema.into(), footer.version()).with_projection(columns.clone());
    // Blocks must not overlap, so the sizes of all blocks must not add up to more than the size of the file.
    let mut left = source.len();
    let mut block_bytes = |block: &Block| -> Result<Buffer> {
        let [start, head, body] = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()]
            .map(|number| u64::try_from(number).unwrap_or(u64::MAX));
        let size = head.saturating_add(body);
        let buffer = bytes(start, size, "a message")?;
        left = left.checked_sub(size).ok_or_else(|| messages.broken("its messages overlap"))?;
        messages.check(&buffer[..head as usize], &buffer[head as usize..])?;
        Ok(buffer)
    };
    for block in footer.dictionaries().into_iter().flatten() {
        let buffer = block_bytes(block)?;
        guarded(path, || decoder.read_dictionary(block, &buffer).map_err(|error| messages.failed(&error)))?;
    }
    let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
    let mut blocks = blocks.iter();
    let next = || {
        let Some(block) = blocks.next() else { return Ok(None) };
        let buffer = block_bytes(block)?;
        guarded(path, || decoder.read_record_batch(block, &buffer).map_err(|error| messages.failed(&error)))
    };
    let naming = collector.naming();
    let stop = plan.parts(Scope::All, naming, next, taker(&mut collector)).err();
    collector.end(stop)
}

/// Reads the features of an Arrow IPC stream. Returns an error if the stream cannot be read or is not valid.
pub(crate) fn read_stream<'a>(
    reader: impl Read + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let messages = Messages { path };
    let (decoder, ready) = (StreamDecoder::new(), VecDeque::new());
    let mut stream = Stream { reader, messages, decoder, ready, has_ended: false };
    // The first message must be the schema.
    let first = stream.next()?;
    let schema = stream.decoder.schema().ok_or_else(|| messages.broken("it does not begin with a schema"))?;
    let (plan, mut collector) = messages.begin(&schema, options)?;
    let columns = plan.columns(Scope::All);
    let mut first = Some(first);
    let next = || {
        let batch = first.take().map_or_else(|| stream.next(), Ok)?;
        let project = |batch: RecordBatch| batch.project(&columns).map_err(|error| messages.failed(&error));
        batch.map(project).transpose()
    };
    let naming = collector.naming();
    let stop = plan.parts(Scope::All, naming, next, taker(&mut collector)).err();
    collector.end(stop)
}

struct Stream<'a, R> {
    reader: R,
    messages: Messages<'a>,
    decoder: StreamDecoder,
    /// The record batches that are decoded and not yet returned.
    ready: VecDeque<RecordBatch>,
    /// Whether the end of the stream was read.
    has_ended: bool,
}

impl<R: Read> Stream<'_, R> {
    /// Returns the next record batch, or `None` at the end of the stream. The first call also reads the schema. Returns
    /// an error if the stream is damaged.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while self.ready.is_empty() && !self.has_ended {
            // The decoder processes a message without a body only when more bytes follow. At the end, these bytes are
            // the end mark.
            const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];
            let message = self.message()?;
            self.has_ended = message.is_none();
            let (head, body) = message.unwrap_or_else(|| (Buffer::from(END), Buffer::default()));
            let (decoder, ready) = (&mut self.decoder, &mut self.ready);
            guarded(self.messages.path, || {
                for mut bytes in [head, body] {
                    while !bytes.is_empty() {
                        ready.extend(
                            decoder.decode(&mut bytes).map_err(|error| self.messages.failed(&error))?,
                        );
                    }
                }
                Ok(())
            })?;
        }
        Ok(self.ready.pop_front())
    }

    /// Returns the head and the body of the next message, or `None` at the end of the stream. Returns an error if the stream cannot
    /// be read, or if the message is incomplete or not valid.
    fn message(&mut self) -> Result<Option<(Buffer, Buffer)>> {
        const CONTINUATION: [u8; 4] = [0xFF; 4];
        let Some(mut prefix) = self.bytes(4)?.filter(|bytes| !bytes.is_empty()) else { return Ok(None) };
        if prefix == CONTINUATION {
            prefix.extend(self.bytes(4)?.ok_or_else(|| self.ends())?);
        }
        let length = prefix.last_chunk().map_or(-1, |&length| i32::from_le_bytes(length));
        if length == 0 {
            return Ok(None);
        }
        let length =
            u64::try_from(length).map_err(|_| self.messages.broken("a message has a negative length"))?;
        let start = prefix.len();
        prefix.extend(self.bytes(length)?.ok_or_else(|| self.ends())?);
        let length = self.messages.header(&prefix[start..])?.bodyLength();
        let length =
            u64::try_from(length).map_err(|_| self.messages.broken("a body has a negative length"))?;
        let body = self.bytes(length)?.ok_or_else(|| self.ends())?;
        self.messages.check(&prefix, &body)?;
        Ok(Some((prefix.into(), body.into())))
    }

    fn ends(&self) -> Error {
        self.messages.broken("it ends inside of a message")
    }

    /// Returns the next `count` bytes. Returns an empty list at the end of the stream, and `None` if the stream ends inside the
    /// bytes. Returns [`Error::Read`] if the stream cannot be read.
    fn bytes(&mut self, count: u64) -> Result<Option<Vec<u8>>> {
        // The memory grows with the bytes that were read, and not with a length that a damaged stream states.
        let mut bytes = Vec::new();
        let read = (&mut self.reader).take(count).read_to_end(&mut bytes);
        read.map_err(|source| Error::Read { path: self.messages.path.into(), source })?;
        Ok((bytes.is_empty() || bytes.len() as u64 == count).then_some(bytes))
    }
}

/// Checks the messages of a file before a decoder reads them.
#[derive(Clone, Copy)]
struct Messages<'a> {
    path: &'a Path,
}

impl<'a> Messages<'a> {
    fn begin(self, schema: &Schema, options: &'a ReadOptions) -> Result<(Plan<'a>, Collector<'a>)> {
        let mut collector = Collector::new(self.path, options);
        let geo = schema.metadata().get("geo").map(String::as_str);
        let plan = Plan::new(schema, geo, &[], self.path, options)?;
        plan.describe(&mut collector);
        Ok((plan, collector))
    }

    fn broken(self, problem: &str) -> Error {
        let problem = format!("not valid Arrow IPC: {problem}; write the file again");
        Error::Format { path: self.path.into(), problem }
    }

    /// Converts an error of the Arrow decoder. The decoder reads from memory only, so the error always means a damaged file.
    fn failed(self, error: &ArrowError) -> Error {
        self.broken(&error.to_string())
    }

    /// Parses the header of a message. Returns an error if the header is not valid. `bytes` begin after the length of the
    /// message.
    fn header(self, bytes: &[u8]) -> Result<Message<'_>> {
        root_as_message(bytes).map_err(|error| self.broken(&error.to_string()))
    }

    /// Checks the buffers of a message. Returns an error if a buffer is not in the body of the message. Also returns an
    /// error if a compressed buffer claims far more contents than its size allows. `head` begins with the length of the
    /// message.
    fn check(self, head: &[u8], body: &[u8]) -> Result<()> {
        let start = if head.starts_with(&[0xFF; 4]) { 8 } else { 4 };
        let message = self.header(head.get(start..).unwrap_or_default())?;
        if message.header_type() == MessageHeader::NONE {
            return Err(self.broken("a message has no contents"));
        }
        if let Some(schema) = message.header_as_schema() {
            self.check_order(schema)?;
        }
        let of_dictionary = || message.header_as_dictionary_batch().and_then(|batch| batch.data());
        let Some(batch) = message.header_as_record_batch().or_else(of_dictionary) else { return Ok(()) };
        self.check_buffers(batch, body)
    }

    /// Returns an error if the byte order of the file's numbers is not the byte order of this machine.
    fn check_order(self, schema: IpcSchema<'_>) -> Result<()> {
        if schema.endianness().equals_to_target_endianness() {
            return Ok(());
        }
        let problem =
            "its numbers are in the byte order of another machine; write it on a little-endian machine";
        Err(Error::Format { path: self.path.into(), problem: problem.into() })
    }

    fn check_buffers(self, batch: Header<'_>, body: &[u8]) -> Result<()> {
        let is_compressed = batch.compression().is_some();
        let most = FREE_BYTES.saturating_add(MOST_RATIO.saturating_mul(body.len() as u64));
        let mut held = 0u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let range = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
            let bytes = range.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
            let bytes = bytes.ok_or_else(|| self.broken("a buffer is not in the body of its message"))?;
            if !is_compressed || bytes.is_empty() {
                continue;
            }
            // The length -1 marks a buffer that is not compressed.
            let length = bytes.first_chunk().map_or(-2, |&length| i64::from_le_bytes(length));
            held = held.saturating_add(u64::try_from(length).unwrap_or(0));
            if length < -1 || held > most {
                return Err(self.broken(&format!(
                    "a compressed buffer of {} bytes says that it holds {length}; a message of {} bytes may hold {most}",
                    bytes.len(),
                    body.len()
                )));
            }
        }
        Ok(())
    }
}
