// Bills customers; main returns boxed errors with sources.
// case total currency: bill 17 EURO 3 | bill 981 Usd 4 | batch 5 yen 5 | batch 44 XXX 1
// case total negative: bill 17 EUR -5 | bill 90 USD -1 | batch 8123 USD -75 | batch 3 EUR -120
// case charge declined: collect 8812 card 4000 | collect 1 card 9125 | dunning 77 card 5000 | dunning 90 card 6100
// case charge amount: collect 8 card 12,5 | collect 41 card ten | dunning 113 card 7e | dunning 9 card 0x9
use std::{error::Error, fmt};

struct BillingError {
	invoice: String,
	reason: String,
}

impl fmt::Display for BillingError {
	fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
		write!(f, "invoice {}: {}", self.invoice, self.reason)
	}
}

impl fmt::Debug for BillingError {
	fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
		fmt::Display::fmt(self, f)
	}
}

impl Error for BillingError {}

fn refused(invoice: &str, reason: String) -> Box<dyn Error> {
	Box::new(BillingError { invoice: invoice.into(), reason })
}

fn total(invoice: &str, currency: &str, value: i64) -> Result<String, Box<dyn Error>> {
	if !["EUR", "USD", "CHF"].contains(&currency) {
		return Err(refused(invoice, format!("unknown currency {currency}")));
	}
	if value < 0 {
		return Err(refused(invoice, format!("negative total of {value} {currency}")));
	}
	Ok(format!("{value} {currency}"))
}

fn charge(invoice: &str, value: &str) -> Result<(), Box<dyn Error>> {
	let amount: u32 = value.parse()?;
	if amount > 1000 {
		return Err(refused(invoice, format!("the card was declined for {amount}")));
	}
	Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
	let args: Vec<String> = std::env::args().collect();
	let (invoice, second, third) = (&args[2], &args[3], &args[4]);
	match args[1].as_str() {
		"bill" => drop(total(invoice, second, third.parse()?)?),
		"batch" => drop((1..3).map(|_| total(invoice, second, third.parse()?)).collect::<Result<Vec<_>, _>>()?),
		"collect" => charge(invoice, third)?,
		_ => (0..3).try_for_each(|_| charge(invoice, third))?,
	}
	Ok(())
}
