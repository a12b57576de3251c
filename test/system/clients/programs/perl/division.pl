use strict;
use warnings;

sub share { my ($total, $people) = @_; return $total / $people }

while (my $line = <DATA>) { print share(40, $line), "\n" }
__DATA__
4
0
