local OutOfStock = {}
OutOfStock.__index = OutOfStock
OutOfStock.__tostring = function(self)
  return "OutOfStock: " .. self.article .. " is sold out"
end

local function reserve(article)
  error(setmetatable({ article = article }, OutOfStock))
end

reserve("teapot")
