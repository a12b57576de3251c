import { DOTNET } from './families/dotnet.js';
import { ELIXIR } from './families/elixir.js';
import { GO } from './families/go.js';
import { JAVA } from './families/java.js';
import { NODE } from './families/node.js';
import { PHP } from './families/php.js';
import { PYTHON } from './families/python.js';
import { RUBY } from './families/ruby.js';
import { RUST } from './families/rust.js';
import { OpenTrace } from './open-trace.js';
import type { TextFailure } from './text-failure.js';
import type { TextLine } from './text-line.js';
import type { TraceFamily } from './trace-family.js';

/** Every family of traces; where two claim the same lines, the earlier one has them. */
const TRACE_FAMILIES: readonly TraceFamily[] = [NODE, PYTHON, RUBY, JAVA, DOTNET, GO, RUST, PHP, ELIXIR];

/** Traces that may have begun at the same time; the oldest gives way. */
const MAX_OPEN_TRACES = 32;

/** The traces in one stream that have begun or may have. Each line belongs to at most one of them. */
interface OpenTraces {
  /** Offers a line to all, and to the families as a first one. Answers the traces that ended. */
  push(line: TextLine): TextFailure[];
  /** Notes a line that is no part of any trace. */
  skip(): TextFailure[];
  /** Ends all of them. */
  endAll(): TextFailure[];
  waitingFrom(): number | undefined;
  /** UTF-16 units, about. */
  heldLength(): number;
  /** Lines that belonged to traces beyond their bounds. */
  linesCut(): number;
}

/** No trace has begun yet. */
export function createOpenTraces(): OpenTraces {
  // The one that was last about to go on comes first; of those, the one that began first.
  let tracks: OpenTrace[] = [];
  // Lines that have an owner, as long as a track may still ask for them.
  let owned = new WeakSet<TextLine>();
  let linesCut = 0;

  const sweep = (): TextFailure[] => {
    const ended = tracks.filter((track) => track.isOver || track.isSwallowing);
    if (ended.length === 0) return [];
    tracks = tracks.filter((track) => !track.isOver);
    return ended.flatMap((track) => track.release() ?? []);
  };
  const take = (track: OpenTrace, line: TextLine | undefined): void => {
    const { own, cut } = track.accept(line, (one) => !owned.has(one));
    linesCut += cut;
    for (const one of own) owned.add(one);
    const taken = new Set(own);
    for (const other of tracks) if (other !== track && other.lostItsBeginning(taken)) other.end();
  };
  /** Answers whether a track took the line. */
  const offer = (line: TextLine): boolean => {
    const forward: OpenTrace[] = [];
    const rest: OpenTrace[] = [];
    let isTaken = false;
    for (const track of tracks) {
      const step = isTaken || track.isOver ? 'foreign' : track.classify(line);
      if (step === 'take' || step === 'last') {
        take(track, line);
        if (step === 'last') track.end();
        isTaken = true;
      } else if (step === 'want') track.hold(line);
      else if (step === 'over') track.end();
      else track.skip();
      (step === 'foreign' ? rest : forward).push(track);
    }
    tracks = [...forward, ...rest];
    return isTaken;
  };
  const begin = (line: TextLine): void => {
    const begun: OpenTrace[] = [];
    for (const family of TRACE_FAMILIES) {
      const start = family.begin(line.matched);
      if (start === undefined) continue;
      const track = new OpenTrace(family, start, line);
      begun.push(track);
      if (!start.isCertain) continue;
      take(track, undefined);
      // What is certain leaves no room for those that are not.
      begun.splice(0, begun.length, track);
      break;
    }
    if (begun.length === 0) return;
    const before = owned.has(line) ? [] : tracks.filter((track) => track.holdsLast(line));
    tracks = [...before, ...begun, ...tracks.filter((track) => !before.includes(track))];
    for (const oldest of tracks.slice(MAX_OPEN_TRACES)) oldest.end();
  };

  return {
    push(line) {
      if (!offer(line)) begin(line);
      return sweep();
    },
    skip() {
      for (const track of tracks) track.skip();
      return sweep();
    },
    endAll() {
      for (const track of tracks) track.end();
      owned = new WeakSet();
      return sweep();
    },
    waitingFrom() {
      return lowestOf(tracks.map((track) => track.waitingFrom));
    },
    heldLength: () => tracks.reduce((sum, track) => sum + track.heldLength(), 0),
    linesCut: () => linesCut,
  };
}

/** The least of the places that are known; undefined when none is. */
export function lowestOf(places: readonly (number | undefined)[]): number | undefined {
  let least: number | undefined;
  for (const place of places) if (place !== undefined && (least === undefined || place < least)) least = place;
  return least;
}
