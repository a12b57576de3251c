die "order is bad:\n  no address\n  no price\n";
