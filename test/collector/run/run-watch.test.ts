import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import type { FailureLines } from '../../../collector/log-parsing/text-failure.js';
import { RunWatch } from '../../../collector/run/run-watch.js';
import type { JsonObject } from '../../../core/event/json.js';
import { waitFor } from '../../helpers/wait-for.js';

const quiet = { signals: new Set<NodeJS.Signals>(), isOnTerminal: false, isOutputClosed: false };
const TRACE = 'TypeError: no\n    at f (/srv/a.js:1:2)\n    at g (/srv/a.js:3:4)\n';
const names = (events: readonly JsonObject[]) => events.map((event) => event['error_name']);

function watched(create: () => FailureLines = () => createFailureLines('error')) {
  const events: JsonObject[] = [];
  const errors: unknown[] = [];
  const watch = new RunWatch({
    source: {
      command: ['till'],
      program: 'till',
      cwd: '/srv',
      overrides: {},
      defaults: { app: 'till', service: 'till', env: 'test' },
    },
    createFailureLines: create,
    onEvent: (payload) => events.push(payload),
    onError: (error) => errors.push(error),
    now: () => new Date('2026-11-21T10:00:00Z'),
  });
  watch.started(7);
  return { watch, events, errors };
}

describe('RunWatch', () => {
  it('creates one event for a trace that ends the program, with the exit status', () => {
    const { watch, events } = watched();
    watch.output('stderr', Buffer.from(`${TRACE}\nNode.js v20.19.2\n`));
    watch.ended({ kind: 'exited', code: 1 }, quiet);
    expect(names(events)).toEqual(['TypeError']);
    expect(events[0]).toMatchObject({ timestamp: '2026-11-21T10:00:00.000Z', extra: { run: { exit_code: 1 } } });
  });

  it('creates a separate event for the end when many lines follow the trace', () => {
    const { watch, events } = watched();
    watch.output('stdout', Buffer.from(`${TRACE}${'all is well\n'.repeat(20)}`));
    watch.ended({ kind: 'exited', code: 1 }, quiet);
    expect(names(events)).toEqual(['TypeError', 'ProcessExit']);
    expect(events[0]?.['extra']).not.toHaveProperty('run.exit_code');
  });

  it('finds a trace while the other stream prints between its lines', () => {
    const { watch, events } = watched();
    for (const line of TRACE.split(/(?<=\n)/)) {
      watch.output('stderr', Buffer.from(line));
      watch.output('stdout', Buffer.from('busy\n'));
    }
    watch.ended({ kind: 'exited', code: 0 }, quiet);
    expect(events).toEqual([expect.objectContaining({ stack: expect.stringContaining('at g (/srv/a.js:3:4)') })]);
  });

  it('emits a trace after 500 ms of silence, without waiting for the end', async () => {
    const { watch, events } = watched();
    watch.output('stderr', Buffer.from(TRACE));
    await waitFor('the event', () => events.length === 1);
    watch.ended({ kind: 'exited', code: 0 }, quiet);
    expect(events).toHaveLength(1);
  });

  it('uses names from a JSON line unless overridden, and prefers its own tags to those of the line', () => {
    const { watch, events } = watched();
    watch.output('stdout', Buffer.from('{"level":50,"time":1763700000000,"msg":"no coins","pid":3,"hostname":"h"}\n'));
    watch.ended({ kind: 'exited', code: 0 }, quiet);
    expect(events).toEqual([
      expect.objectContaining({
        message: 'no coins',
        app: 'till',
        env: 'test',
        tags: expect.objectContaining({ source: 'run', stream: 'stdout', pid: '7' }),
        extra: expect.objectContaining({ run: { command: 'till', cwd: '/srv', format: 'json' } }),
      }),
    ]);
  });

  it('stops searching when the search fails, and reports it once', () => {
    const { watch, events, errors } = watched(() => {
      throw new Error('broken');
    });
    watch.output('stdout', Buffer.from('a\n'));
    watch.output('stdout', Buffer.from('b\n'));
    watch.ended({ kind: 'exited', code: 1 }, quiet);
    expect(events).toEqual([]);
    expect(errors).toEqual([new Error('broken')]);
  });

  const endOf = (stderr: string, stdout = '') => {
    const { watch, events } = watched();
    watch.output('stdout', Buffer.from(stdout));
    watch.output('stderr', Buffer.from(stderr));
    watch.ended({ kind: 'exited', code: 1 }, quiet);
    return events.map((event) => [event['error_name'], event['message']]);
  };

  it.each([
    [
      "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  no room\n",
      'std::bad_alloc',
      'no room',
    ],
    ["a: a.c:2: main: Assertion `n > 5' failed.\n", 'Assertion', 'n > 5'],
    ['a.c:2:4: runtime error: shift exponent -1 is negative\n', 'runtime error', 'shift exponent -1 is negative'],
    [
      'memory allocation of 7 bytes failed\nstack backtrace:\n   0: std::alloc::rust_oom\n             at /rustc/a.rs:1:2\n',
      'ProcessExit',
      'memory allocation of 7 bytes failed',
    ],
    [
      '2026-11-23T14:00:00Z\tERROR\tmain.go:9\tcannot open\t{"till": 7, "error": "it is closed"}\n',
      '',
      'cannot open: it is closed',
    ],
    [
      'recovered: no coins\ngoroutine 1 [running]:\nmain.(*till).open(0xc000, 0x1)\n\t/a.go:1 +0x1\ncreated by main.main\n\t/a.go:2\n',
      'ProcessExit',
      'recovered: no coins',
    ],
    ['fatal signal 11\n./till(main+0x1d) [0x5566]\n', 'ProcessExit', 'fatal signal 11'],
    ['pure virtual method called\nterminate called recursively\n', 'std::terminate', 'pure virtual method called'],
    [
      '==7==ERROR: AddressSanitizer: attempting double-free on 0x60 in thread T0:\n    #0 0x7f in free x.cpp:52\nSUMMARY: AddressSanitizer: double-free x.cpp:52 in free\n==7==ABORTING\n',
      'double-free',
      'attempting double-free on 0x60 in thread T0:',
    ],
    [
      'WARNING: ThreadSanitizer: data race (pid=7)\n    #0 f a.c:1 (a+0x1)\nSUMMARY: ThreadSanitizer: data race a.c:1 in f\n',
      'data race',
      '(pid=7)',
    ],
    [
      'a.c:9:48: runtime error: index 5 out of bounds\n==7==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x1 in f a.c:9\nSUMMARY: AddressSanitizer: SEGV a.c:9 in f\n',
      'SEGV',
      'on unknown address',
    ],
    [
      'F20261123 14:00:00.123456 12 till.cc:17] no drawer\n*** Check failure stack trace: ***\n    @ 0x55 main\n',
      '',
      'no drawer',
    ],
    ['2026-11-23T14:00:00.123Z ERROR shop: drawer is jammed till=7\n', 'ProcessExit', 'shop: drawer is jammed till=7'],
    ['2026/11/23 14:00:00 ERROR lost err=EOF\n', 'log.Fatal', 'lost err=EOF'],
    ['level=ERROR msg="order was lost" err="till 7 is closed"\n', '', 'order was lost: till 7 is closed'],
    ['shop crashed: panicked at src/main.rs:46:80:\nno change\n', 'panic', 'no change'],
    [
      "thread 'a' panicked at a.rs:1:2:\nno change\nthread 'main' panicked at a.rs:3:4:\ncalled `Result::unwrap()` on an `Err` value: Any { .. }\n",
      'panic',
      'no change',
    ],
    [
      'Error: \n   0: cannot read prices\n   1: invalid digit\n\nLocation:\n   src/main.rs:11\n\nBacktrace omitted. Run with RUST_BACKTRACE=1 environment variable to display it.\n',
      'Error',
      'cannot read prices: invalid digit',
    ],
    ['Warning: low\nMore$Closed: no order\n\tat More.place(More.java:9)\n', 'More$Closed', 'no order'],
    ['no stock at shop.pl line 4.\n\tmain::f(3) called at shop.pl line 9\n', 'die', 'no stock'],
    ['lua: shop.lua:1: no stock\nstack traceback:\n\t[C]: in ?\n', 'error', 'no stock'],
    ['shop.sh: line 2: nothing: command not found\n', 'ProcessExit', 'nothing: command not found'],
    ['2026/11/23 14:04:35 cannot open the store\n', 'log.Fatal', 'cannot open the store'],
    ['E1123 14:00:00.123456   123 main.go:7] cannot bind\n', '', 'cannot bind'],
    ['time=2026-11-23T14:00:00Z level=ERROR msg="cannot bind" port=80\n', '', 'cannot bind'],
    ['2026/11/23 14:00:00 [emerg] 7#7: bind() failed\n', '', 'bind() failed'],
    [
      'Error: open the shop\n\nCaused by:\n    0: read prices\n    1: no file\n',
      'Error',
      'open the shop: read prices: no file',
    ],
    ['cannot read prices.csv\n', 'ProcessExit', 'cannot read prices.csv'],
    ['order is bad:\n  no address\n  no price\n', 'ProcessExit', 'order is bad:\n  no address\n  no price'],
    [
      'a.sh: line 2: 7 % 0: division by 0 (error token is "0")\n',
      'ProcessExit',
      '7 % 0: division by 0 (error token is "0")',
    ],
    ['no stock at a.pl line 3.\n at a.pl line 3.\n\tmain::f(1) called at a.pl line 4\n', 'die', 'no stock'],
    ['DomainException: no till\n#0 /srv/a.php(4): open()\n#1 {main}\n', 'DomainException', 'no till'],
    ['a.lua:1: no till\nstack traceback:\n\ta.lua:2: in main chunk\n\t[C]: in ?\n', 'ProcessExit', 'a.lua:1: no till'],
    ['\ta.lua:2: in main chunk\n', 'ProcessExit', 'a.lua:2: in main chunk'],
    [
      '{"init terminating in do_boot",{undef,[{shop,start,[],[]}]}}\ninit terminating in do_boot ({undef,[_]})\n',
      'undef',
      'undef',
    ],
    ['Runtime terminating during boot (terminating)\n', 'terminating', 'terminating'],
    [
      '=ERROR REPORT==== 23-Nov-2026::16:59:02.597482 ===\n** State machine <0.80.0> terminating\n** Reason for termination = error:badarg\n** Stacktrace =\n**  [{shop,open,3,[{file,"shop.erl"},{line,8}]},\n     {gen_statem,call,11,\n',
      'badarg',
      'badarg',
    ],
    ['shop: error: no port given\n  --help  Show help\n=====\n 45%\n', 'ProcessExit', 'shop: error: no port given'],
  ])('names a failed end by what the program printed last: %j', (stderr, name, message) => {
    expect(endOf(stderr)).toEqual([[name, message]]);
  });

  it('adds the last words to the end of a program that aborted itself, and not to other signals', () => {
    const messageOf = (signal: NodeJS.Signals) => {
      const { watch, events } = watched();
      watch.output('stdout', Buffer.from('2026/11/23 14:00:00 sold a cup\n'));
      watch.output('stderr', Buffer.from('free(): invalid pointer\n'));
      watch.ended({ kind: 'killed', signal }, quiet);
      return events.map((event) => event['message']);
    };
    expect(messageOf('SIGABRT')).toEqual(['till was killed by SIGABRT: free(): invalid pointer']);
    expect(messageOf('SIGKILL')).toEqual(['till was killed by SIGKILL']);
  });

  it('prefers standard error, and a failure in the last line explains the end', () => {
    expect(endOf('bad price\n', 'all is well\n')).toEqual([['ProcessExit', 'bad price']]);
    expect(endOf('', 'bad price\n')).toEqual([['ProcessExit', 'bad price']]);
    expect(endOf('', '{"level":50,"msg":"no coins"}\n')).toEqual([['', 'no coins']]);
    expect(endOf('')).toEqual([['ProcessExit', 'till exited with code 1']]);
  });

  it('reports a failure once whose trace was printed before the one that ended the program, and twice otherwise', () => {
    const ruby = (message: string) =>
      `a.rb:2:in \`add': ${message} (ArgumentError)\n\tfrom a.rb:5:in \`block in <main>'\n`;
    const joined = `#<Thread:0x1 a.rb:5 run> terminated with exception:\n${ruby('no coins')}${ruby('no coins')}`;
    expect(endOf(joined)).toEqual([['ArgumentError', 'no coins']]);
    expect(endOf(`${ruby('no cups')}${ruby('no coins')}`)).toHaveLength(2);
    expect(endOf(ruby('no coins').repeat(4))).toHaveLength(3);
    const { watch, events } = watched();
    watch.output('stderr', Buffer.from(joined));
    watch.ended({ kind: 'exited', code: 0 }, quiet);
    expect(events).toHaveLength(2);
    const erlang = `=ERROR REPORT==== 23-Nov-2026::16:19:29.332406 ===
** Generic server <0.80.0> terminating
** Reason for termination ==
** {badarg,[{shop,add,2,[{file,"shop.erl"},{line,7}]}]}

escript: exception exit: {{badarg,[{shop,add,2,[{file,"shop.erl"},{line,7}]}]},{gen_server,call,[<0.80.0>]}}
  in function  gen_server:call/2 (gen_server.erl, line 370)
`;
    expect(endOf(erlang)).toEqual([['badarg', 'badarg']]);
    const stopped = '12:00:00.000 [error] GenServer #PID<0.103.0> terminating\n** (stop) :jammed\nLast message: :go\n';
    expect(endOf('** (EXIT from #PID<0.96.0>) :jammed\n', stopped)).toEqual([['stop', ':jammed']]);
    expect(endOf('** (EXIT from #PID<0.96.0>) :broken\n', stopped)).toHaveLength(2);
    expect(endOf('{"level":50,"msg":"no coins"}\n'.repeat(2))).toHaveLength(2);
  });

  it('reports a failure once that a logger printed before the runtime', () => {
    const panic =
      '{"level":"panic","msg":"no coins"}\npanic: no coins\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\nexit status 2\n';
    expect(endOf(panic)).toEqual([['panic', 'no coins']]);
    const withError =
      '{"level":"panic","msg":"no coins","error":"no key"}\npanic: no coins\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n';
    expect(endOf(withError)).toEqual([['panic', 'no coins']]);
    const logged =
      '2026-11-23 14:00:00.000 | ERROR    | m:f:1 - no coins\nTraceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n';
    expect(endOf(logged)).toEqual([['KeyError', '1']]);
  });
});
