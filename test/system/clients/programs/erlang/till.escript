#!/usr/bin/env escript
-mode(compile).

find(Id) -> {error, {unknown_order, Id}}.

load(Id) ->
  {ok, Order} = find(Id),
  Order.

share(Total, People) -> Total div People.

count(Lines) -> lists:sum([list_to_integer(Line) || Line <- Lines]).

area({square, Side}) -> Side * Side.

price(Prices, Article) -> maps:get(Article, Prices) * 2.

main(["badmatch"]) -> io:format("~p~n", [load(7)]);
main(["badarith"]) -> io:format("~p~n", [share(40, length([]))]);
main(["badarg"]) -> io:format("~p~n", [count(["4", "seven"])]);
main(["undef"]) -> shop_printer:print(label);
main(["error"]) -> error({out_of_stock, teapot});
main(["throw"]) -> throw({till, jammed});
main(["exit"]) -> exit(till_is_jammed);
main(["process"]) ->
  {Pid, Reference} = spawn_monitor(fun() -> share(40, length([])) end),
  receive {'DOWN', Reference, process, Pid, _} -> ok end,
  % The runtime itself reports it, at some time after the process has ended.
  timer:sleep(1000),
  halt(1);
main(["report"]) ->
  Pid = proc_lib:spawn(fun() -> price(#{cup => 3}, saucer) end),
  Reference = monitor(process, Pid),
  receive {'DOWN', Reference, process, Pid, _} -> ok end,
  logger_std_h:filesync(default),
  halt(1);
main(["clause"]) -> io:format("~p~n", [area({circle, 3})]);
main(["message"]) ->
  io:format(standard_error, "till: the setting 'currency' is missing~n", []),
  halt(4).
