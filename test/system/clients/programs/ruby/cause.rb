class OrderFailed < StandardError
end

def price_of(article)
  { 'cup' => 4 }.fetch(article)
end

def place(article)
  price_of(article)
rescue KeyError
  raise OrderFailed, "no order for #{article}"
end

place('saucer')
