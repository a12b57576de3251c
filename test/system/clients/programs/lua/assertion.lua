local function open_till(path)
  return assert(io.open(path, "r"))
end

open_till("/nonexistent/till.txt")
