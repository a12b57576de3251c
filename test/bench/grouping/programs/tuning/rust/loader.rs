// Loads rows of a price list; fails by the panics of the standard library.
// case convert columns: load 1;tea | load 99 | replay 4;cup | replay 7
// case convert number: load 1;tea;4,50 | load 7;cup;n/a | replay 12;pot;EUR-3 | replay 8;jug;?
// case average zero: mean - 0 | mean -;- 1 | nested - 3 | nested -;-;- 5
// case average missing: mean lamp 0 | mean tea;sofa 1 | nested BX-200;tea 4 | nested chair-9 2
use std::collections::BTreeMap;

fn convert(line: &str) -> (u32, String, u32) {
	let fields: Vec<&str> = line.split(';').collect();
	let price = fields[2];
	(fields[0].parse().unwrap(), fields[1].to_string(), price.parse().unwrap())
}

fn average(prices: &BTreeMap<&str, u32>, names: &str) -> u32 {
	let known: Vec<u32> = names.split(';').filter(|name| *name != "-").map(|name| prices[name]).collect();
	known.iter().sum::<u32>() / known.len() as u32
}

fn replay(line: &str, times: usize) -> (u32, String, u32) {
	if times == 0 {
		return convert(line);
	}
	replay(line, times - 1)
}

fn nested(prices: &BTreeMap<&str, u32>, names: &str, depth: u32) -> u32 {
	match depth {
		0 => average(prices, names),
		_ => nested(prices, names, depth - 1) + depth,
	}
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let prices = BTreeMap::from([("tea", 3), ("cup", 9)]);
	let depth = args.get(3).map_or(0, |text| text.parse().unwrap_or(0));
	match args[1].as_str() {
		"load" => println!("{:?}", convert(&args[2])),
		"replay" => println!("{:?}", replay(&args[2], args[2].len() % 5)),
		"mean" => println!("{}", average(&prices, &args[2])),
		_ => println!("{}", nested(&prices, &args[2], depth)),
	}
}
