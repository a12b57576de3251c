defmodule Shop.OutOfStock do
  defexception [:article]
  def message(%{article: article}), do: "#{article} is sold out"
end

defmodule Shop.Stock do
  def reserve(article) do
    raise Shop.OutOfStock, article: article
    :ok
  end
end

Shop.Stock.reserve("teapot")
