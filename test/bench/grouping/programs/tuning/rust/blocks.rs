// Parses lists such as (add_1_(mul_2_3)) by recursion.
// env RUST_BACKTRACE=1
// case number digits: parse (add_1_2x) | parse (mul_3_4,5) | file (add_1_(add_2_0b)) | file (sub_9z_1)
// case number range: parse (add_1_99999999999) | parse (mul_8888888888_2) | file (add_1_(sub_77777777777_1)) | file (add_666666666666_1)
// case list unclosed: parse (add_1_2 | parse (add_1_(mul_2_3) | file (sub_4 | file (add_(add_(add_1
// case list operator: parse (pow_1_2) | parse (add_1_(mod_7_2)) | file (sqrt_9) | file (mul_2_(xor_1_1))
struct Parser {
	words: Vec<String>,
	at: usize,
}

impl Parser {
	fn new(text: &str) -> Self {
		let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('_', " ");
		Parser { words: spaced.split_whitespace().map(String::from).collect(), at: 0 }
	}

	fn fail(&self, problem: &str) -> ! {
		panic!("syntax error at word {}: {problem}", self.at)
	}

	fn number(&self, word: &str) -> i32 {
		if !word.chars().all(|c| c.is_ascii_digit()) {
			self.fail(&format!("{word:?} is not a number"));
		}
		word.parse().expect("number out of range")
	}

	fn list(&mut self) -> i32 {
		let name = self.words[self.at + 1].clone();
		if !["add", "mul", "sub"].contains(&name.as_str()) {
			self.fail(&format!("unknown operator {name}"));
		}
		let mut sum = 0;
		self.at += 2;
		while self.at < self.words.len() {
			let word = self.words[self.at].clone();
			match word.as_str() {
				"(" => sum += self.list(),
				")" => return sum,
				_ => sum += self.number(&word),
			}
			self.at += 1;
		}
		panic!("list {name} is not closed after {} words", self.at)
	}
}

fn file(text: &str) {
	for line in std::iter::repeat(text).take(2) {
		println!("{}", Parser::new(line).list());
	}
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	if args[1] == "file" {
		return file(&args[2]);
	}
	println!("{}", Parser::new(&args[2]).list());
}
