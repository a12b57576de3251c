// Copies files to a backup and verifies them.
// case copy missing: save /nonexistent/db-7.sqlite x | save /nonexistent/a/notes.txt x | tree /nonexistent/shop 2 | tree /nonexistent/var/mail-2024 3
// case copy folder: save /tmp x | save /usr/bin x | tree /etc 1 | tree /var 4
// case verify digest: check hello 9f86d0 | check order-17 00aa | nightly stock ffee12 | nightly a1 beef
// case verify empty: check - 9f86d0 | check - 11 | nightly - e3b0 | nightly - 77aa
use std::{error::Error, fs, hash::{DefaultHasher, Hash, Hasher}};

fn copy(path: &str) -> Result<usize, Box<dyn Error>> {
	if fs::metadata(path)?.is_dir() {
		return Err(format!("{path} is a folder").into());
	}
	Ok(fs::read(path)?.len())
}

fn verify(name: &str, content: &str, digest: &str) -> Result<(), Box<dyn Error>> {
	if content == "-" {
		return Err(format!("backup '{name}' is empty").into());
	}
	let mut hasher = DefaultHasher::new();
	content.hash(&mut hasher);
	let found = format!("{:x}", hasher.finish());
	if found != digest {
		return Err(format!("backup '{name}': expected digest {digest}, found {found}").into());
	}
	Ok(())
}

fn tree(path: &str, depth: usize) -> usize {
	if depth == 0 {
		return copy(path).unwrap_or_else(|error| panic!("cannot back up {path}: {error}"));
	}
	tree(path, depth - 1)
}

fn run(command: &str, first: &str, second: &str) -> Result<(), Box<dyn Error>> {
	match command {
		"save" => drop(tree(first, 0)),
		"tree" => drop(tree(first, second.parse()?)),
		"check" => verify(&format!("daily-{second}"), first, second)?,
		_ => ["mon", "tue"].iter().try_for_each(|day| verify(&format!("{day}-{second}"), first, second))?,
	}
	Ok(())
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	run(&args[1], &args[2], &args[3]).expect("backup stopped");
}
