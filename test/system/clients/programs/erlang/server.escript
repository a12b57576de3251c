#!/usr/bin/env escript
-module(shop_server).
-mode(compile).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, main/1]).
init(_) -> {ok, 0}.
handle_call({add, Text}, _From, N) -> {reply, ok, N + list_to_integer(Text)}.
handle_cast(_, N) -> {noreply, N}.
main(_) ->
  {ok, Pid} = gen_server:start(?MODULE, [], []),
  gen_server:call(Pid, {add, "seven"}).
