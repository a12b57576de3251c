use strict;
use warnings;
use Carp qw(confess);

sub discount {
    my ($percent) = @_;
    confess "discount of $percent percent" if $percent > 100;
}

sub checkout { discount(120) }

checkout();
