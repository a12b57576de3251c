module Shop
  class OutOfStock < StandardError
  end

  def self.reserve(article, wanted, stock)
    raise OutOfStock, "#{article}: #{wanted} wanted, #{stock[article]} left" if wanted > stock[article]
  end
end

Shop.reserve('teapot', 12, { 'teapot' => 3 })
