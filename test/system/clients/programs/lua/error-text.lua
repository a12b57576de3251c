local function discount(percent)
  if percent > 100 then
    error("discount of " .. percent .. " percent")
  end
  return 100 - percent
end

local function checkout()
  return 1 + discount(120)
end

checkout()
