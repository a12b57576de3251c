// Sends notifications; errors are turned into panics by a handler at the top.
// env RUST_BACKTRACE=1
// case render field: mail welcome user=ada | mail reset name=bob | later receipt user=cy | later welcome x=1
// case render template: mail wellcome name=a | mail invoice-de name=b | later ad_7 name=c | later promo.2 name=d
// case deliver limit: send ada 200 | send bob 161 | fan cy 400 | fan eve 999
// case deliver blocked: send spam-7 10 | send spam.example 5 | fan spam1 3 | fan spam-eu 90
mod templates {
	pub fn field_of(template: &str) -> Option<&'static str> {
		Some(match template {
			"welcome" => "name",
			"reset" => "link",
			"receipt" => "total",
			_ => return None,
		})
	}

	pub fn render(template: &str, pair: &str) -> String {
		let field = field_of(template).unwrap_or_else(|| panic!("template {template} does not exist"));
		match pair.split_once('=') {
			Some((name, value)) if name == field => value.to_string(),
			_ => panic!("template {template} needs the field `{field}`"),
		}
	}
}

mod channels {
	use std::thread;

	pub fn deliver(to: &str, length: usize) {
		if to.starts_with("spam") {
			panic!("cannot deliver to <{to}>: address is blocked");
		}
		if length > 160 {
			panic!("cannot deliver to <{to}>: {length} characters are too long");
		}
	}

	pub fn fan(to: String, length: usize) {
		let worker = thread::Builder::new().name(format!("mail-{length}")).spawn(move || deliver(&to, length));
		if worker.unwrap().join().is_err() {
			std::process::exit(1);
		}
	}
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let (first, second) = (args[2].as_str(), args[3].as_str());
	match args[1].as_str() {
		"mail" => println!("{}", templates::render(first, second)),
		"later" => [second].iter().map(|pair| templates::render(first, pair)).for_each(drop),
		"send" => channels::deliver(first, second.parse().unwrap()),
		_ => channels::fan(first.to_string(), second.parse().unwrap()),
	}
}
