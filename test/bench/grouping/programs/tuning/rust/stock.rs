// Reserves articles; problems are returned and end the program by unwrap.
// env RUST_BACKTRACE=1
// case reserve unknown: order tea-17 2 | order kettle-9 1 | restock tea-0911 5 | order XR_200 4
// case reserve short: order teapot 9 | order cup 40 | restock saucer 12 | order teapot 33
// case locate closed: ship berlin 2 | ship Lyon-2 1 | audit berlin 3 | audit Lyon-2 5
// case locate full: ship porto 10 | ship oslo 8 | audit porto 44 | audit oslo 9
use std::collections::HashMap;

#[derive(Debug)]
#[allow(dead_code)]
enum StockError {
	Unknown { article: String },
	Short { article: String, wanted: u32, left: u32 },
}

fn reserve(stock: &HashMap<&str, u32>, article: &str, wanted: u32) -> Result<u32, StockError> {
	let article = article.to_string();
	let Some(&left) = stock.get(article.as_str()) else {
		return Err(StockError::Unknown { article });
	};
	left.checked_sub(wanted).ok_or(StockError::Short { article, wanted, left })
}

fn take(article: &str, wanted: u32) -> u32 {
	let stock = HashMap::from([("teapot", 8), ("cup", 31), ("saucer", 0)]);
	reserve(&stock, article, wanted).unwrap()
}

fn locate(warehouse: &str, shelf: u32) -> String {
	if warehouse == "berlin" || warehouse == "Lyon-2" {
		panic!("warehouse {warehouse} is closed for stocktaking");
	}
	assert!(shelf <= 7, "warehouse {warehouse} is full: no shelf {shelf}");
	format!("{warehouse}{shelf}")
}

fn audit(warehouse: &str, shelf: u32, depth: u32) -> String {
	if depth == 0 { locate(warehouse, shelf) } else { audit(warehouse, shelf, depth - 1) }
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let number: u32 = args[3].parse().unwrap_or(0);
	match args[1].as_str() {
		"order" => println!("{}", take(&args[2], number)),
		"restock" => [0, number].iter().for_each(|&count| println!("{}", take(&args[2], count))),
		"ship" => println!("{}", locate(&args[2], number)),
		_ => println!("{}", audit(&args[2], number, number % 4)),
	}
}
