use strict;
use warnings;

sub price_of { my %prices = (cup => 4); return $prices{ $_[0] } // die "no price for $_[0]\n" }

eval { price_of('saucer'); 1 } or die "the order was not placed: $@";
