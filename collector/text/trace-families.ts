import { DOTNET } from './families/dotnet.js';
import { ELIXIR } from './families/elixir.js';
import { GO } from './families/go.js';
import { JAVA } from './families/java.js';
import { NODE } from './families/node.js';
import { PHP } from './families/php.js';
import { PYTHON } from './families/python.js';
import { RUBY } from './families/ruby.js';
import { RUST } from './families/rust.js';
import type { TraceFamily } from './trace-family.js';

/** Every family of traces; where two claim the same lines, the earlier one has them. */
export const TRACE_FAMILIES: readonly TraceFamily[] = [NODE, PYTHON, RUBY, JAVA, DOTNET, GO, RUST, PHP, ELIXIR];
