// Runs jobs in threads and waits for them.
// env RUST_BACKTRACE=1
// case start missing: once httpd 1 | once com.acme.backup 1 | all mailer 3 | all rsync_2 2
// case start disabled: once cleanup 7 | once import 12 | all cleanup 9 | all import 30
// case wait late: wait nightly 5 | wait mail-7 3 | nested report 4 | nested rsync 9
// case wait result: result nightly 5 | result cron.9 8 | deep x-ray 3 | deep sum 6
use std::{sync::mpsc, thread, time::Duration};

fn start(job: &str, release: u64) {
	match job {
		"cleanup" | "import" => panic!("job ({job}) is disabled since release {release}"),
		_ => panic!("no such job ({job})"),
	}
}

fn wait(job: &str, limit: u64, results: &mpsc::Receiver<String>) -> u32 {
	match results.recv_timeout(Duration::from_millis(limit)) {
		Ok(text) => match text.parse() {
			Ok(number) => number,
			Err(error) => panic!("job ({job}) returned {text:?}: {error}"),
		},
		Err(error) => panic!("job ({job}) was not ready after {limit} ms: {error}"),
	}
}

fn nested(depth: u64, job: &str, limit: u64, results: &mpsc::Receiver<String>) -> u32 {
	if depth > 0 {
		return nested(depth - 1, job, limit, results);
	}
	wait(job, limit, results)
}

fn main() {
	let args: Vec<String> = std::env::args().collect();
	let (job, number) = (args[2].clone(), args[3].parse::<u64>().unwrap());
	let (sender, results) = mpsc::channel();
	if args[1] == "result" || args[1] == "deep" {
		sender.send(job.clone()).unwrap();
	}
	match args[1].as_str() {
		"once" => start(&job, number),
		"all" => {
			if thread::spawn(move || start(&job, number)).join().is_err() {
				std::process::exit(4);
			}
		}
		"wait" | "result" => println!("{}", wait(&job, number, &results)),
		_ => println!("{}", nested(number, &job, number + 2, &results)),
	}
}
