use strict;
use warnings;

print STDERR "till: the setting 'currency' is missing\n";
exit 4;
