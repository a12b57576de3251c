// Evaluates formulas in prefix notation by recursion.
// case apply division: eval /,6,0 B1 | eval +,1,/,7,0 B2 | cell -,4,/,12,0 B7 | cell *,2,+,3,/,9,0 A1
// case apply operator: eval %,6,2 C1 | eval +,1,^,2,3 C2 | cell -,4,&,1,2 C12 | cell *,2,+,3,<,9,1 D9
// case operand name: eval +,price,1 E1 | eval *,2,total_9 E2 | cell /,net,4 B2 | cell -,1,+,2,vat7 F4
// case operand end: eval + G1 | eval *,2 G2 | cell +,1,-,3 A9 | cell /,1,* ZZ3
struct Formula<'a> {
	words: std::str::Split<'a, char>,
	count: usize,
}

impl<'a> Formula<'a> {
	fn new(text: &'a str) -> Self {
		Formula { words: text.split(','), count: text.len() }
	}

	fn operand(&mut self) -> &'a str {
		let Some(word) = self.words.next() else {
			panic!("formula of {} characters ends too early", self.count);
		};
		if word.starts_with(|c: char| c.is_alphabetic()) {
			panic!("name {word} is not defined");
		}
		word
	}

	fn evaluate(&mut self) -> i64 {
		let word = self.operand();
		if let Ok(number) = word.parse() {
			return number;
		}
		let left = self.evaluate();
		apply(word, left, self.evaluate())
	}
}

fn apply(sign: &str, left: i64, right: i64) -> i64 {
	match sign {
		"+" => left + right,
		"-" => left - right,
		"*" => left * right,
		"/" => left / right,
		_ => unimplemented!("operator {sign}"),
	}
}

fn cell(name: &str, text: &str) -> String {
	let values: Vec<_> = [text].iter().map(|one| Formula::new(one).evaluate()).collect();
	format!("{name}: {values:?}")
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	if args[1] == "cell" {
		println!("{}", cell(&args[3], &args[2]));
	} else {
		println!("{}", Formula::new(&args[2]).evaluate());
	}
}
