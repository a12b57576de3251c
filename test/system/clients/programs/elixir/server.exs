defmodule Shop.Counter do
  use GenServer
  def init(count), do: {:ok, count}
  def handle_call({:add, text}, _from, count), do: {:reply, :ok, count + String.to_integer(text)}
end

{:ok, counter} = GenServer.start(Shop.Counter, 0)
GenServer.call(counter, {:add, "seven"})
