local depth
function depth(category, parents)
  return 1 + depth(parents[category], parents)
end

depth("cups", { cups = "kitchen", kitchen = "cups" })
