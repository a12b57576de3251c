defmodule Shop.Rates do
  def fetch(currency) do
    raise ArgumentError, "no rate for #{currency}"
    :ok
  end
end

Task.await(Task.async(fn -> Shop.Rates.fetch("XXX") end))
