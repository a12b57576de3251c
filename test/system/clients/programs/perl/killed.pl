use strict;
use warnings;

$| = 1;
print "counting the money\n";
kill 'ABRT', $$;
