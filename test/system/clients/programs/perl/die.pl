use strict;
use warnings;

sub read_order {
    my ($file) = @_;
    open(my $handle, '<', $file) or die "cannot open $file: $!";
    return $handle;
}

read_order('/nonexistent/order.txt');
