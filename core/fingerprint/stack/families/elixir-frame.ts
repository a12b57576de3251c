import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';

/** A module, which may be an atom of Erlang, and a function, in quotes if a compiler made it. */
const FUNCTION =
  /^(:?[A-Za-z_][\w.@]{0,200}?)[.:]("[^"]{1,200}"|'[^']{1,200}'|[a-z_][\w]{0,200}[!?]?|[-+*/<>=!&|~^.]{1,3})(?:\/\d{1,3}$|\()/;
const ANONYMOUS = /^anonymous fn(?:\/\d{1,3}|\(.{0,400}\)) in (.{1,500})$/;
const MADE_BY_ELIXIR = /^-?(?:inlined-)?([A-Za-z_]\w{0,100}[!?]?)\/\d{1,3}.*$/;
const MADE_BY_ERLANG = /^-(.{1,150}?)\/\d{1,3}-/;
const ARITY = /\/\d{1,3}$/;
/** The number of a script's module. */
const RUN = /(?:__\d{1,12}){2,}$/;
/** Applications of Elixir and Erlang, and those that programs are built on: web, databases, JSON, HTTP, jobs and measurement. */
const FOREIGN_APPLICATION =
  /^(?:elixir|eex|ex_unit|iex|logger|mix|stdlib|kernel|erts|compiler|crypto|ssl|inets|sasl|mnesia|public_key|asn1|runtime_tools|tools|syntax_tools|parsetools|xmerl|ssh|os_mon|phoenix\w{0,40}|plug\w{0,40}|ecto\w{0,40}|cowboy\w{0,20}|cowlib|ranch|bandit|thousand_island|db_connection|postgrex|myxql|tds|exqlite|redix|absinthe\w{0,20}|jason|poison|finch|mint\w{0,20}|tesla|hackney|httpoison|req|gun|oban\w{0,10}|gen_stage|flow|broadway\w{0,20}|quantum|swoosh|gettext|telemetry\w{0,40}|opentelemetry\w{0,40}|nimble_\w{1,40}|sentry)$/;
/** The same by module, where the application is not known. */
const FOREIGN_MODULE =
  /^(?:Access|Agent|Application|Base|Calendar|Code|Date|DateTime|DynamicSupervisor|EEx|Enum|Enumerable|ExUnit|Exception|File|Float|GenServer|GenEvent|IEx|IO|Inspect|Integer|JSON|Kernel|Keyword|List|Logger|Macro|Map|MapSet|Mix|Module|NaiveDateTime|Node|Path|Port|Process|Protocol|Range|Regex|Registry|Stream|String|Supervisor|System|Task|Time|Tuple|URI|Version|Phoenix|Plug|Ecto|Cowboy|Bandit|ThousandIsland|DBConnection|Postgrex|MyXQL|Tds|Exqlite|Redix|Absinthe|Jason|Poison|Finch|Mint|Tesla|HTTPoison|Req|Oban|GenStage|Flow|Broadway|Quantum|Swoosh|Gettext|Sentry)(?:\.|$)/;

/** Whether a text is a function of Elixir as stacks write it. */
export function isElixirFunction(text: string): boolean {
  return text === '(file)' || text === '(module)' || FUNCTION.test(text) || ANONYMOUS.test(text);
}

/** Creates a frame of Elixir or Erlang: `Module.function/arity`, or both apart. The image is the application. */
export function elixirFrame(call: Call): StackFrame {
  const { name, path, line, column } = call;
  const [, written = call.module, member] = FUNCTION.exec(ANONYMOUS.exec(name)?.[1] ?? name) ?? [];
  const module = written.replace(/^Elixir\./, '').replace(RUN, '');
  return createFrame({
    name: functionName(member ?? (name.startsWith('(') ? '<file>' : name.replace(ARITY, ''))),
    module,
    path,
    line,
    column,
    inApp: isApp(call, module),
  });
}

/** Returns the name of a function; of a generated one, the name of the function that contains it. */
function functionName(text: string): string {
  const name = /^["'].*["']$/.test(text) ? text.slice(1, -1) : text;
  return MADE_BY_ELIXIR.exec(name)?.[1] ?? MADE_BY_ERLANG.exec(name)?.[1] ?? name;
}

/** If the application is known, an atom or any other module may be of the project. */
function isApp({ image, path, isMarkedApp }: Call, module: string): boolean {
  if (!isAppFile(path)) return false;
  if (image !== '') return !FOREIGN_APPLICATION.test(image);
  return !FOREIGN_MODULE.test(module) && (isMarkedApp || isAppModule(module));
}
