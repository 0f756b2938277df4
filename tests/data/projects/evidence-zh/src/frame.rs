//! 读保持寄存器的请求和应答。

use crate::crc::crc16;

#[derive(Debug, PartialEq)]
pub enum FrameError {
    Short,
    Crc,
    Exception(u8),
}

/// 请求：从 `register` 起读两个寄存器（一个 32 位的累计量，单位升）。
pub fn request(meter: u8, register: u16) -> [u8; 8] {
    let [high, low] = register.to_be_bytes();
    let mut bytes = [meter, 0x03, high, low, 0x00, 0x02, 0, 0];
    let crc = crc16(&bytes[..6]);
    bytes[6..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// 应答里的累计量，升。
pub fn parse_answer(bytes: &[u8]) -> Result<u32, FrameError> {
    if bytes.len() < 5 {
        return Err(FrameError::Short);
    }
    let (body, crc) = bytes.split_at(bytes.len() - 2);
    if crc16(body).to_le_bytes() != crc {
        return Err(FrameError::Crc);
    }
    if body[1] & 0x80 != 0 {
        return Err(FrameError::Exception(body[2]));
    }
    let data = body.get(3..7).ok_or(FrameError::Short)?;
    Ok(u32::from_be_bytes([data[0], data[1], data[2], data[3]]))
}
