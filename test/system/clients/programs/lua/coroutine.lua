local worker = coroutine.wrap(function(lines)
  local sum = 0
  for _, line in ipairs(lines) do
    sum = sum + tonumber(line)
  end
  return sum
end)

worker({ "4", "seven" })
