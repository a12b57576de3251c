IO.puts(:stderr, "till: the setting 'currency' is missing")
System.halt(4)
