//! 轮询一圈：每块表问一次，错了再问两次。

use std::io::{Error, ErrorKind, Read, Write};

use crate::frame::{parse_answer, request};
use crate::spool::Reading;

const TRIES: usize = 3;
const TOTAL_REGISTER: u16 = 0x0000;

pub struct Config {
    pub port: String,
    pub spool: String,
    pub meters: Vec<u8>,
}

impl Config {
    /// 只认 `键 = 值`，不是完整的 TOML。
    pub fn load(path: &str) -> Result<Config, Error> {
        let text = std::fs::read_to_string(path)?;
        let find = |key: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(name, _)| name.trim() == key)
                .map(|(_, value)| value.trim().trim_matches('"').to_string())
                .ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("缺少 {key}")))
        };
        let list = find("meters")?;
        let meters = list.trim_matches(['[', ']']).split(',').filter_map(|n| n.trim().parse().ok()).collect();
        Ok(Config { port: find("port")?, spool: find("spool")?, meters })
    }
}

pub fn round<P: Read + Write>(port: &mut P, meters: &[u8]) -> Vec<Reading> {
    meters.iter().filter_map(|meter| ask(port, *meter).map(|litres| Reading { meter: *meter, litres })).collect()
}

fn ask<P: Read + Write>(port: &mut P, meter: u8) -> Option<u32> {
    for _ in 0..TRIES {
        port.write_all(&request(meter, TOTAL_REGISTER)).ok()?;
        let mut answer = [0u8; 9];
        if port.read_exact(&mut answer).is_ok() {
            if let Ok(litres) = parse_answer(&answer) {
                return Some(litres);
            }
        }
    }
    None
}
