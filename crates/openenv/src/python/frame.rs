//! What travels between the server and a worker, as `worker/openenv_worker/protocol.py` has it.

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::LengthDelimitedCodec;

use crate::error::{Error, Kind, Result};

/// Changes whenever one side would not understand the other.
pub(super) const VERSION: u32 = 2;

/// Bytes of the header after the length.
const HEADER: usize = 12;

/// More than any observation: what is longer is no frame.
const LONGEST: usize = 1 << 30;

/// What the server asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ask {
    Open = 1,
    Reset = 2,
    Step = 3,
    State = 4,
    Close = 5,
    Tool = 6,
    Cancel = 7,
    Tasks = 8,
    Check = 9,
    About = 10,
    Spawn = 11,
    Tools = 12,
    View = 13,
}

/// What a worker says.
pub(super) mod say {
    pub(in crate::python) const OK: u8 = 128;
    pub(in crate::python) const INVALID: u8 = 129;
    pub(in crate::python) const FAILED: u8 = 130;
    pub(in crate::python) const UNSUPPORTED: u8 = 131;
    pub(in crate::python) const TASK_INDEX: u8 = 132;
    pub(in crate::python) const PROGRESS: u8 = 133;
    pub(in crate::python) const LOG: u8 = 134;
    pub(in crate::python) const HELLO: u8 = 135;
    pub(in crate::python) const REPORT: u8 = 136;
}

/// Flag of a reset, a step or a state whose answer goes over HTTP.
pub(super) const HTTP: u8 = 1;
/// Flag of a step before whose action come its options.
pub(super) const OPTIONS: u8 = 2;
/// Flag of a cancellation that must not be ignored.
pub(super) const FIRMLY: u8 = 1;

/// One frame from a worker.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) session: u32,
    pub(super) call: u32,
    pub(super) kind: u8,
    pub(super) flag: u8,
    pub(super) payload: Bytes,
}

impl Frame {
    /// # Errors
    /// If it is too short to be one.
    pub(super) fn read(mut bytes: BytesMut) -> Result<Self> {
        if bytes.len() < HEADER {
            return Err(Error::of(Kind::Answer, "a worker sent half a frame"));
        }
        let session = bytes.get_u32_le();
        let call = bytes.get_u32_le();
        let kind = bytes.get_u8();
        let flag = bytes.get_u8();
        bytes.advance(2);
        Ok(Self {
            session,
            call,
            kind,
            flag,
            payload: bytes.freeze(),
        })
    }
}

/// How frames are told apart.
pub(super) fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .little_endian()
        .length_field_length(4)
        // The length is that of the payload alone.
        .length_adjustment(HEADER.cast_signed())
        .num_skip(4)
        .max_frame_length(LONGEST)
        .new_codec()
}

/// A frame of several parts, ready to be sent.
///
/// # Errors
/// If it is longer than a frame can be.
pub(super) fn write(
    ask: Ask,
    session: u32,
    call: u32,
    flag: u8,
    parts: &[&[u8]],
) -> Result<Vec<u8>> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    if length > LONGEST {
        return Err(Error::of(Kind::TooLarge, "longer than a frame can be"));
    }
    let mut frame = Vec::with_capacity(4 + HEADER + length);
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&session.to_le_bytes());
    frame.extend_from_slice(&call.to_le_bytes());
    frame.extend_from_slice(&[ask as u8, flag, 0, 0]);
    for part in parts {
        frame.extend_from_slice(part);
    }
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use tokio_util::codec::Decoder;

    use super::*;

    #[test]
    fn frames_are_told_apart_however_they_arrive() {
        let mut sent = write(Ask::Step, 7, 9, HTTP, &[b"{\"a\":", b"1}"]).unwrap();
        sent.extend(write(Ask::Close, 8, 0, 0, &[]).unwrap());
        let mut codec = codec();
        let mut buffer = BytesMut::new();
        let mut frames = Vec::new();
        for byte in sent {
            buffer.extend_from_slice(&[byte]);
            while let Some(frame) = codec.decode(&mut buffer).unwrap() {
                frames.push(Frame::read(frame).unwrap());
            }
        }
        let [step, close] = frames.try_into().unwrap();
        assert_eq!((step.session, step.call), (7, 9));
        assert_eq!((step.kind, step.flag), (Ask::Step as u8, HTTP));
        assert_eq!(step.payload, &br#"{"a":1}"#[..]);
        assert_eq!((close.session, close.kind), (8, Ask::Close as u8));
        assert!(close.payload.is_empty());
    }
}
