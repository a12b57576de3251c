// Converts money; a tool that prints its error and exits.
// case rate unknown: convert EUR XAU 12 | convert USD zloty 3 | total EUR btc 4 | total CHF Lira 9
// case rate stale: convert EUR ARS 7 | convert USD ARS 80 | total CHF TRY 6 | total EUR TRY 88
// case amount parse: convert EUR USD 1,5 | convert CHF USD ten | total USD EUR 7e | total EUR CHF 0x
// case amount limit: convert EUR USD 9000001 | convert CHF USD 12000000 | total USD EUR 77000000 | total EUR CHF 8100000
use std::fmt;

enum ExchangeError {
	Unknown(String, String),
	Stale(String, String, &'static str),
	Amount(String, std::num::ParseIntError),
	Limit(u64),
}

impl fmt::Display for ExchangeError {
	fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
		match self {
			Self::Unknown(from, to) => write!(f, "no rate from {from} to {to}"),
			Self::Stale(from, to, day) => write!(f, "rate {from}/{to} is of {day}"),
			Self::Amount(text, error) => write!(f, "bad amount {text:?}: {error}"),
			Self::Limit(amount) => write!(f, "amount {amount} is above the limit of 8000000"),
		}
	}
}

fn rate(from: &str, to: &str) -> Result<u64, ExchangeError> {
	match to {
		"ARS" => Err(ExchangeError::Stale(from.into(), to.into(), "2021-04-01")),
		"TRY" => Err(ExchangeError::Stale(from.into(), to.into(), "2022-11-30")),
		"EUR" | "USD" | "CHF" => Ok(1),
		_ => Err(ExchangeError::Unknown(from.into(), to.into())),
	}
}

fn amount(text: &str) -> Result<u64, ExchangeError> {
	let value = text.parse().map_err(|error| ExchangeError::Amount(text.into(), error))?;
	if value > 8_000_000 { Err(ExchangeError::Limit(value)) } else { Ok(value) }
}

fn convert(from: &str, to: &str, text: &str) -> Result<u64, ExchangeError> {
	Ok(amount(text)? * rate(from, to)?)
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let result = convert(&args[2], &args[3], &args[4]);
	if let Err(error) = result {
		let prefix = if args[1] == "total" { "total: " } else { "" };
		eprintln!("exchange: {prefix}{error}");
		std::process::exit(2);
	}
}
