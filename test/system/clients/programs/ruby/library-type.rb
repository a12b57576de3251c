require 'json'

def read_order(text)
  JSON.parse(text)
end

read_order('{"customer": "bo", "items": [1, 2')
