// Checks what users may do; main returns its own error type.
// case allow role: read ada acme delete | read bob-2 globex publish | nested cy initech publish | nested dee acme purge
// case allow suspended: read ada hooli read | read eve hooli delete | nested fay hooli read | nested gus hooli read
// case session expired: login ada 1699999999 - | login ops@acme.test 1500000000 - | refresh bob 1600000001 - | refresh cy 12 -
// case session token: login ada x91-7 - | login bob 16999z - | refresh cy token7 - | refresh dee nil -
use std::num::ParseIntError;

#[derive(Debug)]
#[allow(dead_code)]
enum AccessError {
	Denied { user: String, action: String },
	Suspended(String),
	Expired { user: String, issued: i64 },
	Token(ParseIntError),
}

impl From<ParseIntError> for AccessError {
	fn from(error: ParseIntError) -> Self {
		AccessError::Token(error)
	}
}

fn allow(user: &str, tenant: &str, action: &str) -> Result<(), AccessError> {
	if tenant == "hooli" {
		return Err(AccessError::Suspended(tenant.into()));
	}
	if action != "read" {
		return Err(AccessError::Denied { user: user.into(), action: action.into() });
	}
	Ok(())
}

fn session(user: &str, token: &str) -> Result<(), AccessError> {
	let issued: i64 = token.parse()?;
	if issued < 1_700_000_000 {
		return Err(AccessError::Expired { user: user.into(), issued });
	}
	Ok(())
}

fn nested(depth: usize, user: &str, tenant: &str, action: &str) -> Result<(), AccessError> {
	if depth > 0 { nested(depth - 1, user, tenant, action) } else { allow(user, tenant, action) }
}

fn main() -> Result<(), AccessError> {
	let args: Vec<String> = std::env::args().collect();
	let (user, second, third) = (&args[2], &args[3], &args[4]);
	match args[1].as_str() {
		"read" => allow(user, second, third),
		"nested" => nested(user.len(), user, second, third),
		"login" => session(user, second),
		_ => [user, user].iter().try_for_each(|one| session(one, second)),
	}
}
