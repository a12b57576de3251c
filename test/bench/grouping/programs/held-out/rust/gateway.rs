// A client of an HTTP service with retries; the transport is simulated.
// case request status: get /users/17 503 | get /v2/orders/ab12 502 | sync /items 500 | sync /users/9/tags 504
// case request body: get /health 200 | get /users/3 201 | sync /orders/8 200 | sync /items 203
// case connect refused: dial db-1.internal 5432 | dial cache 6379 | pool 10.0.0.7 8080 | pool web.example.org 443
// case connect port: dial db-1.internal 0 | dial cache 70001 | pool web.example.org 99999 | pool 10.0.0.7 123456
use std::io::{Error, ErrorKind};

#[derive(Debug)]
#[allow(dead_code)]
enum ApiError {
	Status { path: String, status: u32 },
	Body { path: String, source: Error },
}

fn request(path: &str, status: u32) -> Result<String, ApiError> {
	let path = path.to_string();
	if status >= 500 {
		return Err(ApiError::Status { path, status });
	}
	let source = Error::new(ErrorKind::UnexpectedEof, format!("body ends after {} bytes", path.len()));
	Err(ApiError::Body { path, source })
}

fn connect(host: &str, port: u32) -> Result<u16, Error> {
	let Ok(port) = u16::try_from(port) else {
		return Err(Error::new(ErrorKind::InvalidInput, format!("port {port} of {host} is out of range")));
	};
	if port == 0 {
		return connect(host, 65_536);
	}
	Err(Error::new(ErrorKind::ConnectionRefused, format!("{host}:{port} refused the connection")))
}

fn retrying<T>(times: u32, action: &dyn Fn() -> Result<T, ApiError>) -> T {
	match action() {
		Err(_) if times > 0 => retrying(times - 1, action),
		result => result.expect("the service did not answer"),
	}
}

struct Pool<'a> {
	host: &'a str,
}

impl Pool<'_> {
	fn fill(&self, port: u32) -> Vec<u16> {
		(0..3).map(|_| connect(self.host, port).expect("cannot connect")).collect()
	}
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let number: u32 = args[3].parse().unwrap();
	match args[1].as_str() {
		"get" => println!("{}", retrying(0, &|| request(&args[2], number))),
		"sync" => println!("{}", retrying(number % 3, &|| request(&args[2], number))),
		_ => println!("{:?}", Pool { host: &args[2] }.fill(number)),
	}
}
