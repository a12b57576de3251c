local function label(customer)
  return customer.address.street
end

label({ name = "bo" })
