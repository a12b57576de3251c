def sync(stock)
  raise TypeError, "stock #{stock} is not a list"
end

begin
  sync('teapots')
rescue TypeError => e
  warn e.full_message(highlight: false)
  exit 4
end
