use strict;
use warnings;

package Till;
sub new { return bless {}, shift }

package main;

sub close_shop { my ($till) = @_; $till->lock }

close_shop(Till->new);
