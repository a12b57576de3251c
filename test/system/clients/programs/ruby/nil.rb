Customer = Struct.new(:name, :address)

def label(customer)
  customer.address.street
end

label(Customer.new('bo', nil))
