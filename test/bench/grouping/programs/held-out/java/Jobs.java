// Runs jobs on a thread pool and waits for them.
// case start missing: once httpd 1 | once com.acme.backup 1 | all mailer 3 | all rsync_2 2
// case start disabled: once cleanup 7 | once import 12 | all cleanup 9 | all import 30
// case await late: wait nightly 5 | wait mail-7 3 | nested report 4 | nested rsync 9
// case await failed: result nightly 5 | result cron.9 8 | deep x-ray 3 | deep sum 6
package com.acme.jobs;

import java.util.concurrent.*;

class JobException extends RuntimeException {
  private JobException(String message, Throwable cause) {
    super(message, cause);
  }

  static JobException of(String job, String reason) {
    return of(job, reason, null);
  }

  static JobException of(String job, String reason, Throwable cause) {
    return new JobException("job (" + job + ") " + reason, cause);
  }
}

public class Jobs {
  private final ExecutorService pool = Executors.newFixedThreadPool(2, work -> {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  });

  String start(String job, int release) {
    if (!job.equals("cleanup") && !job.equals("import")) throw JobException.of(job, "does not exist");
    throw JobException.of(job, "is disabled since release " + release);
  }

  int await(String job, int limit, Callable<Integer> work) {
    try {
      return pool.submit(work).get(limit, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw JobException.of(job, "did not end within " + limit + " ms", e);
    } catch (ExecutionException | InterruptedException e) {
      throw JobException.of(job, "failed", e);
    }
  }

  int sleep() throws InterruptedException {
    Thread.sleep(60_000);
    return 0;
  }

  int nested(String job, int depth, int limit, Callable<Integer> work) {
    return depth > 0 ? nested(job, depth - 1, limit, work) : await(job, limit, work);
  }

  public static void main(String[] args) throws Exception {
    Jobs jobs = new Jobs();
    String job = args[1];
    int number = Integer.parseInt(args[2]);
    switch (args[0]) {
      case "once" -> jobs.start(job, number);
      case "all" -> CompletableFuture.runAsync(() -> jobs.start(job, number), jobs.pool).get();
      case "wait" -> jobs.await(job, number, jobs::sleep);
      case "nested" -> jobs.nested(job, number, number + 2, jobs::sleep);
      case "result" -> jobs.await(job, 5_000, () -> Integer.parseInt(job));
      default -> jobs.nested(job, number, 5_000, () -> Integer.parseInt(job));
    }
  }
}
