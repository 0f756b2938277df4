//! 存盘：一行一条读数，只追加。断电最多丢最后一行。

use std::fs::{File, OpenOptions};
use std::io::{Error, Write};

pub struct Reading {
    pub meter: u8,
    pub litres: u32,
}

pub struct Spool {
    file: File,
}

impl Spool {
    pub fn open(path: &str) -> Result<Spool, Error> {
        Ok(Spool { file: OpenOptions::new().create(true).append(true).open(path)? })
    }

    pub fn append(&mut self, reading: &Reading) -> Result<(), Error> {
        writeln!(self.file, "{} {}", reading.meter, reading.litres)?;
        self.file.sync_data()
    }
}
