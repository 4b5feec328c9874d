//! As much of the WebSocket framing as a load client needs (RFC 6455, section 5.2).
//!
//! A library would buffer, check and copy what is known here beforehand, and the benchmark shares its processors with the server.

use std::ops::Range;

use anyhow::{Result, bail, ensure};

pub(super) const TEXT: u8 = 0x1;
pub(super) const CLOSE: u8 = 0x8;
pub(super) const PING: u8 = 0x9;
pub(super) const PONG: u8 = 0xA;

/// No reply of a benchmark comes near this; a longer one is a broken frame.
const LONGEST: usize = 16 * 1024 * 1024;
/// Any key will do where nobody is in between. Not zero, so that the server has its usual work.
const KEY: [u8; 4] = [0x37, 0xFA, 0x21, 0x3D];

const FINAL: u8 = 0x80;
const MASKED: u8 = 0x80;
/// In place of a length: it stands in the next two bytes, or in the next eight.
const IN_TWO: u8 = 126;
const IN_EIGHT: u8 = 127;

/// Where a frame from the server lies in the bytes that it was found in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) opcode: u8,
    pub(super) payload: Range<usize>,
}

/// A frame from a client, ready to be sent.
pub(super) fn encode(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![FINAL | opcode];
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(length @ 0..=125), _) => frame.push(MASKED | length),
        (_, Ok(length)) => {
            frame.push(MASKED | IN_TWO);
            frame.extend(length.to_be_bytes());
        }
        _ => {
            frame.push(MASKED | IN_EIGHT);
            frame.extend((payload.len() as u64).to_be_bytes());
        }
    }
    frame.extend(KEY);
    let masked = payload.iter().zip(KEY.iter().cycle());
    frame.extend(masked.map(|(byte, key)| byte ^ key));
    frame
}

/// Finds the frame at the start of `bytes`, or nothing when its end has not arrived.
pub(super) fn find(bytes: &[u8]) -> Result<Option<Frame>> {
    let &[first, second, ref rest @ ..] = bytes else {
        return Ok(None);
    };
    // Nothing was negotiated that would set a reserved bit, and neither server splits a message.
    ensure!(
        first & 0xF0 == FINAL && second & MASKED == 0,
        "the server sent a frame that starts with {first:#04x} {second:#04x}"
    );
    let (start, length) = match second {
        IN_TWO => match rest.first_chunk() {
            Some(length) => (4, u64::from(u16::from_be_bytes(*length))),
            None => return Ok(None),
        },
        IN_EIGHT => match rest.first_chunk() {
            Some(length) => (10, u64::from_be_bytes(*length)),
            None => return Ok(None),
        },
        length => (2, u64::from(length)),
    };
    let length = match usize::try_from(length) {
        Ok(length) if length <= LONGEST => length,
        _ => bail!("the server announced a frame of {length} bytes"),
    };
    let payload = start..start + length;
    Ok((payload.end <= bytes.len()).then_some(Frame {
        opcode: first & 0x0F,
        payload,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_length_form_are_found_when_complete() {
        let long = 70_000_u64.to_be_bytes();
        let cases: [(&[u8], usize); 4] = [
            (&[0x81, 0], 0),
            (&[0x81, 125], 125),
            (&[0x81, 126, 0, 200], 200),
            (&[&[0x81, 127], long.as_slice()].concat(), 70_000),
        ];
        for (header, length) in cases {
            let mut bytes = header.to_vec();
            bytes.resize(header.len() + length, b'x');
            for missing in 1..=bytes.len().min(12) {
                let found = find(&bytes[..bytes.len() - missing]).expect("the start is valid");
                assert_eq!(found, None, "{missing} bytes of {header:?} missing");
            }
            bytes.push(0x89);
            let frame = find(&bytes).expect("the frame is valid");
            let payload = header.len()..header.len() + length;
            let opcode = TEXT;
            assert_eq!(frame, Some(Frame { opcode, payload }));
        }
    }

    #[test]
    fn frames_that_no_server_sends_are_refused() {
        assert!(find(&[0x01, 0]).is_err(), "not final");
        assert!(find(&[0xC1, 0]).is_err(), "compressed");
        assert!(find(&[0x81, 0x80]).is_err(), "masked");
        let endless = [&[0x81, 127], u64::MAX.to_be_bytes().as_slice()].concat();
        assert!(find(&endless).is_err(), "endless");
    }

    #[test]
    fn encoded_frames_are_masked() {
        for (length, header) in [
            (3, vec![0x81, 0x83]),
            (126, vec![0x81, 0xFE, 0, 126]),
            (65_536, vec![0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            let payload = vec![b'x'; length];
            let frame = encode(TEXT, &payload);
            let (start, rest) = frame.split_at(header.len());
            assert_eq!(start, header);
            let (key, masked) = rest.split_at(4);
            let unmasked = masked.iter().zip(key.iter().cycle()).map(|(b, k)| b ^ k);
            assert!(unmasked.eq(payload));
        }
    }
}
