//! A small picture as a PNG file.

use std::io::Write as _;

use flate2::{Compression, Crc, write::ZlibEncoder};
use openenv::Result;

const SIDE: u32 = 48;

/// A round plate of a colour on a table.
pub(crate) fn plate(colour: [u8; 3]) -> Result<Vec<u8>> {
    let middle = i64::from(SIDE / 2);
    let mut pixels = Vec::new();
    for row in 0..i64::from(SIDE) {
        // Every row begins with the way it is written: as it is.
        pixels.push(0);
        for column in 0..i64::from(SIDE) {
            let distance = (row - middle).pow(2) + (column - middle).pow(2);
            pixels.extend(match distance {
                0..=225 => colour,
                226..=400 => [245, 245, 245],
                _ => [120, 80, 50],
            });
        }
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&pixels)?;

    let mut header = Vec::new();
    header.extend(SIDE.to_be_bytes());
    header.extend(SIDE.to_be_bytes());
    // Eight bits for each of red, green and blue; nothing special.
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &packed.finish()?);
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).expect("the picture is small");
    file.extend(length.to_be_bytes());
    let begin = file.len();
    file.extend(kind);
    file.extend(content);
    let mut checksum = Crc::new();
    checksum.update(&file[begin..]);
    file.extend(checksum.sum().to_be_bytes());
}
