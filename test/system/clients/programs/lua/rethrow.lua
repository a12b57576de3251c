local function price_of(article)
  return ({ cup = 4 })[article] or error("no price for " .. article, 0)
end

local ok, problem = pcall(price_of, "saucer")
if not ok then
  error("the order was not placed: " .. problem)
end
