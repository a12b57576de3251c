defmodule Shop.Till do
  def run([kind]) do
    result = open(kind)
    {:ok, result}
  end

  defp open("key"), do: Map.fetch!(prices(4), :saucer)
  defp open("match"), do: {:ok, _} = find(1)
  defp open("clause"), do: share(40, :nobody)
  defp open("arithmetic"), do: div(40, String.length(""))
  defp open("throw"), do: throw({:till, :jammed})
  defp open("exit"), do: exit(:till_is_jammed)

  defp prices(cup), do: Map.new(cup: cup)
  defp find(id), do: Enum.at([{:error, :unknown_order}], id - 1)
  defp share(total, people) when is_integer(people), do: total + people
end

Shop.Till.run(System.argv())
