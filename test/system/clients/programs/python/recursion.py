def depth(category, parents):
    return 1 + depth(parents[category], parents)


depth("cups", {"cups": "kitchen", "kitchen": "cups"})
