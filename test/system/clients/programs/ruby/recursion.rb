def depth(category, parents)
  1 + depth(parents[category], parents)
end

depth('cups', { 'cups' => 'kitchen', 'kitchen' => 'cups' })
