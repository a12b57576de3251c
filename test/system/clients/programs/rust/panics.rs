use std::collections::HashMap;
use std::fmt;

#[derive(Debug)]
enum ShopError {
    OutOfStock { article: String },
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShopError::OutOfStock { article } => write!(f, "{article} is sold out"),
        }
    }
}

impl std::error::Error for ShopError {}

fn reserve(article: &str) -> Result<(), ShopError> {
    Err(ShopError::OutOfStock { article: article.to_string() })
}

#[allow(unconditional_recursion)]
fn depth(category: &str, parents: &HashMap<&str, &str>) -> u64 {
    1 + depth(parents[category], parents)
}

fn discount(percent: i32) -> i32 {
    assert!(percent <= 100, "discount of {percent} percent");
    100 - percent
}

fn share(total: u32, text: &str) -> u32 {
    total / text.parse::<u32>().unwrap()
}

fn change(paid: u32, price: u32) -> u32 {
    paid - price
}

fn count(lines: &[&str]) -> usize {
    lines.iter().position(|line| line.is_empty()).expect("an empty line ends the list")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = vec!["cup", "saucer"];
    match std::env::args().nth(1).unwrap().as_str() {
        "text" => panic!("the till is jammed"),
        "expect" => reserve("teapot").expect("stock was counted"),
        "unwrap-none" => println!("{}", lines.iter().find(|line| line.len() > 9).unwrap()),
        "parse" => println!("{}", share(40, "seven")),
        "overflow" => println!("{}", change(40, 41)),
        "bounds" => println!("{}", lines[lines.len() + 1]),
        "assertion" => println!("{}", discount(120)),
        "recursion" => println!("{}", depth("cups", &HashMap::from([("cups", "kitchen"), ("kitchen", "cups")]))),
        "returned" => reserve("cup")?,
        "thread" => {
            let worker = std::thread::Builder::new().name("counter".into()).spawn(|| count(&["4", "7"]))?;
            if worker.join().is_err() {
                std::process::exit(5);
            }
        }
        "exit-message" => {
            eprintln!("error: shop.toml: missing field `currency`");
            std::process::exit(4);
        }
        _ => std::process::abort(),
    }
    Ok(())
}
