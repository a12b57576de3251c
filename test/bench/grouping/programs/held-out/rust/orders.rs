// Moves orders through their states; checks are assertions.
// env RUST_BACKTRACE=1
// case step transition: move 17 new delivered | move 9001 packed new | bulk 12 shipped packed | bulk 44 delivered new
// case step locked: move 13 new packed | move 1313 packed shipped | bulk 813 new packed | bulk 130013 new packed
// case address country: label 5 Berlin ZZ | label 712 RueDeLyon QQ | reprint 9 Main-St.4 XK | reprint 3 Oslo AA
// case address street: label 5 - DE | label 88 - FR | reprint 12 - NO | reprint 4 - DE
struct Order(u64);

const STATES: [&str; 4] = ["new", "packed", "shipped", "delivered"];

impl Order {
	#[track_caller]
	fn check(&self, holds: bool, problem: std::fmt::Arguments) {
		if !holds {
			panic!("order {}: {problem}", self.0);
		}
	}

	fn step(&self, from: &str, to: &str) -> usize {
		let place = |state: &str| STATES.iter().position(|one| *one == state).unwrap();
		self.check(self.0 % 100 != 13, format_args!("locked by the audit"));
		self.check(place(to) == place(from) + 1, format_args!("cannot go from {from} to {to}"));
		place(to)
	}

	fn address(&self, street: &str, country: &str) -> String {
		assert_ne!(street, "-", "order {} has no street", self.0);
		assert!(["DE", "FR", "NO"].contains(&country), "order {}: we do not ship to {country}", self.0);
		street.to_uppercase()
	}
}

fn reprint(count: u64, order: &Order, street: &str, country: &str) -> String {
	if count == 0 {
		return order.address(street, country);
	}
	reprint(count - 1, order, street, country)
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let number: u64 = args[2].parse().unwrap();
	let (first, second) = (args[3].as_str(), args[4].as_str());
	match args[1].as_str() {
		"move" => println!("{}", Order(number).step(first, second)),
		"bulk" => (number..number + 2).for_each(|one| println!("{}", Order(one).step(first, second))),
		"label" => println!("{}", Order(number).address(first, second)),
		_ => println!("{}", reprint(number % 4 + 1, &Order(number), first, second)),
	}
}
