//! 轮询水表，读数先落盘再上传。

mod crc;
mod frame;
mod poll;
mod spool;

use std::fs::OpenOptions;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("用法：meter-gateway 配置文件");
        return ExitCode::from(2);
    };
    let config = match poll::Config::load(&path) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("{path}：{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut port = OpenOptions::new().read(true).write(true).open(&config.port).expect("串口打不开");
    let mut spool = spool::Spool::open(&config.spool).expect("存盘文件打不开");
    loop {
        for reading in poll::round(&mut port, &config.meters) {
            if let Err(error) = spool.append(&reading) {
                eprintln!("存盘失败：{error}");
            }
        }
    }
}
