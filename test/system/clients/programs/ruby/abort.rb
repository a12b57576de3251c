puts 'reading shop.toml'
abort "shop.toml: the setting 'currency' is missing"
